internal import Glibc

/// What a person and the log read.
enum Terminal {
  /// Ends the program where it cannot be written: whoever asked for it would take half of it for all.
  static func print(_ text: String) {
    guard !write(text + "\n", to: STDOUT_FILENO) else { return }
    complain("the output cannot be written: \(unsafe String(cString: strerror(errno)))")
    exit(ForwardFailure.Status.io.rawValue)
  }

  static func complain(_ text: String) { _ = write("sensord-forward: \(text)\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// An object of JSON in one line; the values are JSON.
  static func printObject(_ members: [(String, String)]) {
    print("{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}")
  }
}
