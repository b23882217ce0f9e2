import Glibc
import HealthModel

/// An open file, closed when it is released.
final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  func status(_ path: String) throws(StoreError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .attachments(path, errno) }
    return status
  }

  func sync(_ path: String) throws(StoreError) {
    guard fsync(number) == 0 else { throw .attachments(path, errno) }
  }

  /// Writes all of the bytes.
  func write(_ bytes: ArraySlice<UInt8>, _ path: String) throws(StoreError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else { throw .attachments(path, errno) }
      rest = rest.dropFirst(max(0, count))
    }
  }

  /// Bytes at a place: as many as asked for, fewer at the end.
  func read(_ count: Int, at offset: Int, _ path: String) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var found = 0
    while found < count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(number, buffer.baseAddress.map { unsafe $0 + found }, count - found, off_t(offset + found))
      }
      guard more >= 0 || errno == EINTR else { throw .attachments(path, errno) }
      if more == 0 { break }
      found += max(0, more)
    }
    bytes.removeLast(count - found)
    return bytes
  }

  /// Reads the next bytes of a file or a pipe into a buffer. Returns their number; 0 at the end.
  ///
  /// - Throws: ``AttachmentError/unreadable``, also where nothing has come for `patience` milliseconds.
  static func read(
    from number: Int32, into buffer: inout [UInt8], _ patience: Int32?
  ) throws(StoreError) -> Int {
    while true {
      if let patience {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wait, 1, patience) != 0 else { throw StoreError(AttachmentError.unreadable) }
      }
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
      if count >= 0 { return count }
      // Another owner of the pipe may have made it non-blocking: then this waits again.
      guard errno == EINTR || errno == EAGAIN && patience != nil else { throw StoreError(AttachmentError.unreadable) }
    }
  }
}

extension StoreError {
  /// The error of a call on the folder of attachments.
  static func attachments(_ path: String, _ code: Int32) -> StoreError {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return switch code {
    case ENOSPC, EDQUOT: StoreError(.full, "\(path) cannot grow: \(reason); free some space")
    case EFBIG: StoreError(.full, "\(path) cannot grow: a limit of this process or file system (ulimit -f)")
    case EACCES, EPERM, EROFS:
      StoreError(.permission, "\(path) cannot be used: \(reason); check owner and mode of it and its folder")
    case ENOTDIR, ELOOP: StoreError(.cannotCreate, "\(path) is no folder; remove what is there")
    default: StoreError(.io, "\(path) cannot be read or written: \(reason); check the disk")
    }
  }

  /// The error for a file that cannot be attached.
  init(_ error: AttachmentError) {
    self.init(.attachment(error), "it cannot be attached: \(error)")
  }
}
