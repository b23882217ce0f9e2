import HealthModel
import Testing

@testable import HealthInterchange

@Suite("WFDB")
struct WFDBTests {
  /// Header, zero byte, annotations: what the reader gets of two files.
  private func file(_ header: String, _ annotations: [UInt8]) -> [UInt8] { Array(header.utf8) + [0] + annotations }

  private func intervals(_ series: HeartbeatSeries) -> [[UInt32]] {
    series.runs.map { run in series.beats[run.beats].dropFirst().map(\.rrTicks) }
  }

  @Test("a header says when and how fine; annotations have beats at their ticks and a note at the gap")
  func written() throws {
    let bytes = InterchangeFormat.wfdb.bytes(of: try MadeUp.withGap())
    let parts = bytes.split(separator: 0, maxSplits: 1)
    #expect(
      String(decoding: parts[0], as: UTF8.self) == """
        3f2a91bc 0 1024 11776 02:08:08.000000 21/11/2026
        # time zone: UTC
        # made by: sensord
        # recording: session 3f2a91bc-1111-4222-8333-444444444444
        # source: sensord
        # source name: sensord
        # device: Strap <A&B>

        """)
    let second: [UInt8] = [0x00, 0xEC, 0x00, 0x00, 0x00, 0x04, 0x00, 0x04]  // 1,024 ticks do not fit into ten bits; N
    var annotations: [UInt8] = [0x00, 0x58, 0x18, 0xFC] + "## time resolution: 1024".utf8  // a note at 0
    annotations += [0x9A, 0x05] + second + second  // N at 0.4 s: tick 410
    annotations += [0x01, 0x58, 0x08, 0xFC] + "gap link".utf8
    annotations += [0x00, 0xEC, 0x00, 0x00, 0x32, 0x19, 0x00, 0x04] + second + second  // N at 8.7 s: tick 8,909
    annotations += [0x00, 0x00]
    #expect(Array(parts[1]) == annotations)
  }

  @Test("every beat comes again: its ticks, its flags, gaps", arguments: [1, 7, 64, 100_000])
  func again(pieces: Int) throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.time(0.4)))
    try builder.add(rrTicks: 900, precededByGap: true, flags: .firstOfRun)
    try builder.add(rrTicks: 1023)
    try builder.add(rrTicks: 511, flags: [.ectopic, .rateConflict])
    try builder.add(rrTicks: 1401, flags: .implausible)
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.time(60)))
    try builder.add(rrTicks: 900, precededByGap: true, flags: .firstOfRun)
    let recording = MadeUp.recording(seconds: 61, beats: try builder.finish(), gaps: [(3.3, 60)])
    let reading = try Reading(InterchangeFormat.wfdb.bytes(of: recording), .wfdb, pieces: pieces)
    #expect(reading.damage == nil)
    #expect(reading.account == ReadingAccount())
    let session = try #require(reading.sessions.first)
    #expect(reading.sessions.count == 1)
    #expect(session.heartbeats.timescale == 1024)
    #expect(intervals(session.heartbeats) == [[1023, 511, 1401], []])
    #expect(
      session.heartbeats.beats.map(\.flags) == [.firstOfRun, [], [.ectopic, .rateConflict], .implausible, .firstOfRun])
    for (run, seconds) in zip(session.heartbeats.runs, [0.4, 60]) {
      #expect(abs(run.map.anchor.microseconds(since: MadeUp.time(seconds))) <= 489)
    }
    #expect(session.gaps.map(\.reason) == ["stopped"])
    #expect(session.device.name == "Strap <A&B>")
    #expect(session.source == recording.source)
    #expect(session.metadata["importedIntervalResolution"] == "1/1024 s")
  }

  @Test("ten hours of a clock that goes wrong stay near the clock, and within a stretch ticks are the sensor's")
  func drift() throws {
    let ticks = [UInt32](repeating: 1024, count: 36_000)
    let beats = try MadeUp.series([(0, ticks)], slope: 100_000)
    let reading = try Reading(
      InterchangeFormat.wfdb.bytes(of: MadeUp.recording(seconds: 36_010, beats: beats)), .wfdb, pieces: 65_536)
    let session = try #require(reading.sessions.first)
    #expect(session.heartbeats.beats.count == 36_001)
    // 3.6 s late by the sum alone.
    let end = try #require(beats.locatedBeats.map(\.time).last)
    let found = try #require(session.heartbeats.locatedBeats.map(\.time).last)
    #expect(abs(found.microseconds(since: end)) <= 252_000)
    #expect(session.heartbeats.beats.dropFirst().allSatisfy { $0.rrTicks >= 1024 && $0.rrTicks <= 1025 })
    #expect(session.heartbeats.beats.dropFirst().prefix(2400).allSatisfy { $0.rrTicks == 1024 })
  }

  @Test("a cardiologist's annotations: premature beats are ectopic, lost signal is a gap, what is no beat is told")
  func codes() throws {
    let header = """
      # a comment first
      100/1 2 360/360(0) 650000 0:0:0 01/02/1990
      100.dat 212 200 11 1024 995 -22131 0 MLII
      100.dat 212 200 11 1024 1011 20052 0 V5

      """
    let annotations: [UInt8] = [
      0x12, 0x70, 0x03, 0xFC, 0x28, 0x4E, 0x00, 0x00,  // + at 18 with the rhythm "(N"
      0x3B, 0x04,  // N at 77
      0x25, 0x21,  // A at 370
      0x0A, 0x38, 0xFF, 0xF4,  // ~ at 380, subtype -1: no signal can be read
      0x2C, 0x05,  // N at 680
      0x00, 0xEC, 0x00, 0x00, 0xE8, 0x03, 0x00, 0x14,  // V, 1,000 ticks later
      0x05, 0x40,  // | at 1685
      0x64, 0x34,  // Q at 1785
      0x00, 0x00,
    ]
    let reading = try Reading(file(header, annotations), .wfdb, start: MadeUp.start, pieces: 3)
    #expect(reading.damage == nil)
    #expect(reading.account.leftOut == ["signal": 2, "annotation +": 1, "annotation |": 1])
    let session = try #require(reading.sessions.first)
    #expect(session.heartbeats.timescale == 360)
    #expect(intervals(session.heartbeats) == [[293], [1000, 105]])
    #expect(session.heartbeats.beats.map(\.flags) == [.firstOfRun, .ectopic, .firstOfRun, .ectopic, []])
    #expect(session.start == MadeUp.start.advanced(byMicroseconds: 77 * 1_000_000 / 360))
    #expect(session.source.name == "WFDB record 100")
  }

  @Test("a time resolution in the annotations counts more than the header's")
  func resolution() throws {
    let note: [UInt8] = [0x00, 0x58, 0x17, 0xFC] + "## time resolution: 250".utf8 + [0]
    let end: [UInt8] = [0x00, 0xEC, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x00]  // back by one and on by one, no annotation
    let beats: [UInt8] = [0xFA, 0x04, 0xFA, 0x04, 0x00, 0x00]
    let reading = try Reading(file("a 0 1000\n", note + end + beats), .wfdb, start: MadeUp.start)
    #expect(reading.damage == nil)
    let series = try #require(reading.sessions.first).heartbeats
    #expect(series.timescale == 250)
    #expect(series.locatedBeats.map { $0.time } == [MadeUp.time(1), MadeUp.time(2)])
  }

  @Test("without a zone it says nothing about when it was; that is told, and no time is made up")
  func zone() throws {
    let bytes = file("a 0 250 1000 10:00:00 01/02/2026\n", [0xFA, 0x04, 0xFA, 0x04, 0x00, 0x00])
    var (reader, assembly, elements) = (WFDBReader(), RecordingAssembly(.wfdb), [ForeignElement]())
    try reader.read(bytes, into: &elements)
    for element in elements { #expect(try assembly.take(element) == nil) }
    #expect(try assembly.finish() == nil)
    #expect(assembly.lacksStart)
    let known = try Reading(bytes, .wfdb, start: MadeUp.start)
    #expect(known.sessions.first?.start == MadeUp.time(1))
  }

  @Test("damage is named, and beats before it stay")
  func damaged() throws {
    let cut = try Reading(file("a 0 250\n", [0xFA, 0x04, 0xFA, 0x04]), .wfdb, start: MadeUp.start)
    #expect(cut.damage == FileDamage("byte 4 of the annotations", "the annotations end before their end mark"))
    #expect(cut.sessions.first?.heartbeats.beats.count == 2)
    let far = try Reading(
      file("a 0 1\n", [0x01, 0x04, 0x01, 0x04, 0x00, 0xEC, 0xFF, 0x7F, 0xFF, 0xFF, 0x00, 0x04, 0, 0]), .wfdb,
      start: MadeUp.start)
    #expect(far.damage == FileDamage("byte 10 of the annotations", "a time that no record has"))
    #expect(far.sessions.first?.heartbeats.beats.count == 2)
    let none = try Reading(Array("a 0 250\n".utf8), .wfdb)
    #expect(none.damage == FileDamage("byte 0 of the annotations", "there are no annotations"))
    let odd = try Reading(file("a 0 250.5\n", [0, 0]), .wfdb)
    #expect(odd.damage == FileDamage("line 1", "its sampling frequency is no whole number"))
    let back = try Reading(
      file("a 0 250\n", [0xFA, 0x04, 0x00, 0xEC, 0xFF, 0xFF, 0x9C, 0xFF, 0x00, 0x04, 0xFA, 0x04, 0, 0]), .wfdb,
      start: MadeUp.start)
    #expect(back.account.leftOut == ["beat out of order": 1])
    #expect(back.sessions.first.map { intervals($0.heartbeats) } == [[150]])
  }

  @Test(
    "a header has as many lines as it announces",
    arguments: [
      ("a 1 250\na.dat 16\n", true), ("a 2 250\na.dat 16\n", false), ("a/2 1 250 20\nb 10\nc 10\n", true),
      ("# only words\n\na 0 360/360(0) 5\n", true), ("a 9223372036854775807 250\n", false), ("a 0\n", false),
      ("700 -1 2\n", false),
    ])
  func recognized(text: String, isHeader: Bool) {
    #expect(WFDBReader.recognizes(Array(text.utf8)) == isHeader)
  }

  @Test(
    "names of records", arguments: [("ride", true), ("2026-11-21_a", true), ("", false), ("a b", false), ("ä", false)])
  func names(name: String, isRight: Bool) {
    #expect(WFDBHeader.isName(name) == isRight)
  }
}
