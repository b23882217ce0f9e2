import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// SIGKILL again and again of a program that inserts a series and has a session and a workout, or of the recorder that takes them.
@Suite("A client that is killed, or whose recorder is", .timeLimit(.minutes(60)))
struct KilledClientTests {
  /// One life of the program.
  private struct Life {
    let process: StartedProgram
    private let output: OutputFile

    init(on bus: String) throws {
      output = try OutputFile()
      process = try StartedProgram(
        Program.folder.appendingPathComponent("SeriesClient").path, [bus], output: output.descriptor,
        errors: output.descriptor)
    }

    /// Whole lines.
    private var lines: [Substring] { output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
    var series: UUID? { identifier(of: "series ") }
    var workout: UUID? { identifier(of: "workout ") }
    /// The last marker of the workout that was answered.
    var marked: Int {
      lines.last { $0.hasPrefix("event ") }.flatMap { Int($0.dropFirst("event ".count)) } ?? 0
    }
    var hasSession: Bool { lines.contains("session") }
    /// The last value whose insertion was answered.
    var acknowledged: Int { lines.last { Int($0) != nil }.flatMap { Int($0) } ?? 0 }
    var text: String { output.text }

    private func identifier(of thing: String) -> UUID? {
      lines.first { $0.hasPrefix(thing) }.flatMap { UUID(uuidString: String($0.dropFirst(thing.count))) }
    }
  }

  private static func seed() -> UInt64 {
    ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(1 << 40))
  }

  private static func recorder(of watched: WatchedRecording) async throws -> Program {
    let file = watched.recording.folder.appendingPathComponent("clients.conf")
    try "[clients]\nbus = session\n".write(to: file, atomically: true, encoding: .utf8)
    let bus = watched.recording.bus.address
    let recorder = try watched.recording.recorder(
      "--config", file.path, changed: ["DBUS_SESSION_BUS_ADDRESS": bus])
    try await recorder.printed("open to other programs as org.sensord")
    return recorder
  }

  /// What must be true of the series of these lives, and of the sessions beside them; in words.
  private func check(_ lives: [Life], _ watched: WatchedRecording, seed: UInt64) async throws -> String {
    let store = try HealthStore.open(watched.recording.store, for: .reading)
    let samples = try await SampleQuery(.type(.quantity(.bodyMass))).result(for: store).value
    var values = 0
    for life in lives {
      guard let series = life.series else { continue }
      let found = samples.filter { $0.id == series }
      let count = found.first?.count ?? 0
      // The last answer may have been lost with whom it was for, and the last value with who had not answered.
      #expect(
        found.count <= 1 && count >= life.acknowledged && count <= life.acknowledged + 1,
        "seed \(seed): \(life.acknowledged) were answered, \(count) are stored")
      guard let sample = found.first else { continue }
      #expect(sample.metadata["interrupted"] == .flag(true))
      let stored = try await QuantityQuery(.bodyMass, predicate: .identifier([series])).result(for: store).value
      #expect(stored.map(\.value) == (1...count).map(Double.init), "seed \(seed): others are stored")
      values += count
    }
    #expect(
      samples.count == lives.count { $0.series != nil && $0.acknowledged > 0 }
        + samples.count { sample in
          lives.contains { $0.series == sample.id && $0.acknowledged == 0 }
        })
    let workouts = try await WorkoutQuery().result(for: store).value
    var markers = 0
    for life in lives {
      guard let id = life.workout else { continue }
      let found = workouts.filter { $0.id == id }
      let numbers = found.flatMap(\.events).map { $0.metadata["n"] }
      #expect(found.count == 1, "seed \(seed): a workout is stored \(found.count) times")
      #expect(
        (life.marked...life.marked + 1).contains(numbers.count)
          && numbers == (0..<numbers.count).map { .integer(Int64($0) + 1) },
        "seed \(seed): \(life.marked) markers were answered, others are stored: \(numbers)")
      markers += numbers.count
    }
    #expect(
      (0...lives.count { $0.workout == nil }).contains(workouts.count - lives.count { $0.workout != nil }),
      "seed \(seed): \(workouts.count) workouts")
    let sessions = try await watched.stored()
    let all = sessions.flatMap(\.values)
    #expect(Set(all).count == all.count, "seed \(seed): a value of the strap is stored twice")
    #expect(Set(all).isSubset(of: try watched.sent()), "seed \(seed): stored and never sent")
    return "\(values) values of \(samples.count) series, \(markers) markers of \(workouts.count) workouts, "
      + "\(all.count) of the strap in \(sessions.count) sessions; "
      + "none lost"
  }

  @Test("what was answered to a program that is killed is stored, and its session ends without a value being lost")
  func killedClients() async throws {
    let kills = 5 * Trials.factor
    let seed = Self.seed()
    var random = SeededGenerator(seed: seed)
    let watched = try await WatchedRecording(every: 50, seconds: min(3_000, 10 * kills + 20), straps: 1)
    let recorder = try await Self.recorder(of: watched)
    try await wait(for: "a value") { recorder.text.contains("session begins") }
    var lives: [Life] = []
    for _ in 0..<kills {
      let life = try Life(on: watched.recording.bus.address)
      let last = Int.random(in: 0...60, using: &random)
      try await wait(for: "\(last) answers") { life.acknowledged >= last && life.series != nil }
      life.process.send(SIGKILL)
      life.process.wait()
      lives.append(life)
    }
    #expect(lives.contains { $0.hasSession })
    #expect(try await recorder.terminate() == 0, "seed \(seed): \(recorder.text)")
    // One that ended before it heard of the last client's death leaves that workout to the next.
    let last = try await Self.recorder(of: watched)
    #expect(try await last.terminate() == 0, "seed \(seed): \(last.text)")
    let words = try await check(lives, watched, seed: seed)
    // The recorder went on, so nothing between the first and the last value may be missing.
    let numbers = try await watched.stored().flatMap(\.values).compactMap { Int($0.split(separator: ",").last ?? "") }
    let sorted = numbers.sorted()
    #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 == $0 + 1 }, "seed \(seed): a value of the strap is lost")
    print("kill -9 of a client: \(kills) kills, \(words)")
  }

  @Test("what a killed recorder had answered is stored by the next one, and no session of a program outlives it")
  func killedRecorders() async throws {
    let kills = 5 * Trials.factor
    let seed = Self.seed()
    var random = SeededGenerator(seed: seed)
    let watched = try await WatchedRecording(every: 50, seconds: min(3_000, 15 * kills + 20), straps: 1)
    var lives: [Life] = []
    for _ in 0..<kills {
      let recorder = try await Self.recorder(of: watched)
      if Bool.random(using: &random) {
        try await wait(for: "a link") { recorder.text.contains("linked") }
      }
      let life = try Life(on: watched.recording.bus.address)
      let last = Int.random(in: 0...60, using: &random)
      try await wait(for: "\(last) answers") { life.acknowledged >= last && life.series != nil }
      recorder.send(SIGKILL)
      #expect(try await recorder.exitStatus() == -SIGKILL)
      try await wait(for: "the client's end") { life.process.status != nil }
      #expect(life.text.contains("ended:"))
      lives.append(life)
    }
    let last = try await Self.recorder(of: watched)
    #expect(try await last.terminate() == 0, "seed \(seed): \(last.text)")
    let words = try await check(lives, watched, seed: seed)
    print("kill -9 of a recorder with clients: \(kills) kills, \(words)")
  }
}
