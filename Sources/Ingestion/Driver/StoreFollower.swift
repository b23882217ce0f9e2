import CLinux
import DBus
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import Timeline

/// The recorder's store, which another process may change or replace, and whose disk may fail: followed, and opened anew where it
/// is not to be trusted.
///
/// On the recorder's thread, while the recorder runs.
actor StoreFollower {
  nonisolated let store: HealthStore
  private let recorder: Recorder
  private let committer: SessionCommitter
  private let settings: RecorderSettings
  private var keeper = StoreKeeper()
  private var watch: StoreWatch?
  /// The number of stored sessions and workouts that have dates in doubt.
  private(set) var doubtful = 0

  /// Whether changes by other processes are seen.
  var isFollowing: Bool { watch != nil }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe recorder.unownedExecutor }

  init(of recorder: Recorder, _ files: OpenFiles) {
    self.recorder = recorder
    store = files.store
    committer = files.committer
    settings = recorder.settings
  }

  /// Follows what other processes do to the store from now on.
  func start() {
    do {
      watch = try StoreWatch(settings.store, on: recorder.loop) { [weak self] in
        self?.assumeIsolated { $0.wasTouched() }
      }
    } catch {
      settings.log(.warning, "changes to the list of sensors are seen only after a restart: \(error)")
    }
  }

  /// Another process has changed the list or deleted something, or the file is another one now.
  private func wasTouched() {
    Task(executorPreference: recorder.loop) { await self.reloadIfChanged() }
  }

  private func reloadIfChanged() async {
    guard await !recorder.isStopping else { return }
    if !keeper.isLooking, let delay = keeper.touched(hasVanished: await hasVanished()) { look(after: delay) }
    do {
      guard try await store.noticeChanges() else { return }
      publishChange()
      await reload()
      await countDoubtful()
    } catch {
      settings.log(.error, "the store cannot be read: \(error)")
    }
  }

  /// Follows the list of sensors, and what was deleted.
  func reload() async {
    await recorder.loadAllowedSensors()
    await eraseDeleted()
  }

  private func publishChange() {
    recorder.assumeIsolated { recorder in
      guard recorder.observers.want(.store) else { return }
      recorder.observers.publish(RecorderEvent(.storeChanged, at: recorder.clock.wallMicroseconds()))
    }
  }

  private func look(after delay: Duration) {
    _ = recorder.loop.schedule(after: delay) {
      Task(executorPreference: self.recorder.loop) { await self.look() }
    }
  }

  private func look() async {
    guard await !recorder.isStopping else { return }
    let hasVanished = await hasVanished()
    switch keeper.look(hasVanished: hasVanished, found: hasVanished ? StoreFileState(of: settings.store) : nil) {
    case .done: break
    case .again(let delay): look(after: delay)
    case .open:
      do {
        try await makeSound()
      } catch {
        settings.log(.error, "the store that is at its place now cannot be opened: \(error)")
        look(after: keeper.openingFailed())
      }
    }
  }

  /// One that could not be opened the last time is closed, and cannot be asked.
  private func hasVanished() async -> Bool {
    (try? await store.hasVanished()) ?? true
  }

  /// Opens the store anew where it is not to be trusted: a commit into what is open then may be lost.
  func makeSound() async throws(StoreError) {
    if keeper.isSound, try await store.hasVanished() {
      let line = keeper.vanished()
      settings.log(line.level, line.text)
    }
    switch keeper.reopening {
    case .notNeeded: return
    case .sameFile:
      try await store.reopen()
      keeper.reopened()
      publishChange()
    case .otherFile:
      try? settings.makeFolderOfStore()
      try await store.reopen()
      try await restoreAllowedSensors()
      keeper.reopened()
      start()
      publishChange()
      if await !recorder.isStopping { await reload() }
    }
  }

  /// The list was in the old store, too. One that was put in its place has a list of its own.
  private func restoreAllowedSensors() async throws(StoreError) {
    guard try await store.allowedSensors().isEmpty else { return }
    let now = Timestamp(microseconds: recorder.clock.wallMicroseconds())
    for (address, name) in await recorder.sensors.recordings.listed {
      _ = try await store.allow(AllowedSensor(address: "\(address)", name: name, added: now))
    }
  }

  /// A commit failed because of the store.
  func commitFailed(_ error: StoreError) {
    keeper.commitFailed(error)
  }

  /// Empties the store's write-ahead log: by itself SQLite does so after 1,000 pages alone, which is a month.
  func emptyLog() async {
    if keeper.isSound { await store.emptyLog() }
  }

  /// Erases what the journal and the captures hold of sessions that somebody deleted.
  private func eraseDeleted() async {
    do {
      keeper.lastErasedChange = try await committer.eraseDeleted(after: keeper.lastErasedChange)
    } catch {
      settings.log(.error, "a deleted session is not erased from the journal or the captures yet: \(error)")
    }
  }

  /// Counts what has dates that are in doubt, for the status.
  func countDoubtful() async {
    if let count = try? await store.doubtfulCount() { doubtful = count }
  }
}

/// Notifies when another process has written to the store, or takes its file away, without polling (inotify on the file).
final class StoreWatch {
  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - store: The path of an open store.
  ///   - loop: The loop on which changes are reported.
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

extension StoreFileState {
  /// Nil where there is none, or one that nothing was written to yet.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_size > 0 else { return nil }
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
  }
}
