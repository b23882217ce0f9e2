internal import Documents
internal import Glibc
import Support

/// The file in a recorder's runtime directory that `status` reads: replaced atomically, gone when the recorder stops.
package struct StatusFile: Hashable, Sendable {
  package static let name = "status.json"
  /// The runtime directory of the service.
  package static let serviceDirectory = "/run/sensord"

  package var directory: String
  /// 0700 for a person, 0750 for the service, whose group may read the status.
  package var directoryMode: UInt32
  package var fileMode: UInt32

  package init(directory: String, directoryMode: UInt32 = 0o700, fileMode: UInt32 = 0o600) {
    self.directory = directory
    self.directoryMode = directoryMode
    self.fileMode = fileMode
  }

  package var path: String { "\(directory)/\(Self.name)" }

  /// The file that a recorder writes: in the directory that systemd made (`RUNTIME_DIRECTORY`), else `$XDG_RUNTIME_DIR/sensord`,
  /// else beside the store, since `/tmp` belongs to everybody.
  package static func forRecorder(environment: ProcessEnvironment, store: StoreLocation) -> StatusFile {
    if let directory = environment["RUNTIME_DIRECTORY"] {
      return StatusFile(directory: directory, directoryMode: store.directoryMode, fileMode: store.fileMode)
    }
    return StatusFile(directory: environment.runtimeHome.map { "\($0)/sensord" } ?? store.directory)
  }

  /// The files that `status` reads, in this order: in the directory that the environment names, in the service's, in the
  /// person's, and beside the store, the usual one where none is named.
  package static func candidates(environment: ProcessEnvironment, store named: StoreLocation? = nil) -> [StatusFile] {
    let store = named ?? (try? StoreLocation.forRecorder(option: nil, environment: environment))
    let directories = [
      environment["RUNTIME_DIRECTORY"], serviceDirectory, environment.runtimeHome.map { "\($0)/sensord" },
      store?.directory,
    ]
    return directories.compactMap { $0 }.map { StatusFile(directory: $0) }
  }

  /// Makes the directory where it is missing.
  package func prepare() throws(FileError) {
    try FileAccess.makeDirectory(directory, mode: directoryMode)
  }

  /// Replaces the file. Not synced: a status does not outlive the machine's run.
  package func write(_ document: StatusDocument) throws(FileError) {
    let file = try ReplacedFile(path: path, mode: fileMode, mayBeSpecial: false)
    try file.write(document.json.bytes + Array("\n".utf8))
    try file.finish(durably: false)
  }

  /// Removes the file.
  package func remove() {
    unsafe unlink(path)
  }

  /// Reads the file; nil without a file.
  ///
  /// - Throws: ``FileError`` with `permission` where the file may not be read, with `unsuitable` for a file of another version.
  package func read() throws(FileError) -> StatusDocument? {
    switch FileLookup.system.presence(path) {
    case .absent: return nil
    case .present: break
    case .forbidden: throw .notInGroup
    }
    let bytes: [UInt8]
    do {
      bytes = try FileAccess.readRegular(path, limit: 1 << 20)
    } catch {
      // The recorder may just have stopped.
      guard error.code == .missing else { throw error }
      return nil
    }
    guard let document = StatusDocument(reading: bytes) else {
      throw FileError(.unsuitable, "\(path) is no status of this version", remedy: "is another version recording?")
    }
    return document
  }

  /// Whether the process that wrote a document still runs. A crashed recorder leaves its file behind.
  package static func isRunning(_ document: StatusDocument) -> Bool {
    let isThere = kill(document.processIdentifier, 0) == 0 || errno == EPERM
    guard isThere, let name = try? FileAccess.read("/proc/\(document.processIdentifier)/comm", limit: 64) else {
      return isThere
    }
    return name.starts(with: Array("sensord".utf8))
  }
}
