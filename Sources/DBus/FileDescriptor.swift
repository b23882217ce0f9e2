internal import Glibc

/// A descriptor of this process that is closed when the handle goes.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number; valid as long as the handle lives.
  public let number: Int32

  /// Takes over `number`: nobody else closes it from now on.
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

  /// Gives the number away without closing it: the caller closes it from now on.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }
}

extension DBusError {
  /// The error in `errno`, which `activity` just left there.
  static func lastSystemError(_ activity: String) -> DBusError {
    let number = errno
    return DBusError(.system(errno: number), "\(activity): \(unsafe String(cString: strerror(number)))")
  }
}
