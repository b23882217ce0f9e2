import HealthModel
import Testing
import Timeline

/// Values that waited and arrived together while the sensor went on: nothing is lost, and beats are where they happened.
@Suite("Values that waited")
struct UntoldStallTests {
  /// The length of the session, the length of the wait, and the share of the rest that comes before it.
  struct Wait: CustomTestStringConvertible {
    var session: Double
    var length: Double
    var place: Double

    var start: Double { 2 + (session - length - 4) * place }
    var end: Double { start + length }
    var testDescription: String { "\(length) s of \(session) s from \(start) s" }

    static let all = [(75.0, 61.0), (100, 60), (100, 40), (600, 60)].flatMap { session, length in
      [0, 0.5, 1].map { Wait(session: session, length: length, place: $0) }
    }
  }

  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  private static func strap(_ seconds: Double, seed: UInt64) -> KnownStrap {
    let mean = 800 + Double(seed) * 60
    return KnownStrap(restingIntervals(Int(seconds * 1024 / mean), mean: mean, seed: seed), seed: seed)
  }

  /// A session of which some values waited, with or without a `stall`.
  private static func held(_ wait: Wait, isTold: Bool, seed: UInt64) -> (strap: KnownStrap, script: Script) {
    var strap = strap(wait.session, seed: seed)
    guard isTold else {
      strap.hold(wait.start..<wait.end)
      return (strap, strap.script())
    }
    for index in strap.packets.indices where (wait.start..<wait.end).contains(strap.packets[index].arrival) {
      strap.packets[index].arrival = wait.end
    }
    var script = Script()
    var isTold = false
    for packet in strap.packets {
      if packet.arrival == wait.end, !isTold {
        script.add(.stalled(microseconds: Int64(wait.length * 1e6)), at: wait.end)
        isTold = true
      }
      script.notify(strap.payload(packet), at: packet.arrival)
    }
    return (strap, script)
  }

  @Test("a wait of nearly the whole session too moves no beat by half a second", arguments: Wait.all, [false, true])
  func waits(wait: Wait, isTold: Bool) {
    for seed in 0..<2 as Range<UInt64> {
      let (strap, script) = Self.held(wait, isTold: isTold, seed: seed)
      let timeline = timeline(script)
      let greatest = strap.errors(in: timeline).map { abs($0 - KnownStrap.leastLatency) }.max() ?? 0
      #expect(greatest <= 0.5, "seed \(seed)")
      #expect(timeline.gaps.isEmpty, "seed \(seed)")
      #expect(timeline.quality.stalledMicroseconds == (isTold ? Int64(wait.length * 1e6) : nil))
    }
  }

  @Test("the stated uncertainty of beats around a wait holds for 95 % of them", arguments: [false, true])
  func uncertainty(isTold: Bool) {
    var inside = 0
    var count = 0
    for wait in Wait.all {
      for seed in 0..<3 as Range<UInt64> {
        let (strap, script) = Self.held(wait, isTold: isTold, seed: seed)
        let here = strap.countInside(SessionTimeline(script.events), latency: KnownStrap.foundLatency)
        inside += here
        count += strap.truth.count
      }
    }
    #expect(Double(inside) >= 0.95 * Double(count), "\(inside) of \(count)")
  }

  @Test("latencies of a minute are reported correctly, also their 95th percentile", arguments: 0..<3 as Range<UInt64>)
  func latencies(seed: UInt64) throws {
    let wait = Wait(session: 100, length: 60, place: 0.5)
    var strap = Self.strap(wait.session, seed: seed)
    strap.hold(wait.start..<wait.end)
    let quality = timeline(strap.script()).quality
    let latencies = strap.packets.map { $0.arrival - strap.truth[$0.beats.upperBound - 1] }.sorted()
    let greatest = try #require(quality.latencyGreatestMicroseconds)
    let most = try #require(quality.latency95Microseconds)
    #expect(abs(Double(greatest) / 1e6 - (latencies.last ?? 0)) < 0.5, "seed \(seed)")
    #expect(abs(Double(most) / 1e6 - latencies[(latencies.count * 95 + 99) / 100 - 1]) < 0.5, "seed \(seed)")
    #expect(greatest > 58_000_000 && most > 50_000_000, "seed \(seed)")
  }

  @Test(
    "ten minutes of an hour that come 0.7 s late leave its beats where they were", arguments: 0..<3 as Range<UInt64>)
  func holding(seed: UInt64) {
    var strap = Self.strap(3600, seed: seed)
    let from = [300.0, 1500, 2700][Int(seed)]
    for index in strap.packets.indices where (from..<(from + 600)).contains(strap.packets[index].arrival) {
      strap.packets[index].arrival += 0.7
    }
    let timeline = timeline(strap.script())
    #expect(timeline.gaps.isEmpty, "seed \(seed)")
    #expect(KnownStrap.spread(strap.errors(in: timeline)) < 0.05, "seed \(seed)")
    #expect(strap.shareInside(timeline, latency: KnownStrap.foundLatency) >= 0.95, "seed \(seed)")
  }
}
