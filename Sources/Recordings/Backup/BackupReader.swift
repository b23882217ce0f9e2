internal import Bits
internal import Glibc

/// Reads a backup from its beginning to its end, and rejects it where any bit differs from the written one.
///
/// The bytes of its parts are not known to be sound before ``next()`` has returned nil.
struct BackupReader: ~Copyable {
  private let path: String
  private let descriptor: Int32
  /// The digests of the files so far, by name, in their order.
  private var digests: [(name: String, digest: String)] = []
  private var names: Set<String> = []
  private var place = -1
  private var offset = 0
  /// The file that is being read, and the number of its unread bytes.
  private var current: TarHeader?
  private var missing = 0
  private var hash = SHA256()

  /// Opens the backup and reads its first file.
  ///
  /// - Throws: ``FileError`` with `unsuitable` for a file that is no backup, or a backup of a later form.
  init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .missing) }
    guard FileAccess.isRegular(path) else { throw FileError(.unsuitable, "\(path) is no file") }
    let isOne = TarHeader(try read(TarHeader.blockLength))?.name == BackupForm.description
    guard isOne, lseek(descriptor, 0, SEEK_SET) == 0 else { throw noBackup }
    offset = 0
    guard try next() != nil, let version = try BackupForm.version(in: bytes()) else { throw noBackup }
    guard version <= BackupForm.version else {
      throw FileError(
        .unsuitable,
        "\(path) is of a newer sensord (form \(version), and this one reads \(BackupForm.version) at most)",
        remedy: "use that version")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private var noBackup: FileError { FileError(.unsuitable, "\(path) is no backup that sensord made") }

  /// Goes to the next file; nil behind the last one.
  mutating func next() throws(FileError) -> (name: String, size: Int)? {
    guard let header = TarHeader(try read(TarHeader.blockLength)) else { throw damaged("behind byte \(offset)") }
    guard let found = BackupForm.place(of: header.name), found > place || found == place && (2...3).contains(found),
      names.insert(header.name).inserted, header.size <= BackupForm.longest[header.name] ?? .max
    else { throw damaged("\(header.name) does not belong there") }
    (current, missing, hash, place) = (header, header.size, SHA256(), found)
    guard header.name == BackupForm.sums else { return (header.name, header.size) }
    try verifyEnd()
    return nil
  }

  /// Compares the checksums, and verifies that only the end follows them.
  private mutating func verifyEnd() throws(FileError) {
    let known = digests
    let lines = try bytes().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, file) in known.enumerated() {
      guard index < lines.count, lines[index].elementsEqual(BackupForm.sum(file.digest, of: file.name).utf8.dropLast())
      else { throw damaged(file.name) }
    }
    guard lines.count == known.count + 1, lines.last?.isEmpty ?? false else { throw damaged(BackupForm.sums) }
    guard names.contains(BackupForm.store) else { throw damaged("it has no store") }
    guard try read(BackupForm.end.count) == BackupForm.end, try readSome(1).isEmpty else {
      throw damaged("behind its end")
    }
  }

  /// A part of the current file; nil at its end.
  mutating func part() throws(FileError) -> [UInt8]? {
    guard let header = current else { return nil }
    guard missing > 0 else {
      guard try read(TarHeader.padding(header.size)).allSatisfy({ $0 == 0 }) else { throw damaged(header.name) }
      digests.append((header.name, Hexadecimal.text(hash.digest())))
      current = nil
      return nil
    }
    let bytes = try read(min(missing, 1 << 18))
    hash.add(bytes[...])
    missing -= bytes.count
    return bytes
  }

  /// The rest of the current file.
  mutating func bytes() throws(FileError) -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = try part() { all += bytes }
    return all
  }

  private mutating func read(_ count: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try readSome(count - bytes.count)
      guard !more.isEmpty else {
        let place = current.map { ", in \($0.name)" } ?? ""
        throw FileError(
          .unsuitable, "\(path) ends early, after \(offset) bytes\(place)",
          remedy: "nothing was restored; copy it again, or take another backup")
      }
      bytes += more
    }
    return bytes
  }

  /// Reads at most `count` bytes; empty at the end of the file.
  private mutating func readSome(_ count: Int) throws(FileError) -> [UInt8] {
    let wanted = min(count, 1 << 18)
    while true {
      var failure: Int32 = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        let got = unsafe Glibc.read(descriptor, buffer.baseAddress, wanted)
        (filled, failure) = (max(0, got), got < 0 ? errno : 0)
      }
      if failure == EINTR { continue }
      guard failure == 0 else { throw FileError(failure, "cannot read \(path)", otherwise: .inputOutput) }
      offset += bytes.count
      return bytes
    }
  }

  private func damaged(_ place: String) -> FileError {
    FileError(
      .unsuitable, "\(path) is damaged: \(place)", remedy: "nothing was restored; copy it again, or take another backup"
    )
  }
}
