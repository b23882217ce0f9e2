package import ArgumentParser
package import Recordings
package import SeriesStore

/// `--store FILE`, and the ways in which commands open the store.
package struct StoreOptions: ParsableArguments {
  @Option(name: .customLong("store"), help: ArgumentHelp("Use this store instead of the usual one.", valueName: "file"))
  package var path: String?

  package init() {}

  package func validate() throws {
    guard path != "" else { throw ValidationError("--store names no file") }
  }

  /// The place of this command's store. Fails where the user may not look there.
  package func location() throws -> StoreLocation {
    let location = try StoreLocation.forCommands(option: path, environment: .current)
    if let refusal = location.refusal() { throw refusal }
    return location
  }

  /// The sessions of this store, and of its journal. A store that was named must exist. `atRest` opens the store without its
  /// thread.
  package func catalogue(atRest: Bool = false) throws -> SessionCatalogue {
    try SessionCatalogue(location(), isNamed: path != nil, version: ProgramVersion.current, atRest: atRest)
  }

  /// Opens the store to read. Nil where the usual store was not made yet: nothing has been recorded, which is no error;
  /// a store that was named must exist.
  package func openToRead() throws -> HealthStore? {
    path == nil ? try openIfThere() : try HealthStore.open(location().path, for: .reading, limit: .inAll)
  }

  /// Opens the store to read. Nil where the store was not made yet, named or not.
  package func openIfThere(atRest: Bool = false) throws -> HealthStore? {
    let location = try location()
    guard FileAccess.exists(location.path) else { return nil }
    return atRest
      ? try HealthStore.openAtRest(location.path, for: .reading, limit: .inAll)
      : try HealthStore.open(location.path, for: .reading, limit: .inAll)
  }

  /// Opens the store to change something in it; `making` it, and its folder, where it is missing.
  package func openToWrite(making: Bool, atRest: Bool = false) throws -> HealthStore {
    let location = try StoreLocation.forCommands(option: path, environment: .current)
    if let refusal = location.writeRefusal() { throw refusal }
    if making {
      try FileAccess.makeDirectory(location.directory, mode: location.directoryMode)
    } else if !FileAccess.exists(location.path) {
      throw CommandFailure(
        .noInput, "there is no store at \(location.path)", remedy: "name another one with --store FILE")
    }
    return atRest
      ? try HealthStore.openAtRest(location.path, for: .writing, mode: location.fileMode)
      : try HealthStore.open(location.path, for: .writing, mode: location.fileMode)
  }
}

/// The version of the programs, which are released together.
package enum ProgramVersion {
  package static let current = "0.1.0"
}
