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
    try session(intervals.map { .interval($0) }, .rr).0
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
    for other in ["0\n800\n", "800\nbad\nworse\n", "time;rr\n800\n", "bad\n800\n810\n"] {
      #expect(!IntervalTextReader.recognizes(Array(other.utf8)), "\(other)")
    }
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
