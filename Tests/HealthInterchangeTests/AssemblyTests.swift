import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Sessions of what was read")
struct AssemblyTests {
  private func session(_ elements: [ForeignElement], _ format: ForeignFormat = .fit) throws -> (
    RecordedSession, ReadingAccount
  ) {
    var assembly = RecordingAssembly(format, start: MadeUp.start)
    for element in elements { #expect(try assembly.take(element) == nil) }
    return (try #require(try assembly.finish()), assembly.account)
  }

  private func text(_ intervals: [UInt32]) throws -> RecordedSession {
    try session([.ticks(perSecond: 1000, from: nil), .firstBeat(0, [])] + intervals.map { .nextBeat($0, []) }, .rr).0
  }

  @Test("texts with the same start are other sessions if they begin otherwise, and the same if one is longer")
  func texts() throws {
    let first = try text(Array(800..<820))
    #expect(try text(Array(800..<810)).id == first.id)
    #expect(try text([800, 801, 802] + Array(700..<720)).id != first.id)
  }

  @Test("of TCX, which names its maker last, the first rates say which session it is")
  func tracks() throws {
    func track(_ rates: [UInt16]) throws -> RecordedSession {
      try session(rates.enumerated().map { .rate(MadeUp.time(Double($0)), $1) }, .tcx).0
    }
    let first = try track(Array(60..<80))
    #expect(try track(Array(60..<70)).id == first.id)
    #expect(try track([60, 62, 64]).id != first.id)
  }

  @Test("rates that stop or are missing where no beat is known are gaps, also in a session that has beats")
  func gaps() throws {
    let beats: [ForeignElement] = [.placedInterval(1000, MadeUp.time(20)), .placedInterval(1000, MadeUp.time(21))]
    let rates = [0, 1, 2, 19, 20, 21, 22, 60].map { ForeignElement.rate(MadeUp.time($0), 60) }
    let found = try session(rates + beats).0.gaps.map { [$0.start, $0.end] }
    #expect(found == [[MadeUp.time(2), MadeUp.time(19)], [MadeUp.time(22), MadeUp.time(60)]])
  }

  @Test("beats that are older than the one before are left out, and told")
  func order() throws {
    let (placed, account) = try session(
      [
        .placedInterval(1000, MadeUp.time(20)), .placedInterval(900, MadeUp.time(5)),
        .placedInterval(800, MadeUp.time(21)),
      ])
    #expect(placed.heartbeats.beats.map(\.rrTicks) == [0, 1000, 0, 800])
    #expect(account.leftOut == ["beat out of order": 1])
    let (ticked, other) = try session(
      [
        .ticks(perSecond: 100, from: MadeUp.start), .firstBeat(2000, []), .nextBeat(100, []), .firstBeat(500, []),
        .nextBeat(90, []),
        .firstBeat(3000, []),
      ], .wfdb)
    #expect(ticked.heartbeats.beats.count == 3)
    #expect(other.leftOut == ["beat out of order": 2])
  }

  @Test("text with zeros, or with a bad line behind a good one, is text; other files with numbers are not")
  func recognized() {
    #expect(IntervalTextReader.recognizes(Array("800\n0\n810\n99999\n".utf8)))
    #expect(IntervalTextReader.recognizes(Array("800\nbad\n810\n".utf8)))
    for text in ["RR\n800\n810\n", "# a\n\n\"RR (ms)\";\n800;\n", "800;810;820", "800\t\n810\t\n", "800\t810\n"] {
      #expect(IntervalTextReader.recognizes(Array(text.utf8)), "\(text)")
    }
    let others = [
      "0\n800\n", "800\nbad\nworse\n", "time;rr\n800\n", "1;800\n2;810\n", "a\nb\n800\n810\n", "RR\n", "<a>\n800\n",
    ]
    for other in others {
      #expect(!IntervalTextReader.recognizes(Array(other.utf8)), "\(other)")
    }
  }

  @Test(
    "intervals ahead of the clock of their records are left out, told, and a gap; those that wait for a later record are not"
  )
  func ahead() throws {
    var elements: [ForeignElement] = [.timer(isRunning: true, MadeUp.start)]
    for second in 0..<120 {
      elements.append(.moment(MadeUp.time(Double(second))))
      // For half a minute twice as many.
      elements += [ForeignElement](repeating: .interval(1000), count: (40..<70).contains(second) ? 2 : 1)
    }
    let (found, account) = try session(elements)
    let left = try #require(account.leftOut["interval ahead of the clock of its records"])
    #expect(account.leftOut.count == 1 && left >= 25 && left <= 36, "\(account.leftOut)")
    #expect(found.heartbeats.beats.count - found.heartbeats.runs.count == 150 - left)
    #expect(!found.gaps.isEmpty && found.gaps.allSatisfy { $0.reason == "lost" })
    #expect(found.heartbeats.gapCount == found.gaps.count)
    #expect(abs(found.end.microseconds(since: MadeUp.time(119))) <= 5_000_000)
    // A record each twelve seconds, and intervals between them.
    let seldom = (0..<60).flatMap { second -> [ForeignElement] in
      (second % 12 == 0 ? [.moment(MadeUp.time(Double(second)))] : []) + [.interval(1000)]
    }
    let (whole, none) = try session(
      [.timer(isRunning: true, MadeUp.start)] + seldom + [.timer(isRunning: false, MadeUp.time(60))])
    #expect(whole.heartbeats.beats.count == 61 && whole.gaps.isEmpty && none.leftOut.isEmpty, "\(none.leftOut)")
  }

  @Test("by an interval above ten seconds time passes, which is not covered")
  func long() throws {
    var elements: [ForeignElement] = [.timer(isRunning: true, MadeUp.start), .moment(MadeUp.time(0))]
    for second in [1, 2, 3, 15, 16, 17] {
      elements += [.moment(MadeUp.time(Double(second))), .interval(second == 15 ? 12_000 : 1000)]
    }
    let (found, account) = try session(elements)
    #expect(account.leftOut == ["interval above 10 s": 1])
    #expect(found.heartbeats.runs.map { $0.map.anchor } == [MadeUp.time(0), MadeUp.time(15)])
    #expect(found.gaps == [RecordingGap(reason: "lost", start: MadeUp.time(3), end: MadeUp.time(15))])
    #expect(abs(try #require(found.coverage).floor - 5.0 / 17) < 1e-9)
  }

  @Test("runs say how far their times may be from what they were; the same session as before")
  func uncertainty() throws {
    func run(_ elements: [ForeignElement], _ format: ForeignFormat) throws -> [Int64] {
      try session(elements, format).0.heartbeats.runs.map(\.map.uncertaintyMicroseconds)
    }
    #expect(try run([.moment(MadeUp.time(1)), .interval(1000)], .fit) == [1_000_000])
    #expect(try text([800]).heartbeats.runs.map(\.map.uncertaintyMicroseconds) == [1_000_000])
    let beats: [ForeignElement] = [.firstBeat(0, []), .nextBeat(300, []), .firstBeat(3000, []), .nextBeat(300, [])]
    #expect(try run([.ticks(perSecond: 360, from: MadeUp.start)] + beats, .wfdb) == [2778, 2778])
    #expect(try run([.ticks(perSecond: 360, from: nil)] + beats, .wfdb) == [1_000_000, 1_000_000])
    #expect(try run([.ticks(perSecond: 100, from: MadeUp.start)] + beats, .apple) == [10_000, 10_000])
    let placed = ForeignElement.placedInterval(800, MadeUp.time(2))
    #expect(try run([placed], .hrvlogger) == [1_000_000])
    #expect(
      try run([.timesWithin(milliseconds: 7, knownBy: MadeUp.time(1.2)), placed], .hrvlogger) == [7000])
  }

  @Test("what no lap covers is a lap of its own, and what is less than a second goes to the one before")
  func laps() throws {
    func laps(_ parts: [(Double, Double)]) throws -> [[Timestamp]] {
      let laps = try parts.map { part in
        InterchangeRecording.Lap(
          try #require(TimeSpan(start: MadeUp.time(part.0), end: MadeUp.time(part.1))), activity: .running)
      }
      return MadeUp.recording(seconds: 100, laps: laps).laps.map { [$0.span.start, $0.span.end] }
    }
    #expect(
      try laps([(10, 20), (20.5, 50)])
        == [(0, 10), (10, 20.5), (20.5, 50), (50, 100)].map { [MadeUp.time($0), MadeUp.time($1)] })
    #expect(try laps([(0, 100)]) == [[MadeUp.time(0), MadeUp.time(100)]])
  }
}
