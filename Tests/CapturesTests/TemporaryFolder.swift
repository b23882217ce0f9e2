import Glibc

@testable import Captures

/// A folder of its own for a test, deleted with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/sensord-captures-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer {
      unsafe $0.baseAddress.map { unsafe mkdtemp($0) } != nil
    }
    guard made else { throw SystemError.last }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    Self.delete(path)
  }

  /// The names in `folder`, sorted.
  static func names(_ folder: String) throws -> [String] {
    try Directory(path: folder).names().sorted()
  }

  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw SystemError.last }
    return try OpenFile(descriptor: descriptor).readAll()
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last }
    try OpenFile(descriptor: descriptor).writeAll(bytes)
  }

  static func mode(_ path: String) throws -> UInt32 {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
    return status.st_mode & 0o7777
  }

  static func delete(_ path: String) {
    for name in (try? Directory(path: path).names()) ?? [] {
      delete("\(path)/\(name)")
    }
    _ = unsafe remove(path)
  }
}
