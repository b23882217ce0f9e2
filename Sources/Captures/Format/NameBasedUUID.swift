import FoundationEssentials

extension UUID {
  /// The UUID of `name` within a namespace: version 5 of RFC 9562, section 5.5.
  init(name: String, in namespace: UUID) {
    let space = namespace.uuid
    let prefix = [
      space.0, space.1, space.2, space.3, space.4, space.5, space.6, space.7, space.8, space.9, space.10, space.11,
      space.12, space.13, space.14, space.15,
    ]
    let hash = SHA1.digest(prefix + Array(name.utf8))
    self.init(
      uuid: (
        hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6] & 0x0F | 0x50, hash[7], hash[8] & 0x3F | 0x80,
        hash[9], hash[10], hash[11], hash[12], hash[13], hash[14], hash[15]
      ))
  }
}

/// SHA-1 (RFC 3174), for name-based UUIDs only (RFC 9562 version 5). It has no security purpose here.
enum SHA1 {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += bigEndian(UInt64(message.count) * 8)
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      mix(padded[start..<start + 64], into: &state)
    }
    return state.flatMap(bigEndian)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = [UInt32](repeating: 0, count: 80)
    for (index, byte) in block.enumerated() {
      words[index / 4] = words[index / 4] << 8 | UInt32(byte)
    }
    for index in 16..<80 {
      words[index] = rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (function, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: (b & c | ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotated(a, by: 5) &+ function &+ e &+ constant &+ words[index]
      (a, b, c, d, e) = (next, a, rotated(b, by: 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() {
      state[index] &+= value
    }
  }

  private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 {
    word << bits | word >> (32 - bits)
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
