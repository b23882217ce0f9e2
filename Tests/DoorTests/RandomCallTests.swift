import DBus
import Foundation
import TestSupport
import Testing

@testable import Door

@Suite("Random calls of the door", .timeLimit(.minutes(30)))
struct RandomCallTests {
  /// The errors of D-Bus itself that a call may get.
  private static let usual = Set(
    [
      "InvalidArgs", "UnknownMethod", "UnknownInterface", "UnknownObject", "UnknownProperty", "PropertyReadOnly",
      "LimitsExceeded",
    ]
    .map { "org.freedesktop.DBus.Error.\($0)" })
  private static let batch = 50

  /// SENSORD_SEED plays one run again; SENSORD_TRIALS=40 makes 100,000 calls, and then asks that memory stays flat.
  @Test("whatever is called, the answer comes, its error has a name and none of the caller's text, and nothing is left")
  func calls() async throws {
    let seed = ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...1 << 40)
    var limits = ClientLimits()
    limits.callsPerSecond = 1_000_000
    limits.callsOfClientPerSecond = 1_000_000
    limits.callsOfUserPerSecond = 1_000_000
    let stage = try await DoorStage(limits: limits)
    let owner = try await stage.connect()
    _ = try await owner.ask("Grants1", "List")
    try await owner.decide(share: ["stepCount"], read: ["heartRate", "stepCount"], uid: 4_000_001)
    let pipe = try Pipe()
    var calls = RandomCalls(seed: seed, passing: pipe.writing)
    let rounds = 2_500 / Self.batch * Trials.factor
    var memory: [Int] = []
    for round in 0..<rounds {
      // An owner, one that is allowed something, and a stranger; each of them new now and then.
      let caller =
        round % 3 == 0 ? try await stage.connect() : try await stage.connectStranger(uid: 4_000_000 + UInt32(round % 3))
      if round % 3 == 1 {
        _ = await caller.refusal("Authorization1", "Identify", [.string(DoorStage.game), .properties([:])])
      }
      // Those that may have a workout that goes on; it ends with them, if not before.
      let options: [String: Value] = ["activityType": .string("running"), "sensor": .string("")]
      calls.workout = try? await caller.ask("Workouts1", "Begin", [.properties(options)])[0].objectPath
      #expect((calls.workout == nil) == (round % 3 != 0))
      let batch = (0..<Self.batch).map { _ in calls.next() }
      for wrong in await Self.play(batch, on: caller) { Issue.record("SENSORD_SEED=\(seed), round \(round): \(wrong)") }
      let name = await caller.uniqueName
      await caller.close()
      await stage.until { door in
        // Nobody follows a stranger of a test.
        if round % 3 != 0 { door.gone(name) }
        return !door.registry.knows(name)
      }
      if (round + 1) % max(rounds / 10, 1) == 0 { memory.append(Self.residentKilobytes()) }
    }
    await stage.until {
      $0.requests.isEmpty && $0.registry.names.count == 1 && $0.registry.objects(for: $0.registry.names[0]).isEmpty
    }
    pipe.closeWriting()
    // Its end comes when nobody holds a copy any more.
    #expect(await pipe.isAtEnd())
    if Trials.factor > 1 {
      print("seed \(seed), \(rounds * Self.batch) calls; resident after each tenth: \(memory) kB")
      // Single figures differ by a tenth, up and down: the pages of a process with so many threads are not given back at once.
      let (early, late) = (memory[2...4].reduce(0, +), memory[7...9].reduce(0, +))
      #expect(late < early + early / 10, "SENSORD_SEED=\(seed): memory grows")
    }
    await stage.end()
  }

  /// What is wrong with the answers.
  private static func play(_ calls: [Message], on caller: Connection) async -> [String] {
    await withTaskGroup(of: String?.self) { group in
      for call in calls {
        group.addTask {
          let what = "\(call.interface ?? "").\(call.member ?? "")"
          do throws(DBusError) {
            _ = try await caller.call(call, timeout: .seconds(60))
            return nil
          } catch {
            if error.isFromBus { return nil }
            // What cannot be sent at all says so before it is sent.
            guard case .remote(let name) = error.code else {
              return error.code == .timedOut ? "\(what) was not answered" : nil
            }
            guard usual.contains(name) || name.hasPrefix("org.sensord.Error.") else { return "\(what): \(error)" }
            return error.message.contains(RandomCalls.mark) ? "\(what): the error has the caller's text: \(name)" : nil
          }
        }
      }
      return await group.reduce(into: []) { if let wrong = $1 { $0.append(wrong) } }
    }
  }

  private static func residentKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
    return line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
  }
}

/// Tells by its reading end whether any copy of the other is open.
private final class Pipe: Sendable {
  private let reading: Int32
  let writing: SharedDescriptor

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = SharedDescriptor(FileDescriptor(owning: ends[1]))
  }

  deinit {
    close(reading)
  }

  func closeWriting() { _ = writing.take() }

  /// Waits for its end, which the suite's time limit bounds.
  func isAtEnd() async -> Bool {
    var byte: UInt8 = 0
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    while true {
      if unsafe read(reading, &byte, 1) == 0 { return true }
      await Task.yield()
    }
  }
}
