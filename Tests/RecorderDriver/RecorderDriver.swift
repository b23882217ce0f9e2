import Captures
import DBus
import FoundationEssentials
import Glibc
import HealthModel
import Ingestion
import Synchronization
import Timeline

/// Runs the real recorder with its store, its journal and its threads, on clocks of the test's own and without a bus, and
/// lets happen to it what a script says: one life of the recorder in the model test.
///
/// `RecorderDriver STORE SCRIPT SWITCH BOOT NOW WALL`: the store's path; a file with a step a line; the file that
/// stands for a full disk; a number that names the boot; the boot clock and the wall clock at the start, in microseconds.
/// Prints a letter before each step, so that a test knows how far a killed one came.
@main
enum RecorderDriver {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 7, let boot = UInt64(arguments[4]), let now = Int64(arguments[5]),
      let wall = Int64(arguments[6])
    else { return print("usage: RecorderDriver STORE SCRIPT SWITCH BOOT NOW WALL") }
    let clocks = Clocks(now: now, lead: wall - now)
    let clock = HostClock(
      now: { clocks.now }, wallMicroseconds: { clocks.wall }, boot: BootIdentifier(high: 1, low: boot))
    let loop = try EventLoop()
    let recorder = Recorder(settings(store: arguments[1]), on: loop, clock: clock)
    let steps = try lines(of: arguments[2]).compactMap(Step.init)
    let switchPath = arguments[3]
    let failure = Mutex<String?>("the loop ended early")
    Task(executorPreference: loop) {
      do {
        try await recorder.run {
          Task(executorPreference: loop) { await play(steps, on: recorder, clocks: clocks, switchPath: switchPath) }
        }
        failure.withLock { $0 = nil }
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
      loop.stop()
    }
    loop.run()
    if let failure = failure.withLock({ $0 }) {
      tell(failure + "\n", to: STDERR_FILENO)
      exit(1)
    }
  }

  private static func settings(store: String) -> RecorderSettings {
    var settings = RecorderSettings(store: store, journal: store + ".journal", version: "test")
    settings.bus = .address("unix:path=/nonexistent")
    settings.captures = .init(directory: store + ".captures", maximumAge: nil, maximumBytes: nil)
    settings.segmentBytes = 2048
    // Syncs are steps of the script.
    settings.syncInterval = .seconds(86_400)
    settings.log = { level, line in tell("\(level) \(line)\n", to: STDERR_FILENO) }
    return settings
  }

  private static func play(_ steps: [Step], on recorder: Recorder, clocks: Clocks, switchPath: String) async {
    var series: [Int64: UUID] = [:]
    var workouts: [Int64: UUID] = [:]
    for step in steps {
      tell(".", to: STDOUT_FILENO)
      switch step {
      case .pass(let microseconds):
        clocks.pass(microseconds)
        await recorder.timerFired()
      case .measurement(let address, let bytes): await recorder.record(.measurement(bytes), of: address, at: clocks.now)
      case .connected(let address): await recorder.record(.connected, of: address, at: clocks.now)
      case .disconnected(let address): await recorder.record(.disconnected(reason: nil), of: address, at: clocks.now)
      case .setClock(let microseconds): clocks.set(microseconds)
      case .sync: try? await recorder.files?.journal.sync()
      // What a call refuses is not in the journal, and so is not looked for.
      case .beginSeries(let number):
        series[number] = try? await recorder.beginSeries(
          .quantities(.stepCount, .count), from: seriesStart, for: client)
      case .beginHeartbeatSeries(let number):
        series[number] = try? await recorder.beginSeries(.heartbeats(timescale: 1000), from: seriesStart, for: client)
      case .insert(let number, let values):
        guard let identifier = series[number] else { continue }
        let values = values.map { SampleDraft.QuantityValue(Double($0), over: TimeSpan(at: moment(after: $0))) }
        try? await recorder.insert(.values(values), into: identifier)
      case .add(let number, let ticks):
        guard let identifier = series[number] else { continue }
        try? await recorder.insert(.beats(ticks.map { SampleDraft.HeartbeatTick($0) }), into: identifier)
      case .finishSeries(let number):
        guard let identifier = series.removeValue(forKey: number) else { continue }
        try? await recorder.finishSeries(identifier, end: nil)
      case .beginWorkout(let number, let address):
        workouts[number] = try? await recorder.beginWorkout(
          WorkoutConfiguration(.running), of: .one(address), for: client, metadata: ["number": .integer(number)])
      case .callWorkout(let number, let call, let argument):
        // One that an earlier recorder began goes on under its own name.
        let running = await recorder.runningWorkouts.first { $0.metadata["number"] == .integer(number) }?.id
        guard let workout = workouts[number] ?? running else { continue }
        switch call {
        case "pause": try? await recorder.change(workout, .pause)
        case "resume": try? await recorder.change(workout, .resume)
        case "activity":
          try? await recorder.change(
            workout, .beginActivity(UUID(), WorkoutConfiguration(.running), metadata: ["n": .integer(argument)]))
        default: try? await recorder.change(workout, .event(.marker, metadata: ["n": .integer(argument)]))
        }
      case .endWorkout(let number):
        for running in await recorder.runningWorkouts
        where number == 0 || running.metadata["number"] == .integer(number) {
          try? await recorder.stopWorkout(running.id, waitsForRecovery: false)
          await recorder.commitsEnded()
        }
      case .stopWorkout(let number):
        let running = await recorder.runningWorkouts.first { $0.metadata["number"] == .integer(number) }?.id
        if let workout = running { try? await recorder.stopWorkout(workout) }
      case .fill(true): if let file = unsafe fopen(switchPath, "w") { unsafe fclose(file) }
      case .fill(false): unsafe unlink(switchPath)
      case .settle: await recorder.commitsEnded()
      case .die: kill(getpid(), SIGKILL)
      case .stop: recorder.requestStop()
      }
    }
  }

  /// The program that inserts series, and where all of them begin.
  private static let client = ClientIdentity(uid: 1000, application: "org.example.Model")
  private static let seriesStart = Timestamp(microseconds: 1_790_000_000_000_000)

  private static func moment(after seconds: Int64) -> Timestamp {
    seriesStart.advanced(byMicroseconds: seconds * 1_000_000)
  }

  private static func lines(of path: String) throws -> [Substring] {
    guard let file = unsafe fopen(path, "r") else { throw POSIXFailure(number: errno) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = unsafe getc(file), byte >= 0 { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  private struct POSIXFailure: Error {
    let number: Int32
  }

  /// Straight to the kernel: a killed process must not take it along.
  private static func tell(_ text: String, to descriptor: Int32) {
    var text = text
    _ = text.withUTF8 { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }
}

/// The two clocks, which go on when the script says so.
private final class Clocks: Sendable {
  private let state: Mutex<(now: Int64, lead: Int64)>

  init(now: Int64, lead: Int64) {
    state = Mutex((now, lead))
  }

  var now: BootInstant { BootInstant(microseconds: state.withLock { $0.now }) }
  var wall: Int64 { state.withLock { $0.now + $0.lead } }

  func pass(_ microseconds: Int64) {
    state.withLock { $0.now += microseconds }
  }

  func set(_ microseconds: Int64) {
    state.withLock { $0.lead += microseconds }
  }
}
