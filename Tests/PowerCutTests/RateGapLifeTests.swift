import Captures
import Foundation
import HealthModel
import Ingestion
import SeriesStore
import Testing

/// A strap that sends rates without intervals, and a recorder to which everything happens, in virtual time.
@Suite("Gaps of rates in a recorder's lives")
struct RateGapLifeTests {
  private static let strap = "C0:FF:EE:00:00:01"
  private static let now: Int64 = 4_000_000_000_000_000

  /// What happens between twenty seconds of values and twenty more.
  enum Loss: String, CaseIterable {
    case link, offSkin, silence, killed, boot

    /// The second in which the values go on, counted from the first one.
    var resumes: Int64 { self == .silence ? 31 : 80 }
  }

  /// A value each second; flags 0: no contact bits, 4: no contact, 6: contact.
  private func values(_ count: Int64, flags: Int = 0, rate: String = "3c") -> [String] {
    (0..<count).flatMap { _ in ["value \(Self.strap) 0\(flags) \(rate)", "pass 1000000"] }
  }

  /// The lives of the recorder: the boot, the clock at its start, in seconds since the first, and the steps.
  private func lives(_ loss: Loss, on flags: Int) -> [(boot: Int, start: Int64, script: [String])] {
    let link = ["connected \(Self.strap)"]
    let before = link + values(20, flags: flags)
    let after = values(20, flags: flags) + ["settle", "stop"]
    let missing = loss.resumes - 20
    switch loss {
    case .link:
      return [
        (1, 0, before + ["disconnected \(Self.strap)", "pass \(missing * 1_000_000)"] + link + after)
      ]
    case .offSkin:
      // Without contact bits a rate of 0 says it.
      return [(1, 0, before + values(missing, flags: flags == 0 ? 0 : 4, rate: flags == 0 ? "00" : "3c") + after)]
    case .silence: return [(1, 0, before + ["pass \(missing * 1_000_000)"] + after)]
    // Each life begins with the same wall clock.
    case .killed, .boot:
      let second = ["clock \(loss.resumes * 1_000_000)"] + link + after
      return [(1, 0, before + ["die"]), (loss == .boot ? 2 : 1, loss.resumes, second)]
    }
  }

  @Test(
    "each loss is stored with its reason and the instants of the rates around it, and a replay of the kept capture is equal",
    arguments: Loss.allCases, [0, 6])
  func stored(_ loss: Loss, flags: Int) async throws {
    let recorder = try DrivenRecorder()
    try await recorder.allow([Self.strap])
    for (boot, start, script) in lives(loss, on: flags) {
      let (status, _, errors) = try recorder.live(script, boot: boot, now: Self.now + start * 1_000_000)
      try #require(status == 0 || script.last == "die", "\(errors)")
    }
    let store = try HealthStore.open(recorder.store, for: .reading)
    let summary = try #require(try await store.sessions().first)
    #expect(try await store.sessions().count == 1)
    #expect(try await store.check() == [])
    let rates = try await store.rates(of: summary.id)
    let gaps = try await store.gaps(of: summary.id)
    let gap = try #require(gaps.first)
    #expect(gaps.count == 1 && summary.gapCount == 1)
    let reason = [.link: "link", .offSkin: "contact", .silence: "silence", .boot: "boot"][loss] ?? "recorder"
    #expect(gap.reason == reason)
    #expect(gap.detail == nil)
    #expect(gap.start == rates[19].time)
    #expect(gap.end == rates.first { $0.time > gap.start && $0.contact != .notDetected }?.time)
    #expect(gap.end.microseconds(since: gap.start) == (loss.resumes - 19) * 1_000_000)
    #expect(gap.estimatedLostBeats == Double(loss.resumes - 19))
    let coverage = try #require(summary.coverage)
    #expect(coverage.floor == coverage.ceiling && coverage.floor < 1)

    let file = "\(recorder.store).captures/\(summary.id.uuidString.lowercased()).capture"
    let capture = try #require(try CaptureFile.read(path: file).captures.first)
    let other = try HealthStore.open("\(recorder.root)/other.sqlite", for: .writing)
    let outcome = try await Replay(into: other, version: "test").store(capture)
    #expect(outcome.gaps == 1)
    #expect(try await other.gaps(of: summary.id) == gaps)
    #expect(try await other.sessions().first?.coverage == coverage)
  }
}
