import DBus
import Glibc
import SeriesStore

extension Recorder {
  /// Looks after a while whether another file is at the store's path.
  func lookAtStore(after delay: Duration) {
    storeTimer = loop.schedule(after: delay) {
      self.assumeIsolated { recorder in
        recorder.storeTimer = nil
        Task(executorPreference: recorder.loop) { await recorder.followReplacedStore() }
      }
    }
  }

  /// Goes on with a store that was put in the place of the open one, once nobody writes to it any more.
  ///
  /// One that is missing is waited for: were it made anew at once, whoever brings a copy back would write over an open store.
  /// The next commit makes it, since a session is not to wait for that.
  private func followReplacedStore() async {
    guard !isStopping, storeTimer == nil, let store else { return }
    // One that could not be opened the last time is closed.
    guard (try? await store.hasVanished()) ?? true else { return replacement = nil }
    let found = FileState(of: settings.store)
    guard let found, found == replacement else {
      replacement = found
      return lookAtStore(after: found == nil ? .seconds(5) : .milliseconds(300))
    }
    replacement = nil
    do {
      try await ensureStore()
    } catch {
      log(.error, "the store that is at its place now cannot be opened: \(error)")
      lookAtStore(after: .seconds(60))
    }
  }

  /// What a file looks like from outside: the same twice while nobody writes to it.
  struct FileState: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: Int64

    /// Nil where there is none, or one that nothing was written to yet.
    init?(of path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_size > 0 else { return nil }
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      size = Int64(status.st_size)
      modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
  }
}
