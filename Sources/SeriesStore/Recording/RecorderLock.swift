import Glibc

/// The right to record into a store: a lock on a file beside it, which the kernel releases when its holder dies.
///
/// It is not on the store itself, because closing any descriptor of the store would drop SQLite's own locks. The file is
/// beside the store's real path, so that all paths to the store find the same lock.
struct RecorderLock: ~Copyable {
  private let descriptor: Int32

  /// Acquires the lock of the store at `path`, which is not a link, or throws ``StoreError/Code/locked``.
  init(besides path: String, mode: UInt32) throws(StoreError) {
    let name = path + "-recorder"
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let opened = unsafe open(name, flags, mode_t(mode))
    guard opened >= 0 else {
      throw Self.failure(errno, name)
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      guard code == EWOULDBLOCK else { throw Self.failure(code, name) }
      throw StoreError(.locked, "\(path) is being recorded into by another sensord; stop that one first")
    }
    descriptor = opened
  }

  private static func failure(_ code: Int32, _ name: String) -> StoreError {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return switch code {
    case EACCES, EPERM, EROFS:
      StoreError(.permission, "\(name) cannot be opened: \(reason); check the owner and mode of it and its folder")
    case ENOSPC, EDQUOT: StoreError(.full, "\(name) cannot be made: \(reason); free some space")
    case EIO, ENOLCK: StoreError(.io, "\(name) cannot be locked: \(reason); check the disk")
    default: StoreError(.cannotCreate, "\(name) cannot be opened: \(reason)")
    }
  }

  deinit {
    close(descriptor)
  }
}
