import Bits
import Captures
import Glibc
import HealthModel
import SeriesStore

/// Makes a backup: one state of the store with the files of its attachments, the journal, and the configuration.
///
/// The journal is read before the state of the store is taken: a session that is stored meanwhile is in both, and is never
/// missing.
package struct Backup {
  /// The contents of a backup.
  package struct Report: Hashable, Sendable {
    /// The number of the store's last change.
    package var change: Int64 = 0
    package var attachments = 0
    package var journalFiles = 0
    package var hasConfiguration = false
    /// The size of the backup in bytes.
    package var length = 0
    /// Parts that could not be read, a line for each.
    package var leftOut: [String] = []
  }

  private let location: StoreLocation
  private let configuration: String?
  private let version: String
  private let time: Int
  private let progress: (String) throws -> Void
  private var report = Report()

  /// Prepares a backup.
  ///
  /// - Parameters:
  ///   - location: The place of the store.
  ///   - configuration: The recorder's file of settings; nil without such a file.
  ///   - version: The version of the program.
  ///   - time: The time of the files in the backup, in seconds since 1970 (UTC).
  ///   - progress: Called again and again with the present action; ends the backup by throwing.
  package init(
    of location: StoreLocation, configuration: String?, version: String, time: Int,
    progress: @escaping (String) throws -> Void
  ) {
    (self.location, self.configuration, self.version) = (location, configuration, version)
    (self.time, self.progress) = (time, progress)
  }

  /// An attachment was deleted while it was to be copied: the state of the store is one from before that.
  private struct Overtaken: Error {}

  /// The greatest number of attempts, since a deletion meanwhile makes the backup begin anew.
  private static let greatestAttempts = 5

  /// Makes the backup at `path`; an old file is replaced when the new one is whole.
  ///
  /// - Throws: `FileError`, `StoreError`, `JournalError`, and what `progress` throws.
  package mutating func make(_ path: String) throws -> Report {
    guard !Self.isSpecial(path) else {
      throw FileError(.cannotCreate, "\(path) is no file", remedy: "name a file, which a backup needs")
    }
    for own in [location.path, configuration].compactMap({ $0 }) where FileAccess.isSame(path, own) {
      throw FileError(.cannotCreate, "\(path) is itself a part of the backup", remedy: "name another file")
    }
    for _ in 0..<Self.greatestAttempts {
      report = Report()
      do {
        try attempt(path)
        return report
      } catch is Overtaken {}
    }
    throw FileError(
      .unavailable, "attachments were deleted again and again while the backup was made", remedy: "try it later")
  }

  private static func isSpecial(_ path: String) -> Bool { FileAccess.exists(path) && !FileAccess.isRegular(path) }

  private mutating func attempt(_ path: String) throws {
    var writer = try BackupWriter(path: path, time: time)
    try writer.add(BackupForm.description, BackupForm.description(version: version))
    if let configuration {
      try writer.add(
        BackupForm.configuration,
        FileAccess.read(configuration, limit: BackupForm.longest[BackupForm.configuration] ?? 0))
      report.hasConfiguration = true
    }
    try addJournal(to: &writer)
    let snapshot = try StoreSnapshot(of: location.path)
    report.change = snapshot.change
    try addAttachments(of: snapshot, to: &writer)
    let name = path.split(separator: "/").last ?? "backup"
    let hidden = "\(FileAccess.directory(of: path))/.\(name).\(getpid()).store"
    // A remainder of a process of the same number that was killed before it could remove the name.
    unsafe unlink(hidden)
    try snapshot.withCopy(at: hidden) { done, total in
      try progress("copying page \(done) of \(total) of the store")
    } _: { descriptor, size in
      try writer.add(BackupForm.store, from: descriptor, size: size) { try progress("writing the store") }
    }
    report.length = try writer.finish()
  }

  private mutating func addJournal(to writer: inout BackupWriter) throws {
    for name in try JournalFiles.names(in: location.journal) {
      try progress("copying the journal")
      do {
        // The file has gone meanwhile: the store has its content, or a later file repeats it.
        guard let bytes = try JournalFiles.bytes(of: name, in: location.journal) else { continue }
        try writer.add(BackupForm.journal + name, bytes)
        report.journalFiles += 1
      } catch let error as JournalError {
        report.leftOut.append("\(error)")
      }
    }
  }

  private mutating func addAttachments(of snapshot: StoreSnapshot, to writer: inout BackupWriter) throws {
    for name in snapshot.attachments {
      try progress("copying attachment \(report.attachments + 1) of \(snapshot.attachments.count)")
      let isThere = try snapshot.readAttachment(name) { descriptor, size in
        try writer.add(BackupForm.attachments + name, from: descriptor, size: size) {
          try progress("copying attachments")
        }
      }
      if isThere {
        report.attachments += 1
      } else if try snapshot.isNamedNow(name) {
        report.leftOut.append("attachment \(name) is missing in the folder beside the store")
      } else {
        throw Overtaken()
      }
    }
  }
}

/// Writes a backup, file after file; the backup appears at its place when it is whole.
struct BackupWriter: ~Copyable {
  private let output: ReplacedFile
  private let time: Int
  private var sums: [UInt8] = []
  private var hash = SHA256()
  /// The file that is being written, and the number of its missing bytes.
  private var current = TarHeader(name: "", size: 0, time: 0)
  private var missing = 0
  /// The number of written bytes.
  private(set) var length = 0

  /// Begins a backup that will be at `path`, for its owner alone. `time` is in seconds since 1970 (UTC).
  init(path: String, time: Int) throws(FileError) {
    output = try ReplacedFile(path: path)
    self.time = time
  }

  /// Adds a file with these bytes.
  mutating func add(_ name: String, _ bytes: [UInt8]) throws(FileError) {
    try begin(name, size: bytes.count)
    try write(bytes)
    try end()
  }

  /// Adds a file of this size, all that a descriptor has from its beginning.
  ///
  /// - Throws: ``FileError`` where the descriptor has fewer bytes; and the errors of `check`, which is called between parts,
  ///   throws.
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
