internal import Glibc

/// Lines for people.
enum Terminal {
  /// A line of output.
  static func print(_ text: String) { put(text + "\n", STDOUT_FILENO) }

  /// A line about what went wrong, or how it stands.
  static func complain(_ text: String) { put("sensord-live: \(text)\n", STDERR_FILENO) }

  /// What the parser says in several lines, as one.
  static func line(of text: String) -> String {
    var line = text.split(separator: "\n").first.map(String.init) ?? text
    if line.hasPrefix("Error: ") { line.removeFirst("Error: ".count) }
    return "\(line); see 'sensord-live --help'"
  }

  private static func put(_ text: String, _ descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
