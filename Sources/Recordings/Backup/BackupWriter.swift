internal import Bits
internal import Glibc

/// Writes a backup, file after file; it appears at its place when it is whole.
struct BackupWriter: ~Copyable {
  private let output: ReplacedFile
  private let time: Int
  private var sums: [UInt8] = []
  private var hash = SHA256()
  /// The file that is being written, and what it still lacks.
  private var current = TarHeader(name: "", size: 0, time: 0)
  private var missing = 0
  /// The bytes that were written.
  private(set) var length = 0

  /// Begins a backup that will be at `path`, for its owner alone. `time` is in seconds since 1970 (UTC).
  init(path: String, time: Int) throws(FileError) {
    output = try ReplacedFile(path: path)
    self.time = time
  }

  /// Adds a file whose bytes are at hand.
  mutating func add(_ name: String, _ bytes: [UInt8]) throws(FileError) {
    try begin(name, size: bytes.count)
    try write(bytes)
    try end()
  }

  /// Adds a file of this size, all that a descriptor has from its beginning.
  ///
  /// - Throws: ``FileError`` where it has fewer; and what `check`, which is called between parts, throws.
  mutating func add(_ name: String, from descriptor: Int32, size: Int, check: () throws -> Void) throws {
    try begin(name, size: size)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while missing > 0 {
      let wanted = min(buffer.count, missing)
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, wanted, off_t(current.size - missing))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError(count < 0 ? errno : EIO, "cannot read \(name)", otherwise: .inputOutput) }
      try write(Array(buffer[..<count]))
      try check()
    }
    try end()
  }

  private mutating func begin(_ name: String, size: Int) throws(FileError) {
    current = TarHeader(name: name, size: size, time: time)
    (hash, missing) = (SHA256(), size)
    try output.write(current.bytes)
    length += TarHeader.blockLength
  }

  private mutating func write(_ bytes: [UInt8]) throws(FileError) {
    try output.write(bytes)
    hash.add(bytes[...])
    missing -= bytes.count
    length += bytes.count
  }

  private mutating func end() throws(FileError) {
    let padding = TarHeader.padding(current.size)
    if padding > 0 { try output.write([UInt8](repeating: 0, count: padding)) }
    length += padding
    sums += BackupForm.sum(Hexadecimal.text(hash.digest()), of: current.name).utf8
  }

  /// Adds the checksums, and puts the backup in its place when it is on the disk.
  consuming func finish() throws(FileError) -> Int {
    try add(BackupForm.sums, sums)
    try output.write(BackupForm.end)
    let length = length + BackupForm.end.count
    try output.finish()
    return length
  }
}
