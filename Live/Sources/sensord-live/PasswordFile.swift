internal import Glibc
internal import LiveServer

/// A file with a password in its first line: words of a command can be read by every process of the machine.
enum PasswordFile {
  /// Longer than every password that a broker takes.
  private static let longest = 4096

  static func read(_ path: String) throws(LiveFailure) -> String {
    guard let file = unsafe fopen(path, "re") else {
      throw LiveFailure(
        .noInput, "\(path) cannot be read: \(LiveFailure.reason(errno)); mend that, or choose another file")
    }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
      throw LiveFailure(.badData, "\(path) holds no password in its first line; write one into it")
    }
    return password
  }
}
