import Glibc
import TestSupport

@testable import Captures

/// Files by their whole paths, as tests of a journal name them.
extension TemporaryFolder {
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

  /// Deletes a file, or a folder with everything in it.
  static func delete(_ path: String) {
    for name in names(path) { delete("\(path)/\(name)") }
    _ = unsafe remove(path)
  }
}
