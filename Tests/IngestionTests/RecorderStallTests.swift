import Captures
import Testing
import Timeline

@testable import Ingestion

@Suite("The recorder after a time in which it did not run", .timeLimit(.minutes(5)))
struct RecorderStallTests {
  private static let strap = LoneRecorder.strap
  private static let other = LoneRecorder.other

  private static func at(_ seconds: Double) -> BootInstant {
    Invented.at(seconds)
  }

  /// What the sessions of a recorder without a bus hold in the end, to which `happens` does something.
  private func captures(_ happens: @escaping @Sendable (isolated Recorder) -> Void) async throws -> [Capture] {
    try await LoneRecorder().run(happens)
  }

  @Test("events of several sources, and what waited among them, have instants that never go back")
  func order() async throws {
    let captures = try await captures { recorder in
      recorder.record(.connected, of: Self.strap, at: Self.at(10))
      recorder.record(.measurement([0, 60]), of: Self.strap, at: Self.at(11))
      recorder.record(.battery(percent: 80), of: Self.strap, at: Self.at(12.5))
      recorder.record(.measurement([0, 61]), of: Self.strap, at: Self.at(12))
      recorder.record(.measurement([0, 62]), of: Self.strap, at: Self.at(13))
    }
    let events = try #require(captures.first).events
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    let values = events.filter { if case .measurement = $0.kind { true } else { false } }
    #expect(values.map(\.instant) == [11, 12.5, 13].map(Self.at))
  }

  @Test(
    "each open session is told of a stall, as long as the first value that waited shows, and no other is begun by it")
  func told() async throws {
    let captures = try await captures { recorder in
      recorder.record(.measurement([0, 60]), of: Self.strap, at: Self.at(11))
      recorder.stalled(since: Self.at(12.5).microseconds, until: Self.at(72).microseconds)
      recorder.record(.measurement([0, 61]), of: Self.strap, at: Self.at(72))
      recorder.record(.measurement([0, 62]), of: Self.other, at: Self.at(73))
    }
    try #require(captures.count == 2)
    #expect(
      captures[0].events.filter { $0.instant == Self.at(72) }.map(\.kind) == [
        .stalled(microseconds: 59_500_000), .measurement([0, 61]),
      ])
    #expect(!captures[1].events.contains { if case .stalled = $0.kind { true } else { false } })
  }

  @Test(
    "values with times of their own stand before the stall, those without behind it, whichever sensor was heard first")
  func ownTimes() async throws {
    let captures = try await captures { recorder in
      recorder.record(.measurement([0, 60]), of: Self.strap, at: Self.at(11))
      recorder.record(.measurement([0, 70]), of: Self.other, at: Self.at(11.5))
      // What `stalled(since:until:)` does around the central's values.
      recorder.sensors.beginStall(since: Self.at(14), until: Self.at(72))
      recorder.readValue([0, 61], of: Self.strap, at: Self.at(12))
      recorder.readValue([0, 62], of: Self.strap, at: Self.at(13))
      recorder.readValue([0, 71], of: Self.other, at: Self.at(72))
      recorder.readValue([0, 63], of: Self.strap, at: Self.at(71))
      recorder.endStall()
    }
    try #require(captures.count == 2)
    #expect(
      captures[0].events.suffix(5).dropLast() == [
        SensorEvent(.measurement([0, 61]), at: Self.at(12)), SensorEvent(.measurement([0, 62]), at: Self.at(13)),
        SensorEvent(.measurement([0, 63]), at: Self.at(71)),
        SensorEvent(.stalled(microseconds: 60_000_000), at: Self.at(72)),
      ])
    #expect(
      captures[1].events.suffix(3).dropLast() == [
        SensorEvent(.stalled(microseconds: 60_000_000), at: Self.at(72)),
        SensorEvent(.measurement([0, 71]), at: Self.at(72)),
      ])
  }
}
