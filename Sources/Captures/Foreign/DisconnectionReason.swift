/// Why a link ended, in the words of the Core specification, volume 1, part F.
enum DisconnectionReason {
  static func text(_ code: UInt8) -> String {
    let hexadecimal = String(code, radix: 16, uppercase: true)
    let number = "0x\(code < 16 ? "0" : "")\(hexadecimal)"
    return words[code].map { "\($0) (\(number))" } ?? number
  }

  private static let words: [UInt8: String] = [
    0x05: "authentication failure",
    0x08: "connection timeout",
    0x13: "remote user terminated connection",
    0x14: "remote device terminated connection due to low resources",
    0x15: "remote device terminated connection due to power off",
    0x16: "connection terminated by local host",
    0x1F: "unspecified error",
    0x22: "LL response timeout",
    0x28: "instant passed",
    0x29: "pairing with unit key not supported",
    0x3B: "unacceptable connection parameters",
    0x3D: "connection terminated due to MIC failure",
    0x3E: "connection failed to be established",
  ]
}
