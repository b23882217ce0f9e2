import Captures
import Glibc
package import SeriesStore

/// The place of the store, and the modes of its files (Documentation/command-line.md).
package struct StoreLocation: Hashable, Sendable {
  package var path: String
  /// The mode of files: 0600 in 0700 for a person, 0640 in 0750 for the service.
  package var fileMode: UInt32
  package var directoryMode: UInt32

  package init(path: String, fileMode: UInt32 = 0o600, directoryMode: UInt32 = 0o700) {
    self.path = path
    self.fileMode = fileMode
    self.directoryMode = directoryMode
  }

  /// The store of the service.
  package static let servicePath = "/var/lib/sensord/sensord.sqlite"

  /// For the commands that read or change what was recorded: `--store`, else the service's store where the service is
  /// installed, else the person's own.
  ///
  /// A person who may not look into the service's folder is given their own store where they have one; without one, the
  /// service's, so that the refusal has the reason. Root, who allows a sensor before the service has run for the first time,
  /// means the service too.
  package static func forCommands(
    option: String?, environment: ProcessEnvironment, files: FileLookup = .system, isRoot: Bool = geteuid() == 0
  ) throws(FileError) -> StoreLocation {
    if let option { return named(option) }
    let service = service(servicePath)
    switch files.presence(servicePath) {
    case .present: return service
    case .absent:
      guard isRoot, ServiceUnit.isInstalled(files), ServiceUnit.isSystemdRunning(files) else {
        return try personal(environment)
      }
      guard let own = try? personal(environment), files.presence(own.path) == .present else { return service }
      return own
    case .forbidden:
      guard let own = try? personal(environment), files.presence(own.path) == .present else { return service }
      return own
    }
  }

  /// For `run`: `--store`, else the folder that systemd made for the service (`STATE_DIRECTORY`), else the person's own.
  ///
  /// A person who starts a recorder beside an installed service records into a store of their own; the service's is
  /// locked, and may not be theirs to write.
  package static func forRecorder(option: String?, environment: ProcessEnvironment) throws(FileError) -> StoreLocation {
    if let option { return named(option) }
    if let directory = environment["STATE_DIRECTORY"] { return service("\(directory)/sensord.sqlite") }
    return try personal(environment)
  }

  /// For `demo`: `--store`, else a file beside the person's own store, since a made-up heart has no place in that.
  package static func forDemo(option: String?, environment: ProcessEnvironment) throws(FileError) -> StoreLocation {
    if let option { return named(option) }
    return StoreLocation(path: try "\(personal(environment).directory)/demo.sqlite")
  }

  /// The reason why nobody knows whether this store exists: a folder on the way may not be entered. Nil without such a folder.
  package func refusal(_ files: FileLookup = .system) -> FileError? {
    guard files.presence(path) == .forbidden else { return nil }
    guard path == Self.servicePath else {
      return FileError(
        .permission, "\(path) is in a folder that you may not enter", remedy: "check owner and mode of it")
    }
    return .notInGroup
  }

  /// The reason why this store cannot be changed: the user may not change the service's store; else as ``refusal(_:)``.
  package func writeRefusal(
    _ files: FileLookup = .system, mayWrite: (String) -> Bool = FileAccess.mayWrite
  ) -> FileError? {
    guard path == Self.servicePath, files.presence(path) != .absent else { return refusal(files) }
    guard !mayWrite(path) else { return nil }
    return FileError(.permission, "you may not change what the service records", remedy: "use sudo")
  }

  /// The folder that the store is in.
  package var directory: String { FileAccess.directory(of: path) }

  /// The folder of the recorder's journal: beside the store itself (not beside a link to it, or a deletion would miss it),
  /// and named after it, since several stores may share a folder.
  package var journal: String { "\(stem).journal" }

  /// The folder of the captures that are kept.
  package var captures: String { "\(stem).captures" }

  /// The folder of the files of attachments.
  package var attachments: String { "\(stem).attachments" }

  /// The place of the recorder's settings after a restore that cannot use the usual place.
  package var configurationBeside: String { "\(stem).conf" }

  private var stem: String { path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path }

  private static func named(_ path: String) -> StoreLocation { StoreLocation(path: FileAccess.behindLink(path)) }

  private static func service(_ path: String) -> StoreLocation {
    StoreLocation(path: path, fileMode: 0o640, directoryMode: 0o750)
  }

  private static func personal(_ environment: ProcessEnvironment) throws(FileError) -> StoreLocation {
    guard let home = environment.stateHome else {
      throw FileError(
        .unplaced, "neither XDG_STATE_HOME nor HOME says where the store is", remedy: "name it with --store FILE")
    }
    return named("\(home)/sensord/sensord.sqlite")
  }
}

extension StoreLocation {
  /// Files of the journal that were set aside and not examined, each with the command that reads it.
  ///
  /// - Throws: `JournalError`.
  package func setAside() throws -> [StoreDamage] {
    try SetAsideFile.all(in: journal).map { file in
      let name = file.name == "*" ? "*" : "'\(file.name)'"
      let isServices = path == Self.servicePath
      let command =
        isServices
        ? "sudo sensord replay '\(file.directory)'/\(name)"
        : "sensord replay '\(file.directory)'/\(name) --store '\(path)'"
      return StoreDamage(
        object: "journal",
        problem: "\(file.directory)/\(file.name) was set aside, since \(file.reason); to read it: \(command)")
    }
  }
}
