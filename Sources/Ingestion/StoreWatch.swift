import CLinux
import DBus
import Glibc

/// Tells when another process writes to the store, or takes its file away, without polling (inotify on the database and its
/// write-ahead log).
final class StoreWatch {
  enum Change {
    case written
    /// The file was moved, deleted or replaced, or its permissions were changed.
    case moved
  }

  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - store: The path of an open store: its write-ahead log exists and stays.
  ///   - loop: Where the changes are told.
  ///   - changed: Called on the loop's thread, once for however many changes of a kind came together.
  /// - Throws: ``DBusError/Code/system(errno:)`` where the system watches no more files.
  init(_ store: String, on loop: EventLoop, changed: @escaping (Change) -> Void) throws(DBusError) {
    let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard number >= 0 else { throw DBusError(.system(errno: errno), "watching the store") }
    descriptor = FileDescriptor(owning: number)
    for file in [store, store + "-wal"] {
      // A commit is seen by others only after its last write to a file: the writer's close comes behind it for certain.
      let written = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)
      guard unsafe inotify_add_watch(number, file, written | Self.moves) >= 0 else {
        throw DBusError(.system(errno: errno), "watching \(file)")
      }
    }
    self.loop = loop
    token = try loop.watch(number, for: .readable) { _ in
      let changes = Self.take(from: number)
      if changes & ~Self.moves != 0 { changed(.written) }
      if changes & Self.moves != 0 { changed(.moved) }
    }
  }

  deinit {
    loop.cancel(token)
  }

  /// A file that somebody has open is not deleted: it loses its name, which changes its attributes.
  private static let moves = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)

  /// Takes the events away, and says what happened; to which of the two files does not matter.
  private static func take(from descriptor: Int32) -> UInt32 {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      var changes: UInt32 = 0
      while case let count = unsafe read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
        var place = 0
        while place + MemoryLayout<inotify_event>.size <= count {
          let event = unsafe buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          changes |= event.mask
          place += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
      return changes
    }
  }
}
