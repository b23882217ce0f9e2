import ArgumentParser
import DBus
import Glibc
import HealthModel
import Ingestion
import Reports
import SensordClient

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
    case recorder(LiveValue)
    case failed(ClientError)
    case time
    case signal(Int32)
  }

  /// Runs until the task is cancelled.
  @concurrent static func run(json: Bool, on loop: EventLoop) async throws {
    guard let bus = try RunningRecorder.bus() else {
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
    let recorder = SensordClient.owner(on: bus, loop: loop)
    let values = Task(executorPreference: loop) {
      do throws(ClientError) {
        for try await value in recorder.liveValues() { happen.yield(.recorder(value)) }
      } catch {
        happen.yield(.failed(error))
      }
    }
    defer { values.cancel() }
    var screen = WatchScreen()
    var timer: TimerToken?
    for await happening in happenings {
      var measured: String?
      switch happening {
      case .failed(let error): throw error
      case .signal(SIGTSTP):
        // As the shell's job control expects it, with the terminal as it was.
        display.end()
        kill(getpid(), SIGSTOP)
        continue
      case .signal, .time: break
      case .recorder(let value): measured = take(value, into: &screen)
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

  /// Hands a value to the screen, and returns its sensor; nil for anything else.
  private static func take(_ value: LiveValue, into screen: inout WatchScreen) -> String? {
    switch value {
    case .subscribed: screen.recorderCame()
    case .interrupted, .state(.recorderStopping, _): screen.recorderWent()
    case .state(let state, let sensor?): screen.changed(sensor, to: state.rawValue)
    case .measurement(let measurement):
      let now = BootClock.now()
      // The age is measured by the wall clock, which both programs share; the boot clock orders all else.
      let age = Timestamp(microseconds: LocalTime.now()).microseconds(since: measurement.time)
      screen.measured(
        measurement.sensor,
        WatchScreen.Value(
          beatsPerMinute: measurement.beatsPerMinute, rrTicks: measurement.rrTicks,
          isAfterHole: measurement.missed > 0, isOnSkin: measurement.isOnSkin ?? true,
          time: now - min(max(0, age), now)),
        at: now)
      return measurement.sensor
    default: break
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
