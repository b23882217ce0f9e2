internal import Glibc

/// What a person and the log read.
enum Terminal {
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
  static func complain(_ text: String) { write("sensord-forward: \(text)\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// An object of JSON in one line; the values are JSON.
  static func printObject(_ members: [(String, String)]) {
    print("{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}")
  }
}
