internal import Captures
internal import Documents
internal import Ingestion
internal import Reports
internal import SeriesStore
import Support

/// The checks of the store, of the sensors that are allowed in it, and of the recorder that may have it open.
enum StoreCheckup {
  /// Looks without changing anything.
  static func findings(_ location: StoreLocation) async -> [Finding] {
    if let refusal = location.refusal() { return unreadable(CommandFailure(refusal)) }
    guard FileAccess.exists(location.path) else {
      return [missing(location), Finding(title: "sensors", result: noSensors)]
    }
    do {
      let store = try HealthStore.open(location.path, for: .reading, limit: .inAll)
      let count = try await store.sessions().count
      let sensors = try await store.allowedSensors()
      await store.close()
      return [writable(location, sessions: count), allowed(sensors)] + (try journal(location))
    } catch {
      let failure = CommandFailure(classifying: error) ?? CommandFailure(.internalError, "cannot be read")
      return unreadable(failure)
    }
  }

  /// The finding about files of the journal that are not stored, since they could not be read, or were set aside for a person;
  /// empty without such a file.
  static func journal(_ location: StoreLocation) throws -> [Finding] {
    let unreadable = try JournalReader.read(directory: location.journal).foreignFiles.first?.line(in: location.journal)
    guard let line = try unreadable ?? location.setAside().first?.problem else { return [] }
    return [
      Finding(
        title: "journal",
        result: .failed(line, remedy: "'sensord check' names every such file", status: .badData))
    ]
  }

  private static func unreadable(_ failure: CommandFailure) -> [Finding] {
    let remedy = failure.remedy ?? "name another one with --store FILE, or move this one away"
    return [
      Finding(title: "store", result: .failed(failure.message, remedy: remedy, status: failure.status)),
      Finding(title: "sensors", result: .skipped("not looked at, the store comes first")),
    ]
  }

  /// Whether a recorder runs, and can store its recordings. A recorder that does not run is no failure.
  static func recorder(_ document: StatusDocument?) -> Finding {
    guard let document else { return Finding(title: "recorder", result: .skipped("none is running")) }
    switch document.status.state {
    case .searching, .recording:
      // In other states the checks before this one report the problem.
      guard let problem = document.status.problem else { break }
      let held = StatusReport.valuesInMemory(document.status)
      return Finding(
        title: "recorder",
        result: .failed(
          "running (process \(document.processIdentifier)), but \(problem)" + (held.map { "; \($0)" } ?? ""),
          remedy: held == nil
            ? "once this is mended it goes on by itself, or with: sudo systemctl restart sensord"
            : "once this is mended it goes on by itself, and writes them; do not restart it before",
          status: .inputOutput))
    default: break
    }
    let text = "running (process \(document.processIdentifier)): \(StatusReport.headline(document.status))"
    return Finding(title: "recorder", result: .passed(text))
  }

  /// The listed sensors that are away while a sensor with the same name is near; empty without such a sensor.
  static func namesakes(_ document: StatusDocument?) -> [Finding] {
    (document?.status.sensors ?? []).compactMap { sensor in
      guard let namesake = sensor.namesake else { return nil }
      let title = sensor.name.map { "\(PrintableText.line($0, columns: 40)) (\(sensor.address))" }
      return Finding(
        title: "sensor",
        result: .failed(
          "\(title ?? "\(sensor.address)") is away, and a sensor with its name is near, as \(namesake)",
          remedy: "if it is the same one: sensord devices replace \(sensor.address) \(namesake)", status: .unavailable))
    }
  }

  private static func missing(_ location: StoreLocation) -> Finding {
    var folder = location.directory
    while !FileAccess.exists(folder), folder != "/", folder != "." { folder = FileAccess.directory(of: folder) }
    guard FileAccess.mayWrite(folder) else {
      return Finding(title: "store", result: unwritable(location, folder))
    }
    return Finding(title: "store", result: .passed("will be made at \(location.path)"))
  }

  private static func writable(_ location: StoreLocation, sessions: Int) -> Finding {
    for path in [location.path, location.directory] where !FileAccess.mayWrite(path) {
      return Finding(title: "store", result: unwritable(location, path))
    }
    if let free = FileAccess.freeBytes(at: location.directory), let full = full(location, free: free) {
      return Finding(title: "store", result: full)
    }
    let count = sessions == 1 ? "1 session" : "\(sessions) sessions"
    return Finding(title: "store", result: .passed("\(count) in \(location.path)"))
  }

  /// The failure of a disk that has too few bytes left for a session; a recorder may not even start then. Nil for any other disk.
  static func full(_ location: StoreLocation, free: UInt64) -> Finding.Result? {
    guard free < 1 << 20 else { return nil }
    return .failed(
      "the disk of \(location.path) is full: \(free / 1024) KiB are left",
      remedy: "free some space; recording then goes on by itself", status: .inputOutput)
  }

  private static func unwritable(_ location: StoreLocation, _ path: String) -> Finding.Result {
    let remedy =
      location.path == StoreLocation.servicePath
      ? "the service writes it; use sudo to change something yourself"
      : "change the owner or the rights of \(path), or use --store FILE"
    return .failed("you may not write \(path)", remedy: remedy, status: .permission)
  }

  private static var noSensors: Finding.Result {
    .failed(
      "none is allowed, so nothing will be recorded", remedy: "sensord devices add ADDRESS --name NAME",
      status: .unavailable)
  }

  private static func allowed(_ sensors: [AllowedSensor]) -> Finding {
    guard !sensors.isEmpty else { return Finding(title: "sensors", result: noSensors) }
    return Finding(title: "sensors", result: .passed(sensors.map(DeviceListing.title).joined(separator: ", ")))
  }
}
