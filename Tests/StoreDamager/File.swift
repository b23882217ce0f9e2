import Glibc
import TestSupport

/// Whole files.
enum File {
  struct Failure: Error {
    var path: String
    var number: Int32
  }

  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, number: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Failure(path: path, number: errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Replaces the store at `path`, with what lies beside it.
  static func write(_ bytes: [UInt8], to path: String) throws {
    for suffix in ["", "-wal", "-shm", "-journal", "-recorder"] { unsafe unlink(path + suffix) }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(path: path, number: errno) }
    defer { close(descriptor) }
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Failure(path: path, number: errno)
    }
  }

  /// Puts the files that are attached in the store at `path` beside the copy, where they are missing.
  static func copyAttachments(of path: String, to copy: String) throws {
    let (from, to) = (attachments(of: path), attachments(of: copy))
    unsafe mkdir(to, 0o700)
    for name in TemporaryFolder.names(from) where unsafe access("\(to)/\(name)", F_OK) != 0 {
      try write(try read("\(from)/\(name)"), to: "\(to)/\(name)")
    }
  }

  private static func attachments(of path: String) -> String {
    (path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path) + ".attachments"
  }
}
