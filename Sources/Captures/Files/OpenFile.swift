import Glibc

/// An open file, closed with its last reference. Several threads may call it, as far as the kernel allows.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    _ = close(descriptor)
  }

  /// One write(2). Returns how many bytes were written, which may be fewer than given.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(SystemError) -> Int {
    let written = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    guard written >= 0 else { throw .last }
    return written
  }

  /// Writes all bytes, with as many calls as it takes.
  func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let written = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      if written < 0 {
        if errno == EINTR { continue }
        throw .last
      }
      done += written
    }
  }

  func truncate(to length: Int) throws(SystemError) {
    guard ftruncate(descriptor, length) == 0 else { throw .last }
  }

  func synchronizeData() throws(SystemError) {
    guard fdatasync(descriptor) == 0 else { throw .last }
  }

  func status() throws(SystemError) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
    return status
  }

  /// Copies the owner, the group and the permissions of another file. Without the right to change owners, it fails only if
  /// they differ.
  func copyAccess(of other: OpenFile) throws(SystemError) {
    let wanted = try other.status()
    let own = try status()
    if own.st_uid != wanted.st_uid || own.st_gid != wanted.st_gid {
      guard fchown(descriptor, wanted.st_uid, wanted.st_gid) == 0 else { throw .last }
    }
    // The permissions come last, or the old group could read the content.
    guard fchmod(descriptor, wanted.st_mode & 0o777) == 0 else { throw .last }
  }

  /// The content from the start up to `end` or the present size; fewer bytes if the file shrinks meanwhile.
  func readAll(upTo end: Int = .max) throws(SystemError) -> [UInt8] {
    let status = try status()
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return try read(atMost: min(end, Int(status.st_size)))
  }

  /// Up to `count` bytes from `start` on; fewer at the end of the file.
  func read(atMost count: Int, from start: Int = 0) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + filled }, count - filled, start + filled)
        if got < 0 {
          if errno == EINTR { continue }
          failure = .last
          return
        }
        if got == 0 { return }
        filled += got
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// A system call that failed, by its error number.
struct SystemError: Error, Hashable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  /// The error of this thread's last system call.
  static var last: SystemError { SystemError(errno) }

  /// The text of `strerror`, in its thread-safe form.
  static func text(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    let status = unsafe strerror_r(number, &buffer, buffer.count)
    guard status == 0 else { return "error \(number)" }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: text, as: UTF8.self)
  }
}
