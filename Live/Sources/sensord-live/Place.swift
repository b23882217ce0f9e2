internal import LiveServer

/// An address with a port, as a person writes it: `127.0.0.1:8765`, `[::1]:8765`.
enum Place {
  static func parsed(
    _ text: String, option: String, ports: ClosedRange<Int>
  ) throws(LiveFailure) -> (address: String, port: Int) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), ports.contains(port)
    else {
      throw LiveFailure(.usage, "\(option) needs an address and a port, 127.0.0.1:8765 for example, not '\(text)'")
    }
    var address = text[..<colon]
    if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
    return (String(address), port)
  }
}
