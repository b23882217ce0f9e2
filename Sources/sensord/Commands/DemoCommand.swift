internal import Documents
internal import Recordings
internal import ArgumentParser
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// `sensord demo`: the whole road without a sensor.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Record a simulated strap, without Bluetooth.",
    discussion: """
      Starts a private message bus, the simulator and 'sensord run', starts again
      what dies (kill one and look), and shows the session that was stored. It goes
      into a store of its own, unless --store names another.
      """)

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("How long to record.", valueName: "seconds"))
  var duration = 20

  mutating func validate() throws {
    guard (1...86_400).contains(duration) else { throw ValidationError("the duration is 1 to 86400 seconds") }
  }

  mutating func run() throws {
    try ZoneChoice.requireLocal()
    let environment = ProcessEnvironment.current
    let location = try StoreLocation.forDemo(option: store.path, environment: environment)
    let folder = try DemoFolder(environment: environment)
    let programs = try DemoPrograms(folder: folder, store: location, environment: environment)
    let before = try Self.prepare(location)
    try DemoRun(programs, folder: folder, duration: .seconds(duration)).run()
    let catalogue = try SessionCatalogue(location, isNamed: true, version: SensordCommand.version)
    let stored = try CommandLoop.run { try await catalogue.stored() }.filter { !before.contains($0.id) }
    guard !stored.isEmpty else {
      throw CommandFailure(
        .unavailable, "no session was stored in \(duration) s",
        remedy: "the lines above say why, or --duration gives it longer")
    }
    try StandardOutput.write(SessionSummary.table(stored, columns: StandardOutput.columns))
    let path = PrintableText.line(location.path)
    try StandardOutput.write("\nStored in \(path); look closer with\n  sensord show last --store \(path)\n")
  }

  /// Makes the store, allows the simulated strap in it, and returns the sessions that are there already.
  private static func prepare(_ location: StoreLocation) throws -> Set<UUID> {
    try FileAccess.makeDirectory(location.directory, mode: location.directoryMode)
    let store = try HealthStore.open(location.path, for: .writing, mode: location.fileMode)
    let strap = AllowedSensor(
      address: DemoPrograms.sensorAddress, name: DemoPrograms.sensorName,
      added: Timestamp(microseconds: LocalTime.now()))
    return try CommandLoop.run {
      if try await !store.allowedSensors().contains(where: { $0.address == strap.address }) {
        try await store.allow(strap)
      }
      let sessions = try await store.sessions().map(\.id)
      await store.close()
      return Set(sessions)
    }
  }
}
