import CLinux
import DBus
import Glibc

/// Notifies when another process has written to the store, or takes its file away, without polling (inotify on the file).
final class StoreWatch {
  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - store: The path of an open store.
  ///   - loop: Where the changes are announced.
  ///   - touched: Called on the loop's thread, once for however many changes came together: somebody has committed, or the file was
  ///     moved, deleted or replaced.
  /// - Throws: ``DBusError/Code/system(errno:)`` where the system watches no more files.
  init(_ store: String, on loop: EventLoop, touched: @escaping () -> Void) throws(DBusError) {
    let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard number >= 0 else { throw DBusError(.system(errno: errno), "watching the store") }
    descriptor = FileDescriptor(owning: number)
    // Whoever commits sets the file's times when the commit can be seen. A file that somebody has open is not deleted: it loses
    // its name, which changes its attributes too.
    let events = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF)
    guard unsafe inotify_add_watch(number, store, events) >= 0 else {
      throw DBusError(.system(errno: errno), "watching \(store)")
    }
    self.loop = loop
    token = try loop.watch(number, for: .readable) { _ in
      var events = [UInt8](repeating: 0, count: 4_096)
      while unsafe read(number, &events, events.count) > 0 {}
      touched()
    }
  }

  deinit {
    loop.cancel(token)
  }
}
