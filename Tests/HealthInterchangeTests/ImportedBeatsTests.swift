import Foundation
import HealthModel
import TestSupport
import Testing
import Timeline

@testable import HealthInterchange

/// Beats of files are judged as the recorder judges its own.
@Suite("Artefacts in imported beats")
struct ImportedBeatsTests {
  private static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  /// A resting heart in milliseconds, with a missed or an extra beat in about a hundred, and which beats end such intervals.
  private static func intervals(_ count: Int, seed: UInt64) -> (milliseconds: [Int], artefacts: Set<Int>) {
    var generator = SeededGenerator(seed: seed)
    var milliseconds: [Int] = []
    var artefacts: Set<Int> = []
    var slow = 0.0
    func next() -> Int {
      slow = 0.98 * slow + .random(in: -4...4, using: &generator)
      return Int(860 + slow + 25 * sin(Double(milliseconds.count) * 1.1) + .random(in: -9...9, using: &generator))
    }
    while milliseconds.count < count {
      let interval = next()
      switch milliseconds.count > 20 ? Int.random(in: 0..<200, using: &generator) : 100 {
      case 0:
        artefacts.insert(milliseconds.count)
        milliseconds.append(interval + next())
      case 1:
        artefacts.insert(milliseconds.count)
        let early = interval * .random(in: 35...65, using: &generator) / 100
        milliseconds += [early, interval - early]
      default: milliseconds.append(interval)
      }
    }
    return (milliseconds, artefacts)
  }

  @Test("are found where they are, and nowhere else", arguments: 0..<5 as Range<UInt64>)
  func found(seed: UInt64) throws {
    let (milliseconds, artefacts) = Self.intervals(4000, seed: seed)
    let text = milliseconds.map { "\($0)\n" }.joined()
    let session = try #require(Reading(Array(text.utf8), .rr, start: MadeUp.start).sessions.first)
    #expect(session.heartbeats.beats.dropFirst().map(\.rrTicks) == milliseconds.map(UInt32.init))
    // The series begins with the beat at which the first interval does.
    let flagged = Set(
      session.heartbeats.beats.indices.dropFirst().filter { !session.heartbeats.beats[$0].flags.isEmpty }.map { $0 - 1 }
    )
    let missed = artefacts.filter { !flagged.contains($0) && !flagged.contains($0 + 1) }
    #expect(Double(missed.count) <= 0.02 * Double(artefacts.count), "\(missed.count) of \(artefacts.count)")
    let false_ = flagged.filter { flag in artefacts.allSatisfy { abs($0 - flag) > 2 } }
    #expect(false_.count <= 4, "\(false_)")
    #expect(session.quality.algorithmVersion == SessionTimeline.algorithmVersion)
  }

  @Test("have the flags that a replay gives the same beats", arguments: 0..<3 as Range<UInt64>)
  func asReplayed(seed: UInt64) throws {
    let (milliseconds, _) = Self.intervals(1500, seed: seed &+ 10)
    var events = [SensorEvent(.connected, at: BootInstant(microseconds: 0))]
    var time: Int64 = 1_000_000
    for interval in [900] + milliseconds {
      time += Int64(interval) * 1000
      let ticks = UInt16((Double(interval) * 1.024).rounded())
      events.append(
        SensorEvent(
          .measurement([0x10, 70, UInt8(ticks & 0xFF), UInt8(ticks >> 8)]), at: BootInstant(microseconds: time)))
    }
    let replayed = try SessionTimeline(events: events).heartbeats.beats
    let text = milliseconds.map { "\($0)\n" }.joined()
    let session = try #require(Reading(Array(text.utf8), .rr, start: MadeUp.start).sessions.first)
    #expect(session.heartbeats.beats.map(\.flags) == replayed.map(\.flags))
  }

  @Test("variability of a file with artefacts is the heart's", .enabled(if: folder != nil))
  func variability() throws {
    let folder = try #require(Self.folder)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/reports/artefacts.fit"))
    let session = try #require(Reading(Array(bytes), .fit).sessions.first)
    let own = try #require(session.variability.rmssdMilliseconds)
    #expect(abs(own / 6.2 - 1) < 0.15)
    #expect((35...45).contains(session.heartbeats.beats.count { !$0.flags.subtracting(.firstOfRun).isEmpty }))
  }
}
