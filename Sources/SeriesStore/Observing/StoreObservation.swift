import CLinux
import Glibc
import Synchronization

/// A watch on a store's file. Its descriptor becomes readable when somebody has committed, or the file is no longer at its
/// path.
///
/// A commit sets the file's times afterwards (``StoreFile/announce()``): one event, when the commit is visible. SQLite's
/// own writes to the log come earlier. The content of events is not used: the store looks at the file, so an overflow of
/// the queue does not matter.
final class StoreObservation: Sendable {
  private struct Watches {
    var file: Int32
    /// Set while there is no usable file at the path.
    var folder: Int32?
  }

  let descriptor: Int32
  private let place: StorePlace
  private let watches: Mutex<Watches>

  /// A file that is open elsewhere is not deleted but loses a name, which is an attribute change, like the times.
  private static let fileEvents = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF)
  /// A file gets its name, or its writer is done.
  private static let folderEvents = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE)

  /// Watches the file at `place`.
  ///
  /// - Throws: ``StoreError/Code/cannotObserve`` if the system has no watch left.
  init(_ place: StorePlace) throws(StoreError) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { throw Self.failure(errno, place.path) }
    let file = unsafe inotify_add_watch(descriptor, place.realPath, Self.fileEvents)
    guard file >= 0 else {
      let code = errno
      close(descriptor)
      throw Self.failure(code, place.path)
    }
    self.descriptor = descriptor
    self.place = place
    watches = Mutex(Watches(file: file))
  }

  deinit {
    close(descriptor)
  }

  /// Also watches the folder, for a file that gets the name.
  func watchFolder() throws(StoreError) {
    let added = unsafe inotify_add_watch(descriptor, place.folder, Self.folderEvents)
    guard added >= 0 else { throw Self.failure(errno, place.folder) }
    watches.withLock { $0.folder = added }
  }

  /// Watches the file that is at the path now instead of the previous one, and no longer the folder.
  func watchFile() throws(StoreError) {
    let added = unsafe inotify_add_watch(descriptor, place.realPath, Self.fileEvents)
    guard added >= 0 else { throw Self.failure(errno, place.path) }
    let former = watches.withLock { watches in
      defer { watches = Watches(file: added) }
      return watches
    }
    // The same file keeps the same watch.
    if former.file != added { inotify_rm_watch(descriptor, former.file) }
    if let folder = former.folder { inotify_rm_watch(descriptor, folder) }
  }

  /// Reads and drops the events, without waiting; false if all were of other files of the folder.
  func drainEvents() -> Bool {
    let folder = watches.withLock { $0.folder }
    let name = Array(place.name.utf8)
    return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      var isMeant = false
      while case let count = unsafe read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
        var position = 0
        while position + MemoryLayout<inotify_event>.size <= count {
          let event = unsafe buffer.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
          position += MemoryLayout<inotify_event>.size
          let end = min(count, position + Int(event.len))
          let found = unsafe buffer[position..<end].prefix { $0 != 0 }
          // Events without a watch are about the queue itself, which has overflowed.
          isMeant = unsafe isMeant || event.wd != folder || found.elementsEqual(name)
          position = end
        }
      }
      return isMeant
    }
  }

  private static func failure(_ code: Int32, _ path: String) -> StoreError {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return switch code {
    case EMFILE, ENFILE, ENOSPC, ENOMEM:
      StoreError(
        .cannotObserve,
        "\(path) cannot be observed: the system has no watch left (\(reason)); end other programs, or raise"
          + " fs.inotify.max_user_instances and fs.inotify.max_user_watches")
    default: StoreError(.cannotObserve, "\(path) cannot be observed: \(reason)")
    }
  }
}
