import HealthModel
import Testing

@testable import HealthInterchange

/// What was written comes in again as far as its format has it. The proof of each writer and reader is what others read and wrote
/// (`make formats`, `ForeignFileTests`); this is that gaps and beats survive both.
@Suite("Written and read again")
struct RoundTripTests {
  private func intervals(_ series: HeartbeatSeries) -> [[UInt32]] {
    series.runs.map { run in series.beats[run.beats].dropFirst().map(\.rrTicks) }
  }

  @Test("FIT keeps rates, every beat, its intervals, and gaps to the second", arguments: [1, 7, 64, 100_000])
  func fit(pieces: Int) throws {
    let reading = try Reading(InterchangeFormat.fit.bytes(of: try MadeUp.withGap()), .fit, pieces: pieces)
    #expect(reading.damage == nil)
    #expect(reading.account == ReadingAccount())
    let session = try #require(reading.sessions.first)
    #expect(reading.sessions.count == 1)
    #expect(session.rates.map(\.beatsPerMinute) == [60, 61, 62, 70, 71, 72])
    #expect(session.rates.map { $0.time.microseconds(since: MadeUp.start) / 1_000_000 } == [0, 1, 2, 9, 10, 11])
    #expect(intervals(session.heartbeats) == [[1000, 1000], [1000, 1000]])
    #expect(session.heartbeats.runs.map { $0.map.anchor } == [MadeUp.time(0), MadeUp.time(9)])
    #expect(session.gaps == [RecordingGap(reason: "stopped", start: MadeUp.time(2), end: MadeUp.time(9))])
    #expect(session.device.name == "Strap <A&B>")
    #expect(session.source.name == "sensord")
    #expect(session.endReason == "imported")
  }

  @Test("FIT keeps a beat that stands alone between two gaps")
  func single() throws {
    let beats = try MadeUp.series([(0.5, [1024]), (5, []), (9, [512])])
    let recording = MadeUp.recording(seconds: 11, rates: [(0.6, 60), (5.2, 61), (9.3, 62)], beats: beats)
    let reading = try Reading(InterchangeFormat.fit.bytes(of: recording), .fit)
    #expect(reading.sessions.first?.heartbeats.runs.map(\.beats.count) == [2, 1, 2])
  }

  @Test("FIT keeps where laps end, though they stand behind all records")
  func laps() throws {
    var recording = try MadeUp.withGap()
    recording.laps = try [(0.0, 3.0), (3.0, 10.0)].map { start, end in
      let span = try #require(TimeSpan(start: MadeUp.time(start), end: MadeUp.time(end)))
      return InterchangeRecording.Lap(span, activity: .running)
    }
    let session = try #require(Reading(InterchangeFormat.fit.bytes(of: recording), .fit).sessions.first)
    #expect(session.markers.map(\.time) == [MadeUp.time(3), MadeUp.time(10)])
  }

  @Test("TCX keeps rates and the gap between tracks; laps are markers", arguments: [1, 50, 100_000])
  func tcx(pieces: Int) throws {
    var recording = try MadeUp.withGap()
    recording.activity = .init("running")
    let reading = try Reading(InterchangeFormat.tcx.bytes(of: recording), .tcx, pieces: pieces)
    #expect(reading.damage == nil)
    let session = try #require(reading.sessions.first)
    #expect(session.rates.map(\.beatsPerMinute) == [60, 61, 62, 70, 71, 72])
    #expect(session.gaps == [RecordingGap(reason: "stopped", start: MadeUp.time(2), end: MadeUp.time(9))])
    #expect(session.device.name == "Strap <A&B>")
    #expect(session.metadata["importedActivity"] == "running")
    #expect(session.markers == [SessionMarker(time: MadeUp.time(11), text: "lap")])
  }

  @Test("HRV Logger keeps intervals and gaps, at times of a second", arguments: [1, 50, 100_000])
  func logger(pieces: Int) throws {
    let bytes = InterchangeFormat.hrvlogger.bytes(of: try MadeUp.withGap())
    let reading = try Reading(bytes, .hrvlogger, pieces: pieces)
    #expect(reading.damage == nil)
    let series = try #require(reading.sessions.first).heartbeats
    #expect(intervals(series) == [[1000, 1000], [1000, 1000]])
    let late = series.locatedBeats.map { $0.time.microseconds(since: MadeUp.start) }
    #expect(late.last.map { $0 > 9_700_000 && $0 <= 10_700_000 } == true)
  }

  @Test("text keeps intervals alone, from the start that is said")
  func text() throws {
    let reading = try Reading(
      InterchangeFormat.rr.bytes(of: try MadeUp.withGap()), .rr, start: MadeUp.start, pieces: 3)
    let series = try #require(reading.sessions.first).heartbeats
    #expect(intervals(series) == [[1000, 1000, 1000, 1000]])
    #expect(series.start == MadeUp.start)
  }

  @Test(
    "a file that is cut has what could be read, in the same session, and the place is told",
    arguments: [InterchangeFormat.fit, .tcx, .wfdb, .apple])
  func cut(format: InterchangeFormat) throws {
    let bytes = format.bytes(of: try MadeUp.withGap())
    let foreign = try #require(ForeignFormat(rawValue: format.rawValue))
    let whole = try Reading(bytes, foreign, start: MadeUp.start)
    for length in bytes.indices {
      let part = try Reading(Array(bytes[..<length]), foreign, start: MadeUp.start)
      #expect(part.sessions.count <= 1)
      guard let session = part.sessions.first, let all = whole.sessions.first else { continue }
      #expect(session.rates.count <= all.rates.count)
      #expect(session.rates == Array(all.rates.prefix(session.rates.count)))
      #expect(session.heartbeats.beats.count <= all.heartbeats.beats.count)
      #expect(session.id == all.id)
      // Behind the last element XML may have a line feed, or none.
      if foreign == .fit || length < bytes.count - 1 { #expect(part.damage != nil) }
    }
  }

  @Test(
    "a format is known by what a file has", arguments: [InterchangeFormat.fit, .tcx, .rr, .hrvlogger, .wfdb, .apple])
  func recognized(format: InterchangeFormat) throws {
    let bytes = format.bytes(of: try MadeUp.withGap())
    #expect(ForeignFormat(beginning: Array(bytes.prefix(4096)))?.rawValue == format.rawValue)
  }

  @Test("what is no such file is none", arguments: ["", "hello", "<gpx></gpx>", "1,2,3\n", "700 800\n", "\u{0}\u{1}"])
  func unknown(text: String) {
    #expect(ForeignFormat(beginning: Array(text.utf8)) == nil)
  }
}
