import CLinux
import Glibc
import HealthModel
import Synchronization

/// A watch on a store's file and its log. Its descriptor becomes readable when somebody has committed, the file or its log is no
/// longer at its path, or other bytes were copied into one of them.
///
/// A commit sets the file's times afterwards (``StoreFile/announce()``): one event, when the commit is visible. SQLite's
/// own writes to the log come earlier. The content of events is not used: the store looks at the file, so an overflow of
/// the queue does not matter.
final class StoreObservation: Sendable {
  private struct Watches {
    var file: Int32
    /// Those of the log and its index; none while there is no usable file at the path.
    var log: [Int32] = []
    /// Set while there is no usable file at the path.
    var folder: Int32?
    /// The files as they were when they were last looked at.
    var state: [StorePlace.FileState]
  }

  /// The kind of what events say.
  enum Touch {
    case commit
    /// Other bytes may be in the files, or other files at their paths.
    case content
  }

  let descriptor: Int32
  private let place: StorePlace
  private let watches: Mutex<Watches>

  /// A file that is open elsewhere is not deleted but loses a name, which is an attribute change, like the times.
  private static let fileEvents = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_CLOSE_WRITE)
  /// A file gets its name or loses it, or its writer is done.
  private static let folderEvents =
    UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE)

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
    watches = Mutex(Watches(file: file, log: Self.watchLog(of: place, descriptor), state: place.state))
  }

  deinit {
    close(descriptor)
  }

  /// Watches the log and its index, where there are any: SQLite keeps on reading those that it has open.
  private static func watchLog(of place: StorePlace, _ descriptor: Int32) -> [Int32] {
    // Closing the index is an event of each reader, and copies of one are nothing that SQLite believes.
    [("-wal", fileEvents), ("-shm", UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF))].map { ending, events in
      unsafe inotify_add_watch(descriptor, place.realPath + ending, events)
    }.filter { $0 >= 0 }
  }

  /// Watches the folder instead of the log, for a file that gets the name.
  func watchFolder() throws(StoreError) {
    let added = unsafe inotify_add_watch(descriptor, place.folder, Self.folderEvents)
    guard added >= 0 else { throw Self.failure(errno, place.folder) }
    let log = watches.withLock { watches in
      watches.folder = added
      defer { watches.log = [] }
      return watches.log
    }
    for watch in log { inotify_rm_watch(descriptor, watch) }
  }

  /// Watches the files that are at the path now instead of the previous ones, and ends the watch on the folder.
  func watchFile() throws(StoreError) {
    let added = unsafe inotify_add_watch(descriptor, place.realPath, Self.fileEvents)
    guard added >= 0 else { throw Self.failure(errno, place.path) }
    let log = Self.watchLog(of: place, descriptor)
    let former = watches.withLock { watches in
      defer { watches = Watches(file: added, log: log, state: place.state) }
      return watches
    }
    // The same file keeps the same watch.
    for watch in [former.file] + former.log where watch != added && !log.contains(watch) {
      inotify_rm_watch(descriptor, watch)
    }
    if let folder = former.folder { inotify_rm_watch(descriptor, folder) }
  }

  /// The files as they are now.
  var state: [StorePlace.FileState] { place.state }

  /// Reads and drops the events, without waiting; nil if all were of other files of the folder, or of readers who closed a log that they
  /// had not changed.
  func drainEvents() -> Touch? {
    let present = watches.withLock { $0 }
    let names = [place.name, place.name + "-wal"].map { Array($0.utf8) }
    var touch: Touch?
    var isClosed = false
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while case let count = unsafe read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
        var position = 0
        while position + MemoryLayout<inotify_event>.size <= count {
          let event = unsafe buffer.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
          position += MemoryLayout<inotify_event>.size
          let end = min(count, position + Int(event.len))
          let found = unsafe buffer[position..<end].prefix { $0 != 0 }
          position = end
          switch event.wd {
          case present.folder:
            if names.contains(where: { unsafe found.elementsEqual($0) }) { touch = touch ?? .commit }
          case present.file,
            _ where present.log.contains(event.wd):
            if event.mask & UInt32(IN_CLOSE_WRITE) != 0 {
              isClosed = true
            } else {
              touch = event.wd == present.file ? touch ?? .commit : .content
            }
          // The queue itself, which has overflowed.
          case -1: touch = .content
          default: break
          }
        }
      }
    }
    guard touch != nil || isClosed else { return nil }
    let state = place.state
    watches.withLock { $0.state = state }
    return isClosed && state != present.state ? .content : touch
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
    guard let observation, let touch = observation.drainEvents() else { return }
    let file = try? opened()
    if file == nil, failure?.needsPerson != false { return }
    do throws(StoreError) {
      if access == .reading, touch == .content || file?.isFrozen ?? true || file?.connection.hasMoved ?? true {
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
  /// there is, unless other bytes are in it.
  private func followPlace(_ observation: StoreObservation) throws(StoreError) {
    // The folder first, so that no event from now on is missed, and none of the log that is closed here.
    try observation.watchFolder()
    let former = try? opened()
    var last: ChangeAnchor?
    if let former, !former.connection.hasMoved {
      last = try? former.lastAnchor()
      leaveFile()
    }
    while true {
      let state = observation.state
      do throws(StoreError) {
        let found = try StoreFile(path, for: .reading, mode: 0, types: types, limit: limit)
        let isContinued = found.hasHistory(of: last)
        if !isContinued { try found.verifyStructure() }
        try observation.watchFile()
        if !found.connection.hasMoved, observation.state == state, (try? opened()) == nil {
          return isContinued ? try resume(found) : try adopt(found)
        }
      } catch {
        if error.needsPerson { throw error }
        // Closing it was an event, too.
        _ = observation.drainEvents()
        guard observation.state != state else {
          if (try? opened()) == nil { listeners.signalAll() }
          return
        }
        continue
      }
      try observation.watchFolder()
      // The file there is whole. It is opened anew without the old one: both may have the same index of a log, whose locks the first that
      // is closed would release for both.
      leaveFile()
    }
  }

  /// Closes the file that is open, before another is opened: SQLite goes on with the index of the log that a connection of this process
  /// has.
  private func leaveFile() {
    fail(StoreError(.io, "\(path) was replaced, and what is there now is no whole store; copy it there again"))
  }
}

extension StoreFile {
  /// The anchor after the last change.
  fileprivate func lastAnchor() throws(StoreError) -> ChangeAnchor {
    try read { (connection) throws(StoreError) in
      try ChangeReader(connection: connection).anchor(at: connection.changeList.last())
    }
  }

  /// Whether this has the history of an anchor, as the file that a writer has closed.
  fileprivate func hasHistory(of anchor: ChangeAnchor?) -> Bool {
    guard let anchor else { return false }
    let number = try? read { (connection) throws(StoreError) in
      try ChangeReader(connection: connection).number(of: anchor, last: connection.changeList.last())
    }
    return number != nil
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
