import Foundation
import HealthModel
import SeriesStore
import Testing

/// A recorder that finds a store of layout 1, and is killed or has no room while it brings it to the present one.
@Suite("A change of the layout that is interrupted")
struct MigrationPowerCutTests {
  private static let now: Int64 = 4_000_000_000_000_000
  private static let fixture =
    "\(#filePath.dropLast("PowerCutTests/MigrationPowerCutTests.swift".count))SeriesStoreTests/Fixtures/layout-1.sqlite"

  /// What a store holds.
  private struct Contents: Equatable {
    var sessions: [SessionSummary] = []
    var rates: [[HeartRateValue]] = []
    var beats: [HeartbeatSeries] = []
    var gaps: [[RecordingGap]] = []
    var steps: [QuantityList.Element] = []
    var samples: [HealthSample] = []
    var damages: [StoreDamage] = []
  }

  /// What the store at `path` holds once a writer has opened it.
  private func contents(of path: String) async throws -> Contents {
    let store = try HealthStore.open(path, for: .writing)
    var contents = Contents()
    contents.sessions = try await store.sessions()
    for session in contents.sessions {
      contents.rates.append(try await store.rates(of: session.id))
      contents.beats.append(try await store.beats(of: session.id))
      contents.gaps.append(try await store.gaps(of: session.id))
    }
    contents.steps = Array(try await QuantityQuery(.stepCount).result(for: store).value)
    contents.samples = try await SampleQuery(order: [.init(.change)]).result(for: store).value
    contents.damages = try await store.check()
    await store.close()
    return contents
  }

  @Test(
    "killed at any write, or with the disk full from any write on, the store has every value once and is brought on by the next",
    arguments: ["KILL", "KILLED", "ENOSPC"])
  func interrupted(_ fault: String) async throws {
    let whole = try DrivenRecorder()
    try FileManager.default.copyItem(atPath: Self.fixture, toPath: whole.store)
    let expected = try await contents(of: whole.store)
    #expect(expected.samples.count == 7 && expected.damages.count == 1)
    var survivedAt: Int?
    for call in stride(from: 1, to: 1000, by: 1) {
      let recorder = try DrivenRecorder()
      try FileManager.default.copyItem(atPath: Self.fixture, toPath: recorder.store)
      let last = fault == "ENOSPC" ? 1_000_000 : call
      let life = try recorder.live(
        ["stop"], boot: 1, now: Self.now, faults: "write:\(fault):\(call):\(last):sensord.sqlite")
      #expect(try await contents(of: recorder.store) == expected, "write \(call)")
      if life.status == 0 {
        survivedAt = call
        break
      }
    }
    #expect(try #require(survivedAt) > 10, "the change of the layout is many writes")
  }
}
