internal import Glibc

/// A file that appears under its name only when it is whole.
///
/// The file is written under a hidden name beside its place, synced, and renamed; a failure leaves the old file. The hidden file
/// is made with `O_EXCL`, so that nobody can have put a link there. A place that a person named and that is no regular file
/// (`/dev/stdout`, a pipe of their own) is written directly, since it must not be replaced. Anything at a place that the program
/// chose itself is replaced, since somebody else may have put a pipe there to read along.
package struct ReplacedFile: ~Copyable {
  private let path: String
  private let temporaryPath: String?
  private let descriptor: CInt
  private var isInPlace = false

  /// Opens the file that will become `path`. `mode` counts, whatever the umask is.
  package init(path: String, mode: UInt32 = 0o600, mayBeSpecial: Bool = true) throws(FileError) {
    self.init(try Draft(path: path, mode: mode, mayBeSpecial: mayBeSpecial))
  }

  /// Continues with a file that is open; only once.
  package init(_ draft: Draft) {
    (path, temporaryPath, descriptor) = (draft.path, draft.temporaryPath, draft.descriptor)
  }

  deinit {
    close(descriptor)
    if let temporaryPath, !isInPlace { unsafe unlink(temporaryPath) }
  }

  /// Adds `bytes` at the end.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    if let code = FileAccess.write(bytes, to: descriptor) {
      throw FileError(code, "cannot write \(path)", otherwise: .inputOutput)
    }
  }

  /// Puts the file in its place by `rename`, which gives an error number or 0. `durably` waits for the disk first.
  package consuming func finish(
    durably: Bool = true,
    by rename: (_ hidden: String, _ path: String) -> CInt = { unsafe Glibc.rename($0, $1) == 0 ? 0 : errno }
  ) throws(FileError) {
    guard let temporaryPath else { return }
    if durably, fsync(descriptor) != 0 { throw FileError(errno, "cannot write \(path)", otherwise: .inputOutput) }
    let code = rename(temporaryPath, path)
    guard code == 0 else { throw FileError(code, "cannot create \(path)", otherwise: .cannotCreate) }
    isInPlace = true
  }
}

extension ReplacedFile {
  /// A file that is open under its hidden name, or a place that is written directly.
  package struct Draft: Sendable {
    fileprivate let path: String
    fileprivate let temporaryPath: String?
    fileprivate let descriptor: CInt
    private static let processIdentifier = getpid()

    /// The hidden name and the final one; nil for a place that is written directly.
    package var names: (hidden: String, path: String)? { temporaryPath.map { ($0, path) } }

    /// Opens the file that will become `path`. `mode` counts, whatever the umask is.
    package init(path: String, mode: UInt32 = 0o600, mayBeSpecial: Bool = true) throws(FileError) {
      var status = stat()
      let isSpecial = unsafe mayBeSpecial && stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
      guard !isSpecial || status.st_mode & S_IFMT != S_IFDIR else {
        throw FileError(.cannotCreate, "\(path) is a folder")
      }
      let name = path.split(separator: "/").last ?? "file"
      let temporary = "\(FileAccess.directory(of: path))/.\(name).\(Self.processIdentifier)"
      var number: CInt
      if isSpecial {
        number = unsafe open(path, O_WRONLY | O_CLOEXEC)
      } else {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        number = unsafe open(temporary, flags, mode)
        if number < 0, errno == EEXIST {
          // A remainder of a killed process of the same number.
          unsafe unlink(temporary)
          number = unsafe open(temporary, flags, mode)
        }
      }
      guard number >= 0 else { throw FileError(errno, "cannot create \(path)", otherwise: .cannotCreate) }
      if isSpecial, Self.isForeignPipe(number) {
        close(number)
        throw FileError(.permission, "\(path) is another user's pipe", remedy: "name another file")
      }
      if !isSpecial { fchmod(number, mode) }
      self.path = path
      temporaryPath = isSpecial ? nil : temporary
      descriptor = number
    }

    /// Whether somebody else made the pipe, and may be reading. A pipe without a name, as between two programs, belongs to the
    /// user whose shell made it, also under `sudo`.
    private static func isForeignPipe(_ descriptor: CInt) -> Bool {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return true }
      guard status.st_mode & S_IFMT == S_IFIFO, status.st_uid != geteuid() else { return false }
      var name = [CChar](repeating: 0, count: 64)
      let count = unsafe readlink("/proc/self/fd/\(descriptor)", &name, name.count)
      return !name.prefix(max(0, count)).starts(with: "pipe:".utf8.map { CChar(bitPattern: $0) })
    }
  }
}
