internal import Glibc
internal import SeriesStore

/// Restores a backup at an empty place: first all files under hidden names, then, when the whole backup is known to be sound,
/// under their own names, the store last. A failure changes nothing else.
package struct BackupRestoration {
  /// The contents that were restored.
  package struct Report: Hashable, Sendable {
    /// The number of the store's last change.
    package var change: Int64 = 0
    package var attachments = 0
    package var journalFiles = 0
    /// The place of the recorder's settings now; nil where the backup has none.
    package var configuration: String?
    /// Whether the same settings were there already.
    package var hadConfiguration = false
  }

  private let location: StoreLocation
  private let configuration: String?
  private let progress: (String) throws -> Void

  /// Prepares a restoration.
  ///
  /// - Parameters:
  ///   - location: The place of the new store.
  ///   - configuration: The place of the settings, if it is empty; nil for a file beside the store.
  ///   - progress: Called again and again with the present action; ends the restoration by throwing.
  package init(to location: StoreLocation, configuration: String?, progress: @escaping (String) throws -> Void) {
    (self.location, self.configuration, self.progress) = (location, configuration, progress)
  }

  /// Restores the backup at `path`.
  ///
  /// - Throws: `FileError`, `StoreError`, and what `progress` throws.
  package func restore(_ path: String) throws -> Report {
    var reader = try BackupReader(path)
    try verifyPlace()
    try FileAccess.makeDirectory(location.directory, mode: location.directoryMode)
    try verifyOwner()
    let store = try RestoredStore(location.path, mode: location.fileMode)
    let journal = RestoredFolder(location.journal, of: location)
    let attachments = RestoredFolder(location.attachments, of: location)
    var settings: [UInt8]?
    var report = Report()
    while let (name, size) = try reader.next() {
      switch name {
      case BackupForm.configuration: settings = try reader.bytes()
      case BackupForm.store: try write(name, size, to: store.draft, from: &reader)
      case _ where name.hasPrefix(BackupForm.journal):
        let file = try journal.make(String(name.dropFirst(BackupForm.journal.count)))
        try write(name, size, to: file, from: &reader)
        report.journalFiles += 1
      default:
        let file = try attachments.make(String(name.dropFirst(BackupForm.attachments.count)))
        try write(name, size, to: file, from: &reader)
        report.attachments += 1
      }
    }
    try progress("making the store ready")
    report.change = try store.mark()
    try verifyPlace()
    do {
      try store.finish {
        try attachments.publish()
        try journal.publish()
        if let settings { (report.configuration, report.hadConfiguration) = try restore(settings) }
        RestoredFolder.sync(location.directory)
      }
    } catch {
      attachments.withdraw()
      journal.withdraw()
      if let path = report.configuration, !report.hadConfiguration { unsafe unlink(path) }
      throw error
    }
    RestoredFolder.sync(location.directory)
    return report
  }

  /// Writes the current file of a backup over an empty one that was made for it, and waits for the disk.
  private func write(_ name: String, _ size: Int, to path: String, from reader: inout BackupReader) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(errno, "cannot write \(path)", otherwise: .cannotCreate) }
    defer { close(descriptor) }
    var done = 0
    while let bytes = try reader.part() {
      if let code = FileAccess.write(bytes, to: descriptor) {
        throw FileError(code, "cannot write \(path)", otherwise: .inputOutput)
      }
      done += bytes.count
      try progress("\(name): \(done >> 20) of \(size >> 20) MiB")
    }
    guard fsync(descriptor) == 0 else { throw FileError(errno, "cannot write \(path)", otherwise: .inputOutput) }
  }

  /// Throws where something is at the place. An old log would count as one of the restored store.
  private func verifyPlace() throws(FileError) {
    let files = ["", "-wal", "-shm", "-journal"].map { location.path + $0 } + [location.configurationBeside]
    let taken =
      files.first(where: RestoredFolder.isThere)
      ?? [location.journal, location.attachments].first { !RestoredFolder.isFree($0) }
    guard let taken else { return }
    throw FileError(
      .cannotCreate, "there is something at \(taken) already, and a restore replaces nothing",
      remedy: "move it away, or name another place with --store FILE")
  }

  /// Throws where the recorder, which owns the folder, could not write the files that another user restores.
  private func verifyOwner() throws(FileError) {
    var status = stat()
    guard geteuid() != 0, unsafe stat(location.directory, &status) == 0, status.st_uid != geteuid() else { return }
    throw FileError(
      .permission, "\(location.directory) belongs to another user, who could not use what you restore there",
      remedy: "restore as that user, or with sudo")
  }

  /// Puts the settings at the usual place, or beside the store where that place has other settings.
  private func restore(_ settings: [UInt8]) throws(FileError) -> (path: String, wasThere: Bool) {
    var path = location.configurationBeside
    if let configuration {
      if let present = try? FileAccess.read(configuration, limit: 1 << 20) {
        if present == settings { return (configuration, true) }
      } else if !RestoredFolder.isThere(configuration) {
        try FileAccess.makeDirectory(FileAccess.directory(of: configuration), mode: 0o755)
        path = configuration
      }
    }
    let file = try ReplacedFile(path: path, mode: path == configuration && geteuid() == 0 ? 0o644 : 0o600)
    try file.write(settings)
    try file.finish()
    return (path, false)
  }
}

