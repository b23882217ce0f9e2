internal import ArgumentParser
internal import Recordings
internal import SeriesStore

/// `--store FILE`.
struct StoreOptions: ParsableArguments {
  @Option(name: .customLong("store"), help: ArgumentHelp("Use this store instead of the usual one.", valueName: "file"))
  var path: String?

  func validate() throws {
    guard path != "" else { throw ValidationError("--store names no file") }
  }

  /// The sessions of this store, and of its journal.
  func catalogue() throws -> SessionCatalogue {
    let location = try StoreLocation.forCommands(option: path, environment: .current)
    if let refusal = location.refusal() { throw refusal }
    return try SessionCatalogue(location, isNamed: path != nil, version: InterchangeCommand.version)
  }

  /// Opens the store to read. Nil where it was not made yet.
  func openToRead() throws -> HealthStore? {
    let location = try StoreLocation.forCommands(option: path, environment: .current)
    if let refusal = location.refusal() { throw refusal }
    return FileAccess.exists(location.path) ? try HealthStore.open(location.path, for: .reading) : nil
  }

  /// Opens the store to change it; makes it, and its folder, where it is missing.
  func openToWrite() throws -> HealthStore {
    let location = try StoreLocation.forCommands(option: path, environment: .current)
    if let refusal = location.writeRefusal() { throw refusal }
    try FileAccess.makeDirectory(location.directory, mode: location.directoryMode)
    return try HealthStore.open(location.path, for: .writing, mode: location.fileMode)
  }
}
