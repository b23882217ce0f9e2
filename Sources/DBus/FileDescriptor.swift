import Glibc
import Synchronization

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

/// Holds a ``FileDescriptor`` in a ``Value``, which can be copied. The descriptor is closed with the last copy, unless
/// it was taken out.
///
/// Two are equal if they are the same object.
public final class SharedDescriptor: Hashable, Sendable {
  private let descriptor: Mutex<FileDescriptor?>

  public init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = Mutex(descriptor)
  }

  /// Moves the descriptor out, so that the caller alone owns it; nil if it was moved out before.
  public func take() -> FileDescriptor? {
    descriptor.withLock { $0.take() }
  }

  /// Another descriptor of the same open file.
  ///
  /// - Throws: ``DBusError/Code/invalid`` if it was moved out, ``DBusError/Code/system(errno:)``.
  public func duplicate() throws(DBusError) -> FileDescriptor {
    let copy: Result<Int32, DBusError>? = descriptor.withLock { descriptor in
      do throws(DBusError) {
        guard let copy = try descriptor?.duplicate() else { return nil }
        return .success(copy.release())
      } catch {
        return .failure(error)
      }
    }
    guard let copy else { throw DBusError(.invalid, "the descriptor was taken out of its value") }
    return FileDescriptor(owning: try copy.get())
  }

  public static func == (first: SharedDescriptor, second: SharedDescriptor) -> Bool { first === second }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
