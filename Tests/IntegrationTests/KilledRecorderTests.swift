import Foundation
import TestSupport
import Testing

/// SIGKILL again and again over one long recording of two straps.
@Suite("A recorder that is killed")
struct KilledRecorderTests {
  /// Where a kill was aimed at.
  private enum Aim: String, CaseIterable {
    /// Any write.
    case recording
    /// A write to the database or its log while ended sessions are committed.
    case commit
    /// A new segment, its first record, or the deletion of an old one.
    case segments
  }

  private static func fault(_ aim: Aim, using random: inout SeededGenerator) -> String {
    let action = Bool.random(using: &random) ? "KILL" : "KILLED"
    switch aim {
    case .recording:
      let number = Int.random(in: 1...60, using: &random)
      return "write:\(action):\(number):\(number)"
    case .commit:
      let number = Int.random(in: 1...14, using: &random)
      return "write:\(action):\(number):\(number):sqlite"
    case .segments:
      return [
        "open:\(action):1:1:.journal/0", "write:\(action):1:1:.journal/0", "unlink:\(action):1:1:.journal/0",
      ][Int.random(in: 0..<3, using: &random)]
    }
  }

  @Test("at any call, also within commits and changes of segments, no acknowledged value is lost or stored twice")
  func killed() async throws {
    let kills = 20 * Trials.factor
    let seed = Self.seed()
    var random = SeededGenerator(seed: seed)
    let watched = try await WatchedRecording(every: 5, seconds: min(320, 2 * kills))
    var done: [Aim: Int] = [:]
    while done.values.reduce(0, +) < kills {
      let wanted: [Aim] = [.commit, .segments].filter { done[$0, default: 0] < kills / 10 }
      let aim = wanted.randomElement(using: &random) ?? .recording
      let recorder = try watched.recorder(faults: Self.fault(aim, using: &random))
      if aim != .recording {
        // Sessions end, and are committed, where there are any.
        try await wait(for: "a value") { recorder.text.contains("session begins") || !recorder.isRunning }
        if recorder.isRunning { recorder.interrupt() }
      }
      let status = try await recorder.exitStatus()
      if status == -SIGKILL { done[aim, default: 0] += 1 }
      try #require(status == -SIGKILL || status == 0, "seed \(seed): \(status) \(recorder.text)")
    }
    let count = done.values.reduce(0, +)
    let sum = try await sum(of: watched, kills: count, seed: seed)
    print(
      "kill -9: \(count) kills (\(Aim.allCases.map { "\($0) \(done[$0, default: 0])" }.joined(separator: ", "))), \(sum)"
    )
  }

  @Test("at the change from a segment that has reached its size, or while such are deleted, none is lost either")
  func fullSegments() async throws {
    let kills = 2 * Trials.factor
    let seed = Self.seed()
    var random = SeededGenerator(seed: seed)
    // A segment of 1 MiB takes a thousand of these values.
    let watched = try await WatchedRecording(flooding: min(65_000, 2_500 * kills + 5_000), trailing: 500)
    let calls = ["open:KILL", "open:KILLED", "write:KILL", "write:KILLED", "fsync:KILL", "fsync:KILLED"]
    for number in 0..<kills {
      // Each life begins a segment; the one after it is begun when that is full.
      let first = try watched.segments().last ?? 0
      let call = calls[(number + Int.random(in: 0..<calls.count, using: &random)) % calls.count]
      let recorder = try watched.recorder(faults: "\(call):1:1:.journal/\(watched.segmentName(first + 2))")
      try #require(try await recorder.exitStatus() == -SIGKILL, "seed \(seed): \(recorder.text)")
      #expect(try watched.size(ofSegment: first + 1) >= 1 << 20)
    }
    #expect(try watched.segments().count >= kills)
    // The session is committed; its segments go one after the other.
    for call in ["unlink:KILL:1:1", "unlink:KILLED:2:2"] {
      let recorder = try watched.recorder(faults: "\(call):.journal/0")
      // What has ended is stored beside the start, so that the kill may come before there is anything to interrupt.
      try await wait(for: "the start") { recorder.text.contains("started") || !recorder.isRunning }
      if recorder.isRunning { recorder.interrupt() }
      try #require(try await recorder.exitStatus() == -SIGKILL, "seed \(seed): \(recorder.text)")
    }
    let sum = try await sum(of: watched, kills: kills + 2, seed: seed)
    print("kill -9 at full segments: \(kills) kills at the change of one of 1 MiB, 2 while they were deleted, \(sum)")
  }

  private static func seed() -> UInt64 {
    ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(1 << 40))
  }

  /// A last life in peace, and what must be true after it; in words.
  private func sum(of watched: WatchedRecording, kills: Int, seed: UInt64) async throws -> String {
    let last = try watched.recorder()
    try await wait(for: "the last life") { last.text.contains("linked") }
    try await watched.values(10)
    #expect(try await last.terminate() == 0, "seed \(seed): \(last.text)")

    let operations = try watched.operations()
    var promised = Acknowledgements()
    for operation in operations { promised.take(operation) }
    let sessions = try await watched.stored()
    let stored = sessions.flatMap(\.values)
    let acknowledged = Set(try promised.kept.map(WatchedRecording.value))
    #expect(Set(stored).count == stored.count, "seed \(seed): a value is stored twice")
    #expect(acknowledged.subtracting(stored).isEmpty, "seed \(seed): acknowledged and lost")
    #expect(Set(stored).isSubset(of: try watched.sent()), "seed \(seed): stored and never sent")
    let journalled = Set(promised.written.map(\.session))
    #expect(journalled.isSubset(of: sessions.map(\.name)), "seed \(seed): every session is stored")
    for session in sessions {
      let numbers = session.values.compactMap { Int($0.split(separator: ",").last ?? "") }
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<), "seed \(seed): \(session.name) is out of order")
    }
    let account = try watched.account(of: operations)
    #expect(account.contradictions.count == 0 && account[.unexplained] == 0, "seed \(seed)")
    #expect(account.lostInMidlife.count == 0, "seed \(seed): lost by a recorder that went on")
    #expect(account[.acknowledged] == acknowledged.count)
    // One value is fetched and written before the next is fetched.
    #expect(account[.unwritten] <= kills)
    return
      "values acknowledged \(acknowledged.count), stored \(stored.count), sessions \(sessions.count); none lost; \(account)"
  }
}
