internal import Glibc

/// Files as commands need them: read whole, looked for, made safely; failures name the file and the exit code.
enum FileAccess {
  /// True where something is at `path`.
  static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  /// Whether the user may write the file or into the folder.
  static func mayWrite(_ path: String) -> Bool {
    unsafe access(path, W_OK) == 0
  }

  /// The folder that holds `path`; `.` for a bare name.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The file that `path` leads to where that is a symbolic link; else `path` as it is.
  static func behindLink(_ path: String) -> String {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let real = unsafe realpath(path, nil)
    else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Makes `path` and the folders above it where they are missing, with `mode`.
  static func makeDirectory(_ path: String, mode: UInt32) throws {
    if unsafe mkdir(path, mode) == 0 { return }
    let code = errno
    if code == EEXIST { return }
    let parent = directory(of: path)
    guard code == ENOENT, parent != path else { throw failure(code, "cannot make the folder \(path)", .cannotCreate) }
    try makeDirectory(parent, mode: mode)
    guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else {
      throw failure(errno, "cannot make the folder \(path)", .cannotCreate)
    }
  }

  /// All bytes of a file of at most `limit` bytes. A pipe is an error: nobody may ever write to it.
  static func read(_ path: String, limit: Int = .max) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(errno, "cannot read \(path)", .noInput) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, ![S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
      throw CommandFailure(.badData, "\(path) is a pipe, not a file")
    }
    return try read(descriptor, path, limit: limit)
  }

  /// As ``read(_:limit:)``, of a file that a program of ours must have written: what is no regular file, a link, or
  /// where `owner` is given another user's, is an error, and is never waited for.
  static func readRegular(_ path: String, limit: Int, of owner: uid_t? = nil) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(errno, "cannot read \(path)", .noInput) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.badData, "\(path) is no regular file")
    }
    if let owner, status.st_uid != owner { throw CommandFailure(.permission, "\(path) is another user's") }
    return try read(descriptor, path, limit: limit)
  }

  private static func read(_ descriptor: CInt, _ path: String, limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(errno, "cannot read \(path)", .inputOutput) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else {
        throw CommandFailure(.badData, "\(path) is larger than \(limit) bytes, which no such file is")
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Writes all `bytes` to `descriptor`; returns the error number where that fails.
  static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt? {
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

  /// `what: why`, with the exit code that fits the error number, and `otherwise` where none does.
  static func failure(_ code: CInt, _ what: String, _ otherwise: ExitStatus) -> CommandFailure {
    CommandFailure(status(of: code, otherwise: otherwise), "\(what): \(reason(code))")
  }

  /// The exit code that fits an error number. A missing folder is for `otherwise` to judge: it can be a file that was
  /// asked for, or the place for a new one.
  static func status(of code: CInt, otherwise: ExitStatus) -> ExitStatus {
    switch code {
    case EACCES, EPERM, EROFS: .permission
    case EIO, ENOSPC, EDQUOT, EFBIG: .inputOutput
    case ENOENT where otherwise == .inputOutput, EISDIR where otherwise == .inputOutput: .noInput
    default: otherwise
    }
  }

  /// The system's words for an error number, without a capital letter.
  static func reason(_ code: CInt) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    let words = unsafe String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}
