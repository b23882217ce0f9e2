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

  @Test("HRV Logger keeps intervals and gaps, at times as near as its dates say", arguments: [1, 50, 100_000])
  func logger(pieces: Int) throws {
    let bytes = InterchangeFormat.hrvlogger.bytes(of: try MadeUp.withGap())
    let reading = try Reading(bytes, .hrvlogger, pieces: pieces)
    #expect(reading.damage == nil)
    let session = try #require(reading.sessions.first)
    #expect(intervals(session.heartbeats) == [[1000, 1000], [1000, 1000]])
    // Dates change at 1.4 s and at 9.7 s: the beginning is between -0.4 and 0.3 s.
    let last = try #require(session.heartbeats.locatedBeats.map { $0.time.microseconds(since: MadeUp.start) }.last)
    #expect(abs(last - 10_700_000) <= 350_000)
    #expect(session.metadata["importedTimeResolution"] == "700 ms")
  }

  @Test("of many lines of HRV Logger's the dates say when it began, to milliseconds", arguments: [50, 100_000])
  func loggerStart(pieces: Int) throws {
    let ticks = (0..<6000).map { UInt32(700 + $0 * 37 % 300) }
    for begin in [0.0, 0.1234, 0.5, 0.987] {
      let beats = try MadeUp.series([(begin, ticks)])
      var recording = MadeUp.recording(seconds: 9000, beats: beats)
      recording.span = try #require(TimeSpan(start: MadeUp.time(begin), end: recording.span.end))
      let bytes = InterchangeFormat.hrvlogger.bytes(of: recording)
      let session = try #require(Reading(bytes, .hrvlogger, pieces: pieces).sessions.first)
      #expect(session.heartbeats.beats.count == 6001 && session.gaps.isEmpty)
      #expect(abs(session.start.microseconds(since: MadeUp.time(begin))) <= 5000)
      guard case .text(let told) = session.metadata["importedTimeResolution"] else {
        Issue.record("how exact it is is not told")
        continue
      }
      #expect(told.hasSuffix(" ms") && Int(told.dropLast(3)).map { $0 <= 10 } == true, "\(told)")
      // A part of it is the same session, though its dates say less.
      let part = try #require(Reading(Array(bytes[..<1000]), .hrvlogger).sessions.first)
      #expect(part.id == session.id && part.syncVersion < session.syncVersion)
    }
  }

  @Test("dates that cannot be right beside the first one move nothing")
  func loggerDates() throws {
    let text = """
      date, rr, since start
      2026-11-21 02:08:08 +0000, 1000, 400
      2026-11-21 02:08:29 +0000, 1000, 1400
      none, 1000, 2400

      """
    let session = try #require(Reading(Array(text.utf8), .hrvlogger).sessions.first)
    #expect(session.heartbeats.beats.count == 4)
    #expect(abs(session.start.microseconds(since: MadeUp.time(-0.6))) <= 600_000)
    #expect(session.metadata["importedTimeResolution"] == "1 s")
  }

  @Test(
    "how exactly times are known is said of beats, and of rates where they are others",
    arguments: [
      (InterchangeFormat.fit, ["1 ms", "1 s", nil]), (.tcx, ["none", "1 s", nil]),
      (.apple, ["1/100 s", "1/100 s", "1 s"]),
      (.wfdb, ["1/1024 s", "1/1024 s", nil]),
    ])
  func resolution(format: InterchangeFormat, expected: [String?]) throws {
    func told(_ recording: InterchangeRecording) throws -> [String?] {
      let foreign = try #require(ForeignFormat(rawValue: format.rawValue))
      let session = try #require(Reading(format.bytes(of: recording), foreign).sessions.first)
      return ["importedIntervalResolution", "importedTimeResolution", "importedRateTimeResolution"].map { key in
        if case .text(let text) = session.metadata[key] { text } else { nil }
      }
    }
    #expect(try told(MadeUp.withGap()) == expected)
    guard format != .wfdb else { return }
    #expect(try told(MadeUp.recording(seconds: 9, rates: [(1, 60), (2, 61)])) == ["none", "1 s", nil])
  }

  @Test(
    "a gap of rates comes in again, though it has but two seconds", arguments: [InterchangeFormat.fit, .tcx, .apple])
  func shortGap(format: InterchangeFormat) throws {
    // Two and a half seconds are two in formats of seconds.
    let rates: [(Double, UInt16)] = [(0.1, 60), (1, 61), (3.6, 62), (4.5, 63), (5.5, 64)]
    let foreign = try #require(ForeignFormat(rawValue: format.rawValue))
    var recording = MadeUp.recording(seconds: 6, rates: rates, gaps: [(1, 3.6)])
    recording.rates[1].time = MadeUp.time(1.05)
    recording.laps = try [(0.0, 5.0), (5.0, 6.0)].map { start, end in
      InterchangeRecording.Lap(try #require(TimeSpan(start: MadeUp.time(start), end: MadeUp.time(end))))
    }
    let session = try #require(Reading(format.bytes(of: recording), foreign).sessions.first)
    #expect(session.gaps == [RecordingGap(reason: "stopped", start: MadeUp.time(1), end: MadeUp.time(3))])
    // Before all beats, or behind them, too.
    for beats in [20.5, -20.0] where format == .apple {
      recording.heartbeats = try MadeUp.series([(beats, [1024])])
      recording.span = try #require(TimeSpan(start: MadeUp.time(-30), end: MadeUp.time(30)))
      let session = try #require(Reading(format.bytes(of: recording), foreign).sessions.first)
      #expect(session.gaps.contains(RecordingGap(reason: "stopped", start: MadeUp.time(1), end: MadeUp.time(3))))
    }
  }

  @Test(
    "the whole file counts as newer than one that was cut behind all its values",
    arguments: [InterchangeFormat.fit, .tcx, .apple])
  func behindValues(format: InterchangeFormat) throws {
    var recording = try MadeUp.withGap()
    recording.activity = .running
    recording.laps = try [(0.0, 3.0), (3.0, 10.0)].map { start, end in
      let span = try #require(TimeSpan(start: MadeUp.time(start), end: MadeUp.time(end)))
      return InterchangeRecording.Lap(span, activity: .running)
    }
    if format == .apple {
      let lap = try #require(TimeSpan(start: MadeUp.time(3), end: MadeUp.time(10)))
      recording.workout = Workout(
        id: MadeUp.id, WorkoutConfiguration(.running), over: recording.span, events: [WorkoutEvent(.lap, over: lap)])
    }
    let foreign = try #require(ForeignFormat(rawValue: format.rawValue))
    let bytes = format.bytes(of: recording)
    let whole = try #require(Reading(bytes, foreign).sessions.first)
    var versions: [Int64] = []
    for length in bytes.indices {
      guard let part = try Reading(Array(bytes[..<length]), foreign).sessions.first else { continue }
      versions.append(part.syncVersion)
      let lacks =
        part.rates != whole.rates || part.heartbeats != whole.heartbeats || part.markers != whole.markers
        || part.metadata != whole.metadata || part.device != whole.device || part.source != whole.source
      #expect(lacks == (part.syncVersion < whole.syncVersion), "of \(length) bytes")
    }
    #expect(versions == versions.sorted())
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

  @Test("what is no such file is none", arguments: ["", "hello", "<kml></kml>", "1,2,3\n", "700 800\n", "\u{0}\u{1}"])
  func unknown(text: String) {
    #expect(ForeignFormat(beginning: Array(text.utf8)) == nil)
  }
}
