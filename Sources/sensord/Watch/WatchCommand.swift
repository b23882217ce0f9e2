import ArgumentParser
import RecorderBus
import DBus
import Glibc
import HealthModel
import Ingestion
import Reports

/// `sensord watch`: the heart, live.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show what the sensors send, live.",
    discussion: """
      Rate, intervals, gaps and battery until Ctrl-C. Where no value comes a dash
      stands in its place, with the reason, 3 s after the beat that was due at the
      latest: nothing that is shown is old. It waits for a recorder that is not
      running, or not open to programs; 'sensord doctor' says which.

      To a file or a program goes a line for each change; with --json one for each
      value and each change of state.

        sensord watch
        sensord watch --json | jq --unbuffered .bpm
      """)

  @Flag(help: "Print lines of JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let json = json
    // Ctrl-C ends the command.
    try CommandLoop.runInterruptibly { try await WatchRun.run(json: json, on: $0) }
  }
}

/// The run of `sensord watch`: hands events to ``WatchScreen``, and shows the screen.
struct WatchRun {
  private enum Happening: Sendable {
    case recorder(RecorderPresence.Event)
    case time
    case signal(Int32)
  }

  /// Runs until the task is cancelled.
  @concurrent static func run(json: Bool, on loop: EventLoop) async throws {
    guard let bus = try GrantAccess.bus() else {
      throw CommandFailure(
        .unavailable, "there is no session bus, on which a recorder could be open to programs",
        remedy: "log in to a session, or use the service")
    }
    var display = WatchDisplay(json: json)
    defer { display.end() }
    let (happenings, happen) = AsyncStream.makeStream(of: Happening.self)
    let watched = display.isScreen ? [SIGWINCH, SIGTSTP, SIGCONT] : []
    let signals = try loop.watch(signals: watched) { happen.yield(.signal($0)) }
    defer { loop.cancel(signals) }
    let recorder = RecorderPresence(bus, on: loop) { happen.yield(.recorder($0)) }
    let stay = recorder.begin()
    defer { stay.cancel() }
    var screen = WatchScreen()
    var timer: TimerToken?
    for await happening in happenings {
      var measured: String?
      switch happening {
      case .recorder(.ended(let failure)):
        if let failure { throw failure }
        return
      case .signal(SIGTSTP):
        // As the shell's job control expects it, with the terminal as it was.
        display.end()
        kill(getpid(), SIGSTOP)
        continue
      case .signal, .time: break
      case .recorder(.came):
        screen.recorderCame()
        try await subscribe(recorder)
      case .recorder(.gone): screen.recorderWent()
      case .recorder(.signal(let message)): measured = take(message, into: &screen)
      }
      let now = BootClock.now()
      screen.pass(to: now)
      if measured == nil { screen.update(status()) }
      try display.show(screen, measured: measured)
      if let timer { loop.cancel(timer) }
      // Each second of the screen's clock, and at once when a value does not count any more.
      let second = now + 1_000_000 - LocalTime.now() % 1_000_000
      timer = loop.schedule(at: min(second, screen.nextChange ?? second)) { happen.yield(.time) }
    }
  }

  @concurrent private static func subscribe(_ recorder: RecorderPresence) async throws {
    do throws(DBusError) {
      _ = try await recorder.call(ClientInterfaces.live, "Subscribe", [.strings([])])
    } catch {
      // The end of the recorder or of the bus is reported by an event of its own.
      if let failure = DoorAccess.failure(error) as? CommandFailure { throw failure }
    }
  }

  /// Returns the sensor of a value; nil for any other message.
  private static func take(_ message: Message, into screen: inout WatchScreen) -> String? {
    let body = message.body
    if message.isSignal(ClientInterfaces.live.name, "State"), body.count == 3, let sensor = body[0].string,
      let state = body[1].string
    {
      if !sensor.isEmpty { screen.changed(sensor, to: state) }
      if state == "recorderStopping" { screen.recorderWent() }
    } else if message.isSignal(ClientInterfaces.live.name, "Measurement"), body.count == 6, let sensor = body[0].string,
      let arrival = body[2].int64, let rate = body[3].uint16, let ticks = body[4].array,
      let details = body[5].properties
    {
      let now = BootClock.now()
      // The age is measured by the wall clock, which both programs share; the boot clock orders all else.
      let age = Timestamp(microseconds: LocalTime.now()).microseconds(since: Timestamp(microseconds: arrival))
      screen.measured(
        sensor,
        WatchScreen.Value(
          beatsPerMinute: rate == 0 ? nil : rate, rrTicks: ticks.compactMap(\.uint16),
          isAfterHole: details["missed"] != nil, isOnSkin: details["contact"]?.boolean ?? true,
          time: now - min(max(0, age), now)),
        at: now)
      return sensor
    }
    return nil
  }

  /// The status of the running recorder; nil where it cannot be read.
  private static func status() -> RecorderStatus? {
    for file in StatusFile.candidates(environment: .current) {
      if let document = try? file.read(), StatusFile.isRunning(document) { return document.status }
    }
    return nil
  }
}
