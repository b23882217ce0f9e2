import Glibc

/// The real place of a store's file, with symbolic links resolved.
///
/// Nothing is opened here, because closing any descriptor of the file would drop SQLite's locks on it.
struct StorePlace {
  /// The path as given.
  let path: String
  /// The path without symbolic links. The names of files beside the store, including SQLite's own, begin with it.
  let realPath: String

  /// Separates a store's name from the random number in the temporary name under which it is created.
  static let draftMark = ".new-"

  /// Examines what is at `path`.
  ///
  /// - Throws: ``StoreError/Code/missing``; ``StoreError/Code/notADatabase`` for anything but a plain file, such as a pipe,
  ///   which SQLite would wait for; ``StoreError/Code/invalid`` if a file that is to be written has several names. Each
  ///   name would have its own log, which SQLite lists as a way to corrupt a file (sqlite.org/howtocorrupt.html, 2.5).
  init(_ path: String, for access: HealthStore.Access) throws(StoreError) {
    self.path = path
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { throw .missing(path) }
      // SQLite will report the reason.
      realPath = path
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notADatabase(path) }
    realPath = Self.resolved(path)
    guard access != .reading, status.st_nlink > 1 else { return }
    removeDrafts(of: status)
    guard unsafe stat(path, &status) == 0, status.st_nlink > 1 else { return }
    throw StoreError(
      .invalid,
      "\(path) has \(status.st_nlink) names (hard links), and what is written under one is missing under the others;"
        + " remove all but one")
  }

  /// Whether nobody can write to the file, so that it can be read without the shared log: a copy without its `-wal`, in a
  /// folder where none can be created. A recorder keeps its own `-wal` there for readers.
  var isFrozen: Bool {
    unsafe access(realPath + "-wal", F_OK) != 0 && access(folder, W_OK) != 0
  }

  /// Figures by which a file is another one, or has other bytes.
  struct FileState: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
    var size: Int64
    /// Of the last change of its bytes.
    var seconds: Int
    var nanoseconds: Int
  }

  /// The file and its log as they are now; a file that is missing is left out.
  var state: [FileState] {
    [realPath, realPath + "-wal"].compactMap { path in
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      return FileState(
        device: UInt64(status.st_dev), number: UInt64(status.st_ino), size: Int64(status.st_size),
        seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
  }

  private static func resolved(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  var folder: String {
    realPath.lastIndex(of: "/").map { String(realPath[...$0]) } ?? "."
  }

  /// The file's name in the folder.
  var name: String {
    realPath.split(separator: "/").last.map(String.init) ?? ""
  }

  /// Removes the temporary name under which the file was created: its creator is between its two names, or was killed
  /// there.
  private func removeDrafts(of file: stat) {
    let beginning = name + Self.draftMark
    guard !name.isEmpty, let entries = unsafe opendir(folder) else { return }
    defer { unsafe closedir(entries) }
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard name.hasPrefix(beginning), unsafe lstat(folder + name, &status) == 0, status.st_ino == file.st_ino,
        status.st_dev == file.st_dev
      else { continue }
      unsafe unlink(folder + name)
    }
  }
}

/// The right to record into a store: a lock on a file beside it, which the kernel releases when its holder dies.
///
/// The lock is not on the store itself, because closing any descriptor of the store would drop SQLite's own locks. Its
/// file is beside the store's real path, so that all paths to the store find the same lock.
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
