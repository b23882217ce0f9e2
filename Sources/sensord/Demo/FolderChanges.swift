internal import Recordings
internal import CLinux
internal import DBus
internal import Glibc

/// Reports when a file in a folder is put in place, without polling.
final class FolderChanges {
  private let descriptor: FileDescriptor
  private let loop: EventLoop
  private var watch: WatchToken?

  /// Calls `changed` on the loop's thread, once for all that happened since the last time.
  init(_ path: String, on loop: EventLoop, _ changed: @escaping () -> Void) throws {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw FileError(errno, "cannot watch \(path)", otherwise: .system) }
    descriptor = FileDescriptor(owning: number)
    self.loop = loop
    guard unsafe inotify_add_watch(number, path, UInt32(IN_MOVED_TO | IN_DELETE)) >= 0 else {
      throw FileError(errno, "cannot watch \(path)", otherwise: .system)
    }
    watch = try loop.watch(number, for: .readable) { _ in
      var events = [UInt8](repeating: 0, count: 4_096)
      while unsafe read(number, &events, events.count) > 0 {}
      changed()
    }
  }

  /// Stops calling `changed`.
  func cancel() {
    if let watch { loop.cancel(watch) }
    watch = nil
  }
}
