import Glibc

/// An open folder; names in its calls are those of its own entries.
final class Directory: Sendable {
  let path: String
  let file: OpenFile

  /// Opens the folder at `path`.
  init(path: String) throws(SystemError) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    self.path = path
    file = OpenFile(descriptor: descriptor)
  }

  /// Opens the folder at `path`, creating it and its parents if they are missing.
  ///
  /// Each new entry is synced in its parent. An existing folder keeps its permissions.
  static func opened(path: String, creatingWith mode: UInt32) throws(SystemError) -> Directory {
    do {
      return try Directory(path: path)
    } catch {
      guard error.number == ENOENT else { throw error }
    }
    let trimmed = path.hasSuffix("/") && path.utf8.count > 1 ? String(path.dropLast()) : path
    let parentPath: String =
      switch trimmed.lastIndex(of: "/") {
      case nil: "."
      case trimmed.startIndex?: "/"
      case let slash?: String(trimmed[..<slash])
      }
    guard parentPath != trimmed else { throw SystemError(ENOENT) }
    let parent = try opened(path: parentPath, creatingWith: mode)
    if unsafe mkdir(trimmed, mode) == 0 {
      // The umask must not reduce the mode: the service's group has to read.
      guard unsafe chmod(trimmed, mode) == 0 else { throw .last }
      try parent.synchronize()
    } else if errno != EEXIST {
      throw .last
    }
    return try Directory(path: trimmed)
  }

  /// The names of its entries in no particular order, without `.` and `..`.
  func names() throws(SystemError) -> [String] {
    let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .last }
    guard let stream = unsafe fdopendir(copy) else {
      let failure = SystemError.last
      _ = close(copy)
      throw failure
    }
    defer { unsafe closedir(stream) }
    unsafe rewinddir(stream)
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .last }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Opens an entry for reading. Never follows a symbolic link and never waits for the other end of a pipe.
  func openForReading(_ name: String) throws(SystemError) -> OpenFile {
    let descriptor = unsafe openat(file.descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last }
    return OpenFile(descriptor: descriptor)
  }

  /// Creates a file for appending, with exactly these permissions whatever the umask. Fails if the name exists.
  func create(_ name: String, mode: UInt32) throws(SystemError) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    let descriptor = unsafe openat(file.descriptor, name, flags, mode)
    guard descriptor >= 0 else { throw .last }
    let made = OpenFile(descriptor: descriptor)
    guard fchmod(descriptor, mode) == 0 else {
      let failure = SystemError.last
      _ = unsafe unlinkat(file.descriptor, name, 0)
      throw failure
    }
    return made
  }

  /// Renames an entry and replaces an existing one of the new name.
  func rename(_ name: String, to newName: String) throws(SystemError) {
    guard unsafe renameat(file.descriptor, name, file.descriptor, newName) == 0 else { throw .last }
  }

  /// Deletes a file; does nothing if it does not exist.
  func remove(_ name: String) throws(SystemError) {
    guard unsafe unlinkat(file.descriptor, name, 0) == 0 || errno == ENOENT else { throw .last }
  }

  /// The user whom an entry belongs to; nil for a missing entry.
  func owner(of name: String) -> UInt32? {
    var status = stat()
    return unsafe fstatat(file.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_uid : nil
  }

  func contains(_ name: String) -> Bool {
    unsafe faccessat(file.descriptor, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// `name`, or if that exists, the first of `name-2`, `name-3` … that does not.
  func freeName(_ name: String) -> String {
    var copy = 2
    var free = name
    while contains(free) {
      free = "\(name)-\(copy)"
      copy += 1
    }
    return free
  }

  /// Whether this process may list the folder and create files in it.
  var isUsable: Bool {
    unsafe faccessat(file.descriptor, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0 || errno == EROFS
  }

  /// Makes new, renamed and deleted entries durable.
  func synchronize() throws(SystemError) {
    guard fsync(file.descriptor) == 0 else { throw .last }
  }

  /// Locks the folder for this process until it is closed. Returns false if another process has locked it.
  func lock() throws(SystemError) -> Bool {
    if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw .last }
    return false
  }
}
