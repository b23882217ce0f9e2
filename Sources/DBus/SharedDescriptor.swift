internal import Synchronization

/// Carries a ``FileDescriptor`` in a ``Value``, which is copied: closed when the last copy goes, unless it was taken.
///
/// Two are equal when they are the same carrier.
public final class SharedDescriptor: Hashable, Sendable {
  private let descriptor: Mutex<FileDescriptor?>

  public init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = Mutex(descriptor)
  }

  /// Takes the descriptor out, so that the caller alone owns it; nil where somebody took it before.
  public func take() -> FileDescriptor? {
    descriptor.withLock { $0.take() }
  }

  /// Another descriptor of the same open file.
  ///
  /// - Throws: ``DBusError/Code/invalid`` where it was taken, ``DBusError/Code/system(errno:)``.
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