/// A folder that is being restored: filled under a hidden name; an unpublished folder is removed with the last reference.
private final class RestoredFolder {
  private let path: String
  private let location: StoreLocation
  private let hidden: String
  private var names: [String] = []
  private var isPublished = false

  init(_ path: String, of location: StoreLocation) {
    (self.path, self.location) = (path, location)
    hidden = "\(FileAccess.directory(of: path))/.\(path.split(separator: "/").last ?? "folder").\(getpid())"
  }

  deinit {
    guard !isPublished else { return }
    for name in names { unsafe unlink("\(hidden)/\(name)") }
    unsafe rmdir(hidden)
  }

  /// Makes an empty file with the owner and the mode of the store's files, and returns its path.
  func make(_ name: String) throws(FileError) -> String {
    if names.isEmpty {
      guard unsafe mkdir(hidden, 0o700) == 0 || errno == EEXIST else {
        throw FileError(errno, "cannot make the folder \(path)", otherwise: .cannotCreate)
      }
    }
    let file = "\(hidden)/\(name)"
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, location.fileMode)
    guard descriptor >= 0 else { throw FileError(errno, "cannot create \(file)", otherwise: .cannotCreate) }
    defer { close(descriptor) }
    names.append(name)
    adopt(descriptor, mode: location.fileMode)
    return file
  }

  /// Gives the folder its own name, in place of an empty folder.
  func publish() throws(FileError) {
    guard !names.isEmpty else { return }
    let descriptor = unsafe open(hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0 {
      adopt(descriptor, mode: location.directoryMode)
      fsync(descriptor)
      close(descriptor)
    }
    guard unsafe rename(hidden, path) == 0 else {
      throw FileError(errno, "cannot create \(path)", otherwise: .cannotCreate)
    }
    isPublished = true
  }

  /// Hides the folder again, where the store could not follow.
  func withdraw() {
    if isPublished, unsafe rename(path, hidden) == 0 { isPublished = false }
  }

  /// Gives the file to the owner of the folder: the recorder, for which root restores.
  private func adopt(_ descriptor: Int32, mode: UInt32) {
    var status = stat()
    if geteuid() == 0, unsafe stat(location.directory, &status) == 0 {
      fchown(descriptor, status.st_uid, status.st_gid)
    }
    fchmod(descriptor, mode)
  }

  /// Whether anything is at a path, be it a link that leads nowhere.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Whether nothing is at a path, or an empty folder.
  static func isFree(_ path: String) -> Bool {
    guard isThere(path) else { return true }
    guard let folder = unsafe opendir(path) else { return false }
    defer { unsafe closedir(folder) }
    // The entries of the folder itself and of the one above.
    var count = 0
    while count < 3, unsafe readdir(folder) != nil { count += 1 }
    return count < 3
  }

  static func sync(_ path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
