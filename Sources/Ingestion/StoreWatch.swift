import CLinux
import DBus
import Glibc

/// Tells when another process writes to the store, without polling (inotify on the database and its write-ahead log).
final class StoreWatch {
  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - store: The path of an open store: its write-ahead log exists and stays.
  ///   - loop: Where the changes are told.
  ///   - changed: Called on the loop's thread, once for however many writes came together.
  /// - Throws: ``DBusError/Code/system(errno:)`` where the system watches no more files.
  init(_ store: String, on loop: EventLoop, changed: @escaping () -> Void) throws(DBusError) {
    let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard number >= 0 else { throw DBusError(.system(errno: errno), "watching the store") }
    descriptor = FileDescriptor(owning: number)
    for file in [store, store + "-wal"] {
      // A commit is seen by others only after its last write to a file: the writer's close comes behind it for certain.
      guard unsafe inotify_add_watch(number, file, UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)) >= 0 else {
        throw DBusError(.system(errno: errno), "watching \(file)")
      }
    }
    self.loop = loop
    token = try loop.watch(number, for: .readable) { _ in
      Self.drain(number)
      changed()
    }
  }

  deinit {
    loop.cancel(token)
  }

  /// Takes the events away; which of the two files it was does not matter.
  private static func drain(_ descriptor: Int32) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
