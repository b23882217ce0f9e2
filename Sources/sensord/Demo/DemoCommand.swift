import ArgumentParser
import DBus
import Documents
import FoundationEssentials
import Glibc
import HealthModel
import Ingestion
import Reports
import SeriesStore
import Support
import Timeline

/// `sensord demo`: a recording from beginning to end without a sensor.
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

/// The demo while it runs: a private bus, the simulator on it, and a recorder, started again when they die.
final class DemoRun {
  private let loop: EventLoop
  private let folder: DemoFolder
  private let bus: DemoPart
  private let simulator: DemoPart
  private let recorder: DemoPart
  private let endsAt: Int64
  private var display = DemoDisplay()
  private var busIsReady = false
  private var isStopping = false
  /// The reason of an early end.
  private var failure: CommandFailure?

  /// The time that the recorder may need to store its session, and the others to end.
  private static let patience: Duration = .seconds(20)

  init(_ programs: DemoPrograms, folder: DemoFolder, duration: Duration) throws {
    loop = try EventLoop()
    self.folder = folder
    bus = DemoPart(programs.bus)
    simulator = DemoPart(programs.simulator)
    recorder = DemoPart(programs.recorder)
    endsAt = BootClock.now() + duration.components.seconds * 1_000_000
  }

  /// The parts in the order in which the end of one ends the next.
  private var parts: [DemoPart] { [bus, simulator, recorder] }

  /// Runs the demo to its end, with all three processes gone.
  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let signals = try loop.watch(signals: [SIGCHLD, SIGTERM, SIGINT, SIGHUP]) { [weak self] number in
      if number == SIGCHLD { self?.reap() } else { self?.stop() }
    }
    let status = try FolderChanges(folder.runtime, on: loop) { [weak self] in self?.show() }
    start(bus)
    tick()
    loop.run()
    loop.cancel(signals)
    status.cancel()
    display.end()
    if let failure { throw failure }
  }

  private func start(_ part: DemoPart) {
    guard !isStopping, part.process == nil else { return }
    do {
      try part.start(on: loop) { [weak self, weak part] line in
        if let part { self?.hear(line, from: part) }
      }
    } catch {
      fail(CommandFailure(classifying: error) ?? CommandFailure(.internalError, "cannot start \(part.program.title)"))
    }
  }

  /// Handles a line of a part. The bus writes its address when it is ready; lines of the recorder are shown; lines of the others
  /// matter only when they end.
  private func hear(_ line: String, from part: DemoPart) {
    if part === bus, line.hasPrefix("unix:") {
      busIsReady = true
      start(simulator)
      // Only the first time: a recorder that runs waits for the bus by itself.
      start(recorder)
    } else if part === recorder {
      display.note(line, of: "run")
    }
  }

  private func reap() {
    for part in parts {
      guard let end = part.reap(on: loop, handle: { hear($0, from: part) }) else { continue }
      if part === bus { busIsReady = false }
      guard !isStopping else { continue }
      switch end.decision {
      case .giveUp:
        fail(CommandFailure(.unavailable, "\(part.program.title) does not keep running (\(end.reason))"))
      case .restart(let delay):
        display.note("\(part.program.title) ended (\(end.reason)); starting it again")
        _ = loop.schedule(after: delay) { [weak self] in self?.restart(part) }
      }
    }
    if isStopping { goOnStopping() }
  }

  /// The simulator waits for the bus, which starts it when it is ready.
  private func restart(_ part: DemoPart) {
    if part !== simulator || busIsReady { start(part) }
  }

  private func tick() {
    guard !isStopping else { return }
    guard BootClock.now() < endsAt else { return stop() }
    show()
    _ = loop.schedule(after: .seconds(1)) { [weak self] in self?.tick() }
  }

  private func show() {
    guard !isStopping else { return }
    let status = (try? StatusFile(directory: folder.runtime).read())?.status
    let left = Int(max(0, endsAt - BootClock.now() + 500_000) / 1_000_000)
    let text = DemoLiveLine.text(status, secondsLeft: left, now: LocalTime.now())
    display.live(text, second: Int(BootClock.now() / 1_000_000))
  }

  private func fail(_ failure: CommandFailure) {
    self.failure = self.failure ?? failure
    stop()
  }

  /// Ends the recorder first, since it stores the session. Without the bus it would wait for a new one.
  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    display.end()
    display.note("Storing the session")
    recorder.process?.send(SIGTERM)
    _ = loop.schedule(after: Self.patience) { [weak self] in
      self?.parts.forEach { $0.process?.send(SIGKILL) }
    }
    goOnStopping()
  }

  private func goOnStopping() {
    guard recorder.process == nil else { return }
    let others = [simulator, bus].compactMap(\.process)
    guard !others.isEmpty else { return loop.stop() }
    for process in others { process.send(SIGTERM) }
  }
}

/// The output of the demo on stderr: one line that changes on a terminal, plain lines elsewhere.
struct DemoDisplay {
  private let isTerminal = StandardError.isTerminal
  private var shown = ""
  private var shownAtSecond = Int.min
  private var state = ""

  /// The seconds between two live lines where nobody watches; a change of the first part is shown at once.
  private static let plainInterval = 5

  /// Shows the live line.
  mutating func live(_ text: String, second: Int) {
    if isTerminal {
      guard text != shown else { return }
      StandardError.write("\r\u{1B}[K\(PrintableText.line(text, columns: StandardError.columns - 1))")
      shown = text
    } else {
      let state = String(text.prefix { $0 != "·" })
      guard state != self.state || second >= shownAtSecond + Self.plainInterval else { return }
      StandardError.write("[demo] \(PrintableText.line(text))\n")
      self.state = state
      shownAtSecond = second
    }
  }

  /// Shows a line of `part` that stays, above the live one.
  mutating func note(_ text: String, of part: String = "demo") {
    let line = "[\(part)] \(PrintableText.line(text))"
    StandardError.write(isTerminal ? "\r\u{1B}[K\(line)\n\(shown)" : line + "\n")
  }

  /// Leaves the line empty.
  mutating func end() {
    if isTerminal { StandardError.write("\r\u{1B}[K") }
    shown = ""
  }
}

/// The line that shows the progress of the demo.
enum DemoLiveLine {
  /// `Recording · 72 bpm · 31 beats · 0 gaps · 8 s left`; `now` in microseconds since 1970 (UTC).
  ///
  /// Gaps are gaps of beats. The number of lost links has a part of its own, from the first one on.
  static func text(_ status: RecorderStatus?, secondsLeft: Int, now: Int64) -> String {
    var parts = [status.map(StatusReport.headline) ?? "Starting"]
    if let sensor = status?.sensors.first(where: { $0.session != nil }) {
      if sensor.state != .measuring { parts.append(StatusReport.describe(sensor.state)) }
      let rate = StatusReport.rate(sensor, now: now)
      if !rate.isEmpty { parts.append("\(rate) bpm") }
      parts.append("\(sensor.beats) beat\(sensor.beats == 1 ? "" : "s")")
      parts.append("\(sensor.gaps) gap\(sensor.gaps == 1 ? "" : "s")")
      if sensor.losses > 0 { parts.append(StatusReport.lostLinks(sensor)) }
    }
    parts.append("\(secondsLeft) s left")
    return parts.joined(separator: " · ")
  }
}
