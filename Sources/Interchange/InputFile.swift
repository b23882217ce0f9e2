internal import Glibc
internal import HealthInterchange
internal import Recordings
internal import StoreCommands

/// The failure to read a file that should come in: other files may still be read.
struct UnreadableInput: Error {
  let reason: FileError

  init(_ number: CInt, _ path: String) {
    reason = FileError(number, "cannot read \(path)", otherwise: .inputOutput)
  }

  /// A pipe with a name, at whose other end is nobody.
  init(silent path: String) {
    reason = FileError(
      .missing, "cannot read \(path): nobody writes into this pipe",
      remedy: "start what writes first, or pipe it into 'sensord import -'")
  }
}

/// A file that is read in pieces, or a pipe.
struct InputFile: ~Copyable {
  private let descriptor: CInt
  private let path: String

  /// A byte that was read when it was looked whether somebody writes.
  private var early: UInt8?

  /// The number of bytes; nil for an input that is no file, a pipe for example.
  let size: Int64?
  /// The number of bytes read so far.
  private(set) var place: Int64 = 0

  /// Opens the file, or goes on with a descriptor of ``open(_:)``.
  init(path: String, opened: CInt? = nil) throws(UnreadableInput) {
    let number = opened ?? (path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : Self.open(path))
    guard number >= 0 else { throw UnreadableInput(errno, path) }
    var status = stat()
    let form = unsafe fstat(number, &status) == 0 ? status.st_mode & S_IFMT : 0
    var beginning: [UInt8]? = []
    if path != "-" {
      if form == S_IFIFO { beginning = Self.beginning(number) }
      _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
    }
    guard let beginning else {
      close(number)
      throw UnreadableInput(silent: path)
    }
    (self.path, descriptor, early) = (path, number, beginning.first)
    size = form == S_IFREG ? Int64(status.st_size) : nil
  }

  /// Opens a file without waiting for whoever should write into a pipe of that name.
  static func open(_ path: String) -> CInt {
    unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
  }

  /// The time that a shell has to start the program that writes into a pipe.
  private static let patienceMilliseconds: CInt = 2000

  /// The first byte of a pipe, empty where the byte is still to come; nil where nobody has the other end.
  private static func beginning(_ descriptor: CInt) -> [UInt8]? {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&waited, 1, patienceMilliseconds)
    var byte: UInt8 = 0
    let count = unsafe Glibc.read(descriptor, &byte, 1)
    if count == 0, waited.revents == 0 { return nil }
    return count == 1 ? [byte] : []
  }

  deinit { close(descriptor) }

  /// The next piece; empty at the end. The first has at least 4,096 bytes where the file does.
  mutating func read() throws(UnreadableInput) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var filled = 0
    if let early {
      bytes[0] = early
      filled = 1
    }
    early = nil
    while filled < 4096 {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      // The bytes before the failure count; the next piece fails again.
      guard count >= 0 || filled > 0 else { throw UnreadableInput(errno, path) }
      if count <= 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    place += Int64(filled)
    return bytes
  }

  /// A reader of any place, for a ZIP file; it may be used as long as this file is open.
  func source() -> ZipArchive.Source {
    { [descriptor] (place, count) throws(FileDamage) in
      guard place >= 0, count >= 0 else { throw FileDamage("byte \(place)", "no file has such a place") }
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe pread(
            descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(place) + off_t(filled))
        }
        if read < 0, errno == EINTR { continue }
        guard read >= 0 else { throw FileDamage("byte \(place)", "the file cannot be read") }
        if read == 0 { break }
        filled += read
      }
      bytes.removeLast(count - filled)
      return bytes
    }
  }
}

/// The bytes of a file, unpacked where gzip packed it.
struct Unpacking {
  private var gzip: GzipReader?

  /// Whether it is packed.
  var isPacked: Bool { gzip != nil }

  /// The first piece: at least 4,096 bytes where there are so many, and less before damage. `source` has the bytes of the file, empty at
  /// the end.
  mutating func first(_ source: () throws -> [UInt8]) throws -> [UInt8] {
    let piece = try source()
    guard GzipReader.recognizes(piece) else { return piece }
    gzip = GzipReader()
    gzip?.feed(piece)
    var first: [UInt8] = []
    while first.count < 4096 {
      do {
        let more = try next(source)
        if more.isEmpty { break }
        first += more
      } catch let error as FileDamage {
        // The next call reports the damage again.
        guard !first.isEmpty else { throw error }
        break
      }
    }
    return first
  }

  /// The next piece; empty at the end.
  mutating func next(_ source: () throws -> [UInt8]) throws -> [UInt8] {
    guard gzip != nil else { return try source() }
    while true {
      if let piece = try gzip?.take(), !piece.isEmpty { return piece }
      let more = try source()
      guard !more.isEmpty else {
        try gzip?.finish()
        return []
      }
      gzip?.feed(more)
    }
  }

  /// Marks a place in unpacked bytes, to distinguish it from a place in the packed file.
  func placed(_ damage: FileDamage?) -> FileDamage? {
    guard isPacked, var damage, !damage.place.hasSuffix(GzipReader.placeEnding) else { return damage }
    damage.place += " of what is in it"
    return damage
  }
}

extension ForeignFormat {
  /// The files that may go on where `file` ends, by its name alone.
  static func possibleCompanions(of file: String) -> [String] {
    file.hasSuffix(".hea") ? Self.wfdb.companions.map { "\(file.dropLast(3))\($0)" } : []
  }

  /// The files of which one goes on where `file` ends: they are beside it, and have its name up to the ending. Nil alone for formats of
  /// one file.
  func companions(of file: String) throws(CommandFailure) -> [String?] {
    guard !companions.isEmpty else { return [nil] }
    guard file.hasSuffix(".hea") else {
      throw CommandFailure(
        .badData, "annotations of WFDB are looked for beside a header whose name ends in .hea")
    }
    let paths = companions.map { "\(file.dropLast(3))\($0)" }
    let found = paths.filter { FileAccess.exists($0) }
    guard !found.isEmpty else {
      throw CommandFailure(
        .noInput, "there are no annotations beside it (\(companions.map { ".\($0)" }.joined(separator: ", ")))"
      )
    }
    return found
  }
}
