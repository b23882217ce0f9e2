import Glibc

/// The right to record into a store: a lock on a file beside it, which the kernel takes back when its holder dies.
///
/// Not on the store itself: closing any descriptor of that would drop SQLite's own locks.
struct RecorderLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock of the store at `path`, or throws ``StoreError/Code/locked``.
  init(besides path: String, mode: UInt32) throws(StoreError) {
    let name = path + "-recorder"
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let opened = unsafe open(name, flags, mode_t(mode))
    guard opened >= 0 else {
      throw StoreError(.permission, "\(name) cannot be opened: check the owner and mode of its folder")
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      close(opened)
      throw StoreError(.locked, "\(path) is being recorded into by another sensord; stop that one first")
    }
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }
}
