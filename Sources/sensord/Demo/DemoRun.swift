internal import Recordings
internal import DBus
internal import Glibc
internal import Ingestion
internal import StoreCommands

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
  /// Why it ends before its time.
  private var failure: CommandFailure?

  /// How long the recorder may take to store its session, and the others to end.
  private static let patience: Duration = .seconds(20)

  init(_ programs: DemoPrograms, folder: DemoFolder, duration: Duration) throws {
    loop = try EventLoop()
    self.folder = folder
    bus = DemoPart(programs.bus)
    simulator = DemoPart(programs.simulator)
    recorder = DemoPart(programs.recorder)
    endsAt = BootClock.now() + duration.components.seconds * 1_000_000
  }

  /// In the order in which the end of one ends the next.
  private var parts: [DemoPart] { [bus, simulator, recorder] }

  /// Runs to its end, with all three processes gone.
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

  /// The bus says its address when it is ready. What the recorder says is for the reader; what the others say matters
  /// only when they end.
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
