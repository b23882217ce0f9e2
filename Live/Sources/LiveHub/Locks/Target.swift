/// The target of a request: a path and its parameters.
struct Target: Sendable {
  let path: String
  private let parameters: [String: String]

  /// Reads a request line's target; nil for a text that is no path, has a wrong escape, or names a parameter twice.
  init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    var parameters: [String: String] = [:]
    for part in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(words[0]), let value = Self.decoded(words.count > 1 ? words[1] : ""),
        parameters.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    self.parameters = parameters
  }

  subscript(name: String) -> String? { parameters[name] }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}

/// The names that the hub answers to, so that a page from elsewhere cannot reach it: neither by a name of its own that leads to this
/// machine (DNS rebinding), nor as another page of the same browser.
struct HostRule: Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>

  /// - Parameters:
  ///   - port: The port that the hub listens on: `localhost`, `127.0.0.1` and `[::1]` with this port are its names.
  ///   - hosts: Further names, of a proxy, with a port where it is not the scheme's. Pages of these may come over http or https.
  init(port: Int, hosts: [String] = []) {
    let own = ["localhost", "127.0.0.1", "[::1]"].map { "\($0):\(port)" }
    self.hosts = Set(own + hosts.map { $0.lowercased() })
    origins = Set(
      own.map { "http://\($0)" } + hosts.flatMap { ["http://\($0.lowercased())", "https://\($0.lowercased())"] })
  }

  /// Whether a request was meant for the hub: by its only `Host`.
  func allows(hosts values: [String]) -> Bool {
    values.count == 1 && hosts.contains(values[0].lowercased())
  }

  /// Whether a request comes from a page of the hub, or from no page.
  func allows(origins values: [String]) -> Bool {
    values.allSatisfy { origins.contains($0.lowercased()) }
  }
}
