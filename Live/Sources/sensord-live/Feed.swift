import Glibc
import HealthModel
import LiveHub
import NIOCore
import SensordClient

/// The events of the recorder, for as long as the program runs: tries to connect until a recorder answers, and again when it has gone.
struct Feed: Sendable {
  /// The name under which the owner decides about the hub.
  static let application = "org.sensord.Live"
  /// The time until the next attempt to connect to the recorder.
  private static let pause: TimeAmount = .seconds(5)
  /// The time in which the owner may decide before a line of the log explains how.
  private static let courtesy: TimeAmount = .seconds(2)

  private let bus: SensordClient.Bus
  private let loop: any EventLoop
  private let happen: @Sendable (RecorderEvent) -> Void

  init(bus: SensordClient.Bus, loop: any EventLoop, happen: @escaping @Sendable (RecorderEvent) -> Void) {
    self.bus = bus
    self.loop = loop
    self.happen = happen
  }

  /// Begins; only the program's end ends the feed.
  func start() {
    Task(executorPreference: LoopExecutor(loop)) { await run() }
  }

  private func run() async {
    var lastFailure: ClientError?
    while true {
      do throws(ClientError) {
        try await follow { lastFailure = nil }
      } catch {
        if error != lastFailure { Terminal.complain("\(error); looking for it every 5 seconds") }
        lastFailure = error
      }
      happen(.lost)
      await sleep(Self.pause)
    }
  }

  private func follow(
    whenConnected: () -> Void, isolation: isolated (any Actor)? = #isolation
  ) async throws(ClientError) {
    let client = try await SensordClient.connect(to: bus, application: Self.application)
    let question = Task(executorPreference: LoopExecutor(loop)) { await ask(client) }
    defer { question.cancel() }
    for try await value in client.liveValues() {
      switch value {
      case .subscribed:
        whenConnected()
        happen(.subscribed)
      case .interrupted, .state(.recorderStopping, _): happen(.lost)
      case .measurement(let value):
        happen(
          .measurement(
            of: value.sensor, microseconds: value.time.microseconds, beatsPerMinute: value.beatsPerMinute,
            rrTicks: value.rrTicks, isOnSkin: value.isOnSkin, missed: value.missed))
      case .state(let state, let sensor?):
        if let state = SensorState(state) { happen(.changed(sensor: sensor, state)) }
      default: break
      }
    }
  }

  /// Asks the owner to let the hub read; values come by themselves once that is allowed.
  private func ask(_ client: SensordClient) async {
    let hint = loop.scheduleTask(in: Self.courtesy) { [happen] in
      let command = "sensord grants allow \(Self.application)@\(getuid()) --read heartRate,heartbeatSeries"
      Terminal.complain("waits for permission: \(command)")
      happen(.undecided(command))
    }
    do throws(ClientError) {
      try await client.requestAuthorization(read: [.quantity(.heartRate), .heartbeatSeries])
      hint.cancel()
      happen(.undecided(nil))
    } catch {
      hint.cancel()
      if error != .cancelled, error != .closed { Terminal.complain("permission cannot be asked for: \(error)") }
    }
  }

  private func sleep(_ time: TimeAmount) async {
    await withCheckedContinuation { continuation in
      _ = loop.scheduleTask(in: time) { continuation.resume() }
    }
  }
}

extension SensorState {
  /// Converts a state of the client's library; nil for states that concern no sensor, and for those of later versions.
  init?(_ state: LiveState) {
    switch state {
    case .measuring: self = .measuring
    case .stale, .silent: self = .silent
    case .offSkin: self = .offSkin
    case .linkLost: self = .linkLost
    default: return nil
    }
  }
}

/// Runs tasks on a NIO loop, so that the global pool and its threads never start.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
