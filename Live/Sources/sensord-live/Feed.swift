internal import Glibc
internal import HealthModel
internal import LivePulse
internal import LiveServer
internal import NIOCore
internal import SensordClient

/// What the recorder says, for as long as the program runs: it is looked for until it is there, and again when it has gone.
struct Feed: Sendable {
  /// Under which name the owner decides about the hub.
  static let application = "org.sensord.Live"
  /// How long until the recorder is looked for again.
  private static let pause: TimeAmount = .seconds(5)
  /// How long a decision may take before a person is told how to make it.
  private static let courtesy: TimeAmount = .seconds(2)

  private let bus: SensordClient.Bus
  private let loop: any EventLoop
  private let happen: @Sendable (RecorderEvent) -> Void

  init(bus: SensordClient.Bus, loop: any EventLoop, happen: @escaping @Sendable (RecorderEvent) -> Void) {
    self.bus = bus
    self.loop = loop
    self.happen = happen
  }

  /// Begins; nothing ends it but the program's end.
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
      case .measurement(let measurement): happen(.measured(Measurement(measurement)))
      case .state(let state, let sensor?):
        if let state = SensorState(state) { happen(.changed(sensor: sensor, state)) }
      default: break
      }
    }
  }

  /// Asks the owner to let the hub read; values come by themselves once that is allowed.
  private func ask(_ client: SensordClient) async {
    let hint = loop.scheduleTask(in: Self.courtesy) {
      Terminal.complain(
        "waits for permission: sensord grants allow \(Self.application)@\(getuid()) --read heartRate,heartbeatSeries")
    }
    do throws(ClientError) {
      try await client.requestAuthorization(read: [.quantity(.heartRate), .heartbeatSeries])
      hint.cancel()
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

extension Measurement {
  /// As the client's library has it.
  init(_ measurement: LiveMeasurement) {
    self.init(
      sensor: measurement.sensor, microseconds: measurement.time.microseconds,
      beatsPerMinute: measurement.beatsPerMinute, rrTicks: measurement.rrTicks, isOnSkin: measurement.isOnSkin,
      missed: measurement.missed)
  }
}

extension SensorState {
  /// As the client's library has it; nil for what concerns no sensor, and for what a later version says.
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
