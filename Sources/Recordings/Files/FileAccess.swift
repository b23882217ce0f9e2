package import Glibc

/// Access to files: reads them whole, looks for them, makes them safely; failures name the file.
package enum FileAccess {
  /// True where something is at `path`.
  package static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  /// True where a file is at `path` that could be replaced: not where a device, a pipe or nothing is.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether both names, which may be links, lead to the same file.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard unsafe stat(path, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Whether the user may write the file or into the folder.
  package static func mayWrite(_ path: String) -> Bool {
    unsafe access(path, W_OK) == 0
  }

  /// The number of bytes that the file system of `path` has left for its users; nil where it is not known.
  package static func freeBytes(at path: String) -> UInt64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// The folder that holds `path`; `.` for a bare name.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The file that `path` leads to where that is a symbolic link; else `path` unchanged.
  package static func behindLink(_ path: String) -> String {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let real = unsafe realpath(path, nil)
    else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Makes `path` and the folders above it where they are missing, with `mode`.
  package static func makeDirectory(_ path: String, mode: UInt32) throws(FileError) {
    if unsafe mkdir(path, mode) == 0 { return }
    let code = errno
    if code == EEXIST { return }
    let parent = directory(of: path)
    guard code == ENOENT, parent != path else {
      throw FileError(code, "cannot make the folder \(path)", otherwise: .cannotCreate)
    }
    try makeDirectory(parent, mode: mode)
    guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else {
      throw FileError(errno, "cannot make the folder \(path)", otherwise: .cannotCreate)
    }
  }

  /// All bytes of a file of at most `limit` bytes. A pipe is an error: nobody may ever write to it.
  package static func read(_ path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .missing) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, ![S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
      throw FileError(.unsuitable, "\(path) is a pipe, not a file")
    }
    return try read(descriptor, path, limit: limit)
  }

  /// As ``read(_:limit:)``, of a file that a program of ours must have written: a link, anything but a regular file and, where
  /// `owner` is given, a file of another user are errors, and are never waited for.
  package static func readRegular(_ path: String, limit: Int, of owner: uid_t? = nil) throws(FileError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .missing) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(.unsuitable, "\(path) is no regular file")
    }
    if let owner, status.st_uid != owner { throw FileError(.permission, "\(path) is another user's") }
    return try read(descriptor, path, limit: limit)
  }

  private static func read(_ descriptor: CInt, _ path: String, limit: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .inputOutput) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else {
        throw FileError(.unsuitable, "\(path) is larger than \(limit) bytes, which no such file is")
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Writes all `bytes` to `descriptor`; returns the error number where that fails.
  package static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt? {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      written += count
    }
    return nil
  }
}

/// Whether files are there; tests make up their own.
package struct FileLookup: Sendable {
  package enum Presence: Hashable {
    case present
    case absent
    /// A folder on the way may not be looked into.
    case forbidden
  }

  package var presence: @Sendable (String) -> Presence

  package init(presence: @escaping @Sendable (String) -> Presence) {
    self.presence = presence
  }

  /// The files of the system.
  package static let system = FileLookup { path in
    if unsafe access(path, F_OK) == 0 { return .present }
    return errno == EACCES ? .forbidden : .absent
  }
}

/// A failure with a file or a folder: the failed action, the reason, and the remedy, for a person.
package struct FileError: Error, Hashable, Sendable {
  /// The kind of failure, for a program.
  package enum Code: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// The file has the wrong content, or is no file.
    case unsuitable
    /// The file, or a folder for it, cannot be made there.
    case cannotCreate
    /// The disk is full or broken.
    case inputOutput
    case permission
    /// A needed part of the system is missing.
    case unavailable
    /// The place of the file is not known.
    case unplaced
    /// The system refuses an action that every program is allowed.
    case system
  }

  package var code: Code
  /// The failed action and the reason, without a full stop at the end.
  package var message: String
  /// The remedy, as a command or a short clause.
  package var remedy: String?

  package init(_ code: Code, _ message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// `what: why`, with the code that fits the error number of the system, and `otherwise` where none does.
  package init(_ number: CInt, _ what: String, otherwise: Code) {
    self.init(Code(number, otherwise: otherwise), "\(what): \(Self.reason(number))")
  }

  /// The service's recordings are for root and the members of its group.
  package static let notInGroup = FileError(
    .permission, "you may not see what the service records",
    remedy: "sudo usermod -aG sensord $USER, then log in again")

  /// The system's words for an error number, without a capital letter.
  package static func reason(_ number: CInt) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    let words = unsafe String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}

extension FileError.Code {
  /// The code that fits an error number. A missing folder is for `otherwise` to judge: it can be a file that was asked
  /// for, or the place for a new one.
  package init(_ number: CInt, otherwise: Self) {
    self =
      switch number {
      case EACCES, EPERM, EROFS: .permission
      case EIO, ENOSPC, EDQUOT, EFBIG: .inputOutput
      case ENOENT where otherwise == .inputOutput, EISDIR where otherwise == .inputOutput: .missing
      default: otherwise
      }
  }
}
