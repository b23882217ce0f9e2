import CLinux
import Glibc
import HealthModel
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

  /// Watches the file that is at the path now instead of the previous one, and ends the watch on the folder.
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

extension HealthStore {
  /// Wakes live queries if another connection has changed the file; for programs that watch the file themselves. A
  /// store that was opened `observing` needs no call.
  ///
  /// Every commit sets the times of the store's file afterwards (inotify: `IN_ATTRIB`).
  ///
  /// - Returns: Whether another connection has changed the file since the last call.
  @discardableResult
  public func noticeChanges() throws(StoreError) -> Bool {
    let version = try opened().connection.dataVersion()
    guard version != knownDataVersion else { return false }
    knownDataVersion = version
    notifyListeners()
    return true
  }

  /// Called on the store's thread when the file was touched.
  func fileWasTouched() {
    guard let observation, observation.drainEvents(), let file = try? opened() else { return }
    do throws(StoreError) {
      if access == .reading, file.isFrozen || file.connection.hasMoved {
        try followPlace(observation)
      } else {
        try noticeChanges()
      }
    } catch {
      // The next query reports it.
      if error.needsPerson { fail(error) }
      listeners.signalAll()
    }
  }

  /// Switches to the file that is at the path now. If there is none, or no complete one, the old file stays open until
  /// there is.
  private func followPlace(_ observation: StoreObservation) throws(StoreError) {
    // The folder first, so that no event from now on is missed.
    try observation.watchFolder()
    while true {
      let found: StoreFile
      do throws(StoreError) {
        found = try StoreFile(path, for: .reading, mode: 0, types: types, limit: limit)
        try found.verifyStructure()
      } catch {
        if error.needsPerson { throw error }
        return
      }
      try observation.watchFile()
      guard !found.connection.hasMoved else {
        try observation.watchFolder()
        continue
      }
      return try adopt(found)
    }
  }
}

extension StoreError {
  /// Whether waiting for the next event will not resolve the error.
  fileprivate var needsPerson: Bool {
    switch code {
    case .cannotObserve, .newerVersion, .olderVersion: true
    default: false
    }
  }
}

/// The live queries that wait for changes: each has one pending signal at most.
final class ChangeListeners: Sendable {
  private struct Listener {
    var continuation: AsyncStream<Void>.Continuation
    var isConcerned: @Sendable (StoreChange) -> Bool
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var next: UInt64 = 0
    var isFinished = false
    var openings = 0
  }

  private let state = Mutex(State())

  /// A stream of signals for the changes that `isConcerned` accepts, until the stream and its iterator are released.
  func signals(_ isConcerned: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.next += 1
      state.listeners[state.next] = Listener(continuation: continuation, isConcerned: isConcerned)
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  /// Signals the listeners that are concerned by one of the changes.
  func signal(_ changes: [StoreChange]) {
    for listener in state.withLock({ Array($0.listeners.values) }) where changes.contains(where: listener.isConcerned) {
      listener.continuation.yield()
    }
  }

  /// Signals all listeners.
  func signalAll() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.continuation.yield() }
  }

  /// Signals all listeners that another file is open now, in which change numbers mean something else.
  func signalOpening() {
    state.withLock { $0.openings += 1 }
    signalAll()
  }

  /// The number of times that another file was opened.
  var openings: Int { state.withLock { $0.openings } }

  /// Ends all streams, including future ones.
  func finish() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      state.isFinished = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.continuation.finish() }
  }

  var count: Int { state.withLock { $0.listeners.count } }
}
