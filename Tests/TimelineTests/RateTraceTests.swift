import HealthModel
import Testing

@testable import Timeline

@Suite("RateTrace")
struct RateTraceTests {
  /// What happens to a trace, times in seconds.
  private enum Step {
    case rate(UInt16, Int64)
    case loss(GapReason, Int64)
    case offSkin(Int64)
  }

  private func gaps(_ steps: [Step]) -> (gaps: [RecordingGap], covered: Int64) {
    var trace = RateTrace()
    var gaps: [RecordingGap] = []
    for step in steps {
      switch step {
      case .rate(let rate, let time): if let gap = trace.append(rate, at: time * 1_000_000) { gaps.append(gap) }
      case .loss(let reason, let time): trace.lose(reason, at: time * 1_000_000)
      case .offSkin(let time): trace.leaveSkin(at: time * 1_000_000)
      }
    }
    return (gaps, trace.coveredMicroseconds / 1_000_000)
  }

  private func gap(_ reason: GapReason, _ start: Int64, _ end: Int64, lost: Int) -> RecordingGap {
    RecordingGap(reason, from: start * 1_000_000, to: end * 1_000_000, estimatedLostBeats: lost)
  }

  @Test("ten seconds between two rates are no gap, a second more is a silence from the one to the other")
  func silence() {
    #expect(gaps([.rate(60, 100), .rate(60, 110)]).gaps == [])
    #expect(gaps([.rate(60, 100), .rate(60, 111)]).gaps == [gap(.silence, 100, 111, lost: 11)])
  }

  @Test("a known loss is a gap from the last rate before it to the next one after it, however short")
  func loss() {
    for reason in [.link("timeout"), .link(nil), .recorder("disk full"), .boot] as [GapReason] {
      let found = gaps([.rate(60, 100), .rate(60, 101), .loss(reason, 102), .rate(60, 103), .rate(60, 104)])
      #expect(found.gaps == [gap(reason, 101, 103, lost: 2)])
    }
  }

  @Test("off the skin for longer than ten seconds is a gap of contact, for less it is none")
  func offSkin() {
    let away = { (seconds: Int64) in
      self.gaps([.rate(60, 100)] + (1..<seconds).map { .offSkin(100 + $0) } + [.rate(60, 100 + seconds)]).gaps
    }
    #expect(away(10) == [])
    #expect(away(20) == [gap(.contact, 100, 120, lost: 20)])
  }

  @Test("of two losses in one silence the first counts, with the first explanation for it; contact counts last")
  func reasons() {
    let reason = { (steps: [Step]) in self.gaps([.rate(60, 100)] + steps + [.rate(60, 130)]).gaps.map(\.cause) }
    #expect(reason([.loss(.link("local"), 101), .loss(.link("remote"), 105)]) == ["link: local"])
    #expect(reason([.loss(.link(nil), 101), .loss(.link("remote"), 105)]) == ["link: remote"])
    #expect(reason([.loss(.recorder(nil), 101), .loss(.link("remote"), 105)]) == ["recorder"])
    #expect(reason([.offSkin(101), .loss(.link(nil), 105)]) == ["link"])
    #expect(reason([.loss(.boot, 105), .offSkin(106)]) == ["boot"])
  }

  @Test("beats are estimated by the mean of the rates around and the gap's length; where one is unknown, by the other")
  func lostBeats() {
    let lost = { (first: UInt16, second: UInt16) in
      self.gaps([.rate(first, 0), .rate(second, 30)]).gaps.map(\.estimatedLostBeats)
    }
    #expect(lost(60, 120) == [45])
    #expect(lost(0, 120) == [60])
    #expect(lost(60, 0) == [30])
    #expect(lost(0, 0) == [0])
  }

  @Test("before the first rate and after the last there is no gap")
  func edges() {
    #expect(gaps([.loss(.link(nil), 1), .offSkin(2), .rate(60, 100)]).gaps == [])
    #expect(gaps([.rate(60, 100), .loss(.link(nil), 101), .offSkin(160)]).gaps == [])
  }

  @Test("a rate covers the time until the next, ten seconds at most, and none after a loss or off the skin")
  func covered() {
    #expect(gaps([.rate(60, 100), .rate(60, 108)]).covered == 8)
    #expect(gaps([.rate(60, 100), .rate(60, 160), .rate(60, 161)]).covered == 11)
    #expect(gaps([.rate(60, 100), .loss(.link(nil), 103), .loss(.boot, 105), .rate(60, 107)]).covered == 3)
    #expect(gaps([.rate(60, 100), .offSkin(104), .loss(.link(nil), 106), .rate(60, 150)]).covered == 4)
    #expect(gaps([.rate(60, 100), .loss(.link(nil), 130), .rate(60, 150)]).covered == 10)
    #expect(gaps([.rate(60, 100), .offSkin(102), .rate(60, 104)]).covered == 2)
  }

  @Test("the last rate covers the time until the session's end, by the same rule")
  func coveredUntilTheEnd() {
    var trace = RateTrace()
    #expect(trace.coveredMicroseconds(until: 5_000_000) == 0)
    _ = trace.append(60, at: 1_000_000)
    #expect(trace.coveredMicroseconds(until: 5_000_000) == 4_000_000)
    #expect(trace.coveredMicroseconds(until: 50_000_000) == 10_000_000)
    trace.lose(.link(nil), at: 3_000_000)
    #expect(trace.coveredMicroseconds(until: 50_000_000) == 2_000_000)
  }
}
