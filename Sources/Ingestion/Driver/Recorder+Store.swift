import CLinux
import DBus
import FoundationEssentials
import Glibc
import HealthModel
package import SeriesStore
import Timeline

// Another process may change the store or put another one in its place, and its disk may fail.

extension Recorder {
  /// The recorder's store, for who shares it; nil before the recorder is ready.
  package var openStore: HealthStore? { files?.store }

  /// Follows what other processes do to the store.
  func watchStore() {
    do {
      storeWatch = try StoreWatch(settings.store, on: loop) { self.assumeIsolated { $0.storeWasTouched() } }
    } catch {
      log(.warning, "changes to the list of sensors are seen only after a restart: \(error)")
    }
  }

  /// Another process has changed the list or deleted something, or the file is another one now.
  private func storeWasTouched() {
    Task(executorPreference: loop) { await self.reloadIfChanged() }
  }

  private func reloadIfChanged() async {
    guard !isStopping, let store = files?.store else { return }
    if !storeKeeper.isLooking, let delay = storeKeeper.touched(hasVanished: await hasVanished(store)) {
      lookAtStore(after: delay)
    }
    do {
      guard try await store.noticeChanges() else { return }
      publishStoreChange()
      await loadAllowedSensors()
      await eraseDeleted()
      await countDoubtful()
    } catch {
      log(.error, "the store cannot be read: \(error)")
    }
  }

  private func publishStoreChange() {
    if observers.want(.store) { observers.publish(RecorderEvent(.storeChanged, at: clock.wallMicroseconds())) }
  }

  private func lookAtStore(after delay: Duration) {
    _ = loop.schedule(after: delay) {
      self.assumeIsolated { $0.lookAtStoreSoon() }
    }
  }

  private func lookAtStoreSoon() {
    Task(executorPreference: loop) { await self.lookAtStore() }
  }

  private func lookAtStore() async {
    guard !isStopping, let store = files?.store else { return }
    let hasVanished = await hasVanished(store)
    switch storeKeeper.look(hasVanished: hasVanished, found: hasVanished ? StoreFileState(of: settings.store) : nil) {
    case .done: break
    case .again(let delay): lookAtStore(after: delay)
    case .open:
      do {
        try await makeStoreSound()
      } catch {
        log(.error, "the store that is at its place now cannot be opened: \(error)")
        lookAtStore(after: storeKeeper.openingFailed())
      }
    }
  }

  /// One that could not be opened the last time is closed, and cannot be asked.
  private func hasVanished(_ store: HealthStore) async -> Bool {
    (try? await store.hasVanished()) ?? true
  }

  /// Opens the store anew where it is not to be trusted: a commit into what is open then may be lost.
  func makeStoreSound() async throws(StoreError) {
    guard let store = files?.store else { return }
    if storeKeeper.isSound, try await store.hasVanished() { log(storeKeeper.vanished()) }
    switch storeKeeper.reopening {
    case .notNeeded: return
    case .sameFile:
      try await store.reopen()
      storeKeeper.reopened()
      publishStoreChange()
    case .otherFile:
      try? makeFolder(of: settings.store)
      try await store.reopen()
      try await restoreAllowedSensors(in: store)
      storeKeeper.reopened()
      watchStore()
      publishStoreChange()
      guard !isStopping else { return }
      await loadAllowedSensors()
      await eraseDeleted()
    }
  }

  /// The list was in the old store, too. One that was put in its place has a list of its own.
  private func restoreAllowedSensors(in store: HealthStore) async throws(StoreError) {
    guard try await store.allowedSensors().isEmpty else { return }
    let now = Timestamp(microseconds: clock.wallMicroseconds())
    let listed = sensors.recordings.indices.map { sensors.recordings[$0] }.filter { !$0.isUnlisted }
    for recording in listed {
      _ = try await store.allow(AllowedSensor(address: "\(recording.address)", name: recording.name, added: now))
    }
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
