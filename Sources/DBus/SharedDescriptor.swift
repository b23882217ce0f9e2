internal import Synchronization

/// Holds a ``FileDescriptor`` in a ``Value``, which can be copied. It is closed with the last copy, unless it was taken
/// out.
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
