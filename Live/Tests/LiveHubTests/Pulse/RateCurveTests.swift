import Testing

@testable import LiveHub

@Suite("The curve of a rate")
struct RateCurveTests {
  private typealias Rate = (time: Int64, rate: Double)
  private static let start: Int64 = 1_795_000_000_000

  /// A rate each second, from `start` on, without those of the seconds in `lost`.
  private func rates(_ count: Int, lost: [Range<Int>] = [], rate: (Int) -> Double = { 100 + Double($0 % 50) }) -> [Rate]
  {
    (0..<count).filter { second in !lost.contains { $0.contains(second) } }
      .map { (Self.start + Int64($0) * 1000, rate($0)) }
  }

  private func live(_ rates: [Rate]) -> RateCurve {
    var curve = RateCurve()
    for (time, rate) in rates { curve.add(rate, at: time) }
    return curve
  }

  @Test(
    "one by one and all at once are one curve, of two thousand columns at most", arguments: [10, 1999, 5000, 40_000])
  func equal(count: Int) {
    let all = rates(count, lost: [3..<4, 50..<90, 3000..<3010, 4000..<9000])
    let curve = live(all)
    #expect(curve == RateCurve(all))
    #expect(curve.columns.count <= RateCurve.mostColumns)
    #expect(curve.columns.reduce(0) { $0 + $1.count } == all.count)
  }

  @Test("no extreme is lost, and the time at each rate is exact")
  func extremes() {
    let curve = RateCurve(rates(40_000) { $0 == 20_000 ? 201 : $0 == 100 ? 39 : 70 })
    #expect(curve.columns.map(\.lowest).min() == 39 && curve.columns.map(\.highest).max() == 201)
    #expect(curve.held[201] == 1000 && curve.held[39] == 1000 && curve.held[70] == 39_997_000)
  }

  @Test("a gap begins where a value no longer holds, and is counted also where a column hides it")
  func gaps() {
    // At 60 a minute a value holds for 3.9 s.
    for (silence, isGap) in [(Int64(3900), false), (3901, true)] {
      let curve = RateCurve([(0, 60), (1000, 60), (2000, 60), (2000 + silence, 60)])
      #expect(curve.gaps == (isGap ? 1 : 0) && curve.missing == (isGap ? silence : 0))
      #expect(curve.columns.last?.followsGap == isGap)
    }
    let long = RateCurve(rates(60_000, lost: [30_001..<30_011, 40_000..<41_000]))
    #expect(long.width == 32_000 && long.gaps == 2)
    #expect(long.columns.count { $0.followsGap } == 1)
    // A hole in what arrived is one, however short.
    var curve = RateCurve()
    curve.add(60, at: 0)
    curve.add(60, at: 1000, precededByGap: true)
    #expect(curve.gaps == 1 && curve.columns.last?.followsGap == true)
  }

  @Test(
    "a source that has a rate every five seconds, or five minutes, has no gap for that", arguments: [5, 300] as [Int64])
  func slow(seconds: Int64) {
    let curve = RateCurve((0..<100).map { (Int64($0) * seconds * 1000 + ($0 > 50 ? 10 * seconds * 1000 : 0), 80) })
    #expect(curve.gaps == 1 && curve.held[80] == 99 * min(seconds, 10) * 1000 + (seconds == 5 ? 5000 : 0))
  }

  @Test("a session's beginning cuts off what was before")
  func beginning() {
    var curve = live(rates(100, lost: [20..<30, 60..<70]))
    curve.begin(at: Self.start + 40_000)
    #expect(curve.columns.first?.start == Self.start + 40_000 && curve.columns.first?.followsGap == false)
    #expect(curve.gaps == 1 && curve.missing == 11_000)
    #expect(curve.held.reduce(0, +) == 48_000 + 10_000)
    let cut = curve
    curve.begin(at: Self.start + 40_000)
    #expect(curve == cut)
    curve.begin(at: Self.start + 1_000_000)
    #expect(curve.columns.isEmpty && curve.json() == "null")
    curve.add(70, at: Self.start + 1_000_000)
    #expect(curve.columns.count == 1 && curve.gaps == 0)
  }

  @Test("what no heart has is not drawn, and a clock that is set back begins another curve")
  func nonsense() {
    var curve = live([(1000, 0), (1000, .nan), (1000, .infinity), (1000, 5000), (1000, -1)])
    #expect(curve.columns.isEmpty)
    curve.add(60, at: 100_000)
    curve.add(61, at: 99_500)
    #expect(curve.columns.reduce(0) { $0 + $1.count } == 2 && curve.columns.last?.end == 100_000)
    curve.add(62, at: 5000)
    #expect(curve.columns.map(\.highest) == [62] && curve.gaps == 0)
    let ends = RateCurve([(.min / 1000, 60), (.max / 1000, 60)])
    #expect(ends.gaps == 1)
  }

  @Test("of one sensor the last minute is remembered, and of sensors sixty-four")
  func room() {
    var room = Room()
    for second in 0..<400 {
      room.add(
        Reading(sensor: "one", microseconds: Int64(second) * 1_000_000, beatsPerMinute: 120, rrTicks: [512, 512]))
    }
    let beats = room.members["one"].map { Array($0.recentBeats) } ?? []
    #expect(beats.first?.time == 339_000 && beats.last == Room.Beat(time: 399_000, ticks: 512) && beats.count == 121)
    for number in 0..<100 { room.add(Reading(sensor: "\(number)", microseconds: 400_000_000, beatsPerMinute: 60)) }
    #expect(room.members.count == 64 && room.members["one"] == nil)
  }
}
