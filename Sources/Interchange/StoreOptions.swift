internal import ArgumentParser
internal import Recordings

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
}
