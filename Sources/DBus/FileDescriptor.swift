internal import Glibc

/// A file descriptor that is closed when its handle is destroyed.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number; valid as long as the handle lives.
  public let number: Int32

  /// Takes ownership of `number`: nobody else may close it.
  public init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Another descriptor of the same open file, closed on exec.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)``, `EMFILE` for example.
  public func duplicate() throws(DBusError) -> FileDescriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .lastSystemError("duplicating a descriptor") }
    return FileDescriptor(owning: copy)
  }

  /// Releases the number without closing it: the caller has to close it.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }
}

extension DBusError {
  /// The error in `errno` that `activity` has just left.
  static func lastSystemError(_ activity: String) -> DBusError {
    let number = errno
    return DBusError(.system(errno: number), "\(activity): \(unsafe String(cString: strerror(number)))")
  }
}
