import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Formats of text")
struct TextFormatTests {
  @Test("intervals, one a line, none across the gap")
  func intervals() throws {
    #expect(InterchangeFormat.rr.text(of: try MadeUp.withGap()) == "1000\n1000\n1000\n1000\n")
  }

  @Test("HRV Logger has the time and the milliseconds since the start, so that a gap shows")
  func logger() throws {
    #expect(
      InterchangeFormat.hrvlogger.text(of: try MadeUp.withGap()) == """
        date, rr, since start
        2026-11-21 02:08:09 +0000, 1000, 1400
        2026-11-21 02:08:10 +0000, 1000, 2400
        2026-11-21 02:08:17 +0000, 1000, 9700
        2026-11-21 02:08:18 +0000, 1000, 10700

        """)
  }

  @Test("TCX has a lap for each part, and a track for each stretch of rates")
  func tcx() throws {
    var recording = try MadeUp.withGap()
    recording.activity = .init("running")
    #expect(
      InterchangeFormat.tcx.text(of: recording) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
         <Activities>
          <?sensord session 3f2a91bc-1111-4222-8333-444444444444 sensord?>
          <Activity Sport="Running">
           <Id>2026-11-21T02:08:08.000Z</Id>
           <Lap StartTime="2026-11-21T02:08:08.000Z">
            <TotalTimeSeconds>11.500</TotalTimeSeconds>
            <DistanceMeters>0</DistanceMeters>
            <Calories>0</Calories>
            <AverageHeartRateBpm><Value>66</Value></AverageHeartRateBpm>
            <MaximumHeartRateBpm><Value>72</Value></MaximumHeartRateBpm>
            <Intensity>Active</Intensity>
            <TriggerMethod>Manual</TriggerMethod>
            <Track>
             <Trackpoint><Time>2026-11-21T02:08:08Z</Time><HeartRateBpm><Value>60</Value></HeartRateBpm></Trackpoint>
             <Trackpoint><Time>2026-11-21T02:08:09Z</Time><HeartRateBpm><Value>61</Value></HeartRateBpm></Trackpoint>
             <Trackpoint><Time>2026-11-21T02:08:10Z</Time><HeartRateBpm><Value>62</Value></HeartRateBpm></Trackpoint>
            </Track>
            <?sensord gap?>
            <Track>
             <Trackpoint><Time>2026-11-21T02:08:17Z</Time><HeartRateBpm><Value>70</Value></HeartRateBpm></Trackpoint>
             <Trackpoint><Time>2026-11-21T02:08:18Z</Time><HeartRateBpm><Value>71</Value></HeartRateBpm></Trackpoint>
             <Trackpoint><Time>2026-11-21T02:08:19Z</Time><HeartRateBpm><Value>72</Value></HeartRateBpm></Trackpoint>
            </Track>
           </Lap>
           <Creator xsi:type="Device_t">
            <Name>Strap &lt;A&amp;B&gt;</Name><UnitId>0</UnitId><ProductID>0</ProductID>
            <Version><VersionMajor>0</VersionMajor><VersionMinor>0</VersionMinor></Version>
           </Creator>
          </Activity>
         </Activities>
        </TrainingCenterDatabase>

        """)
  }

  @Test("a rate on the border of two laps is in the second")
  func laps() throws {
    var recording = MadeUp.recording(seconds: 4, rates: (0..<4).map { (Double($0) + 0.5, UInt16(60 + $0)) })
    recording.laps = [
      .init(TimeSpan(start: MadeUp.time(0), end: MadeUp.time(2))!),
      .init(TimeSpan(start: MadeUp.time(2), end: MadeUp.time(4))!),
    ]
    let laps = InterchangeFormat.tcx.text(of: recording).split(separator: "<Lap ").dropFirst()
    #expect(laps.map { $0.split(separator: "<Trackpoint>").count - 1 } == [2, 2])
  }

  private func intervals(_ text: String, pieces: Int = 64) throws -> (session: RecordedSession, account: ReadingAccount)
  {
    let reading = try Reading(Array(text.utf8), .rr, start: MadeUp.time(0), pieces: pieces)
    return (try #require(reading.sessions.first), reading.account)
  }

  private func ticks(_ session: RecordedSession) -> [UInt32] {
    session.heartbeats.beats.filter { !$0.flags.contains(.firstOfRun) }.map(\.rrTicks)
  }

  @Test(
    "fractions of a millisecond are kept in ticks, and said; whole milliseconds stay what they are", arguments: [1, 64])
  func fractions(pieces: Int) throws {
    // Of a strap, which counts 1/1024 s, with all digits and with one; also in seconds.
    for text in ["800\n812.5\n811.5234375\n", "800.0\n812.5\n811.5\n", "0.8\n0.8125\n0.8115\n"] {
      let (session, account) = try intervals(text, pieces: pieces)
      #expect(session.heartbeats.timescale == 1024 && ticks(session) == [819, 832, 831], "\(text)")
      #expect(
        account.notes == ["intervals have fractions of a millisecond: they are kept in ticks of 1/1024 s"], "\(text)")
      #expect(session.metadata["importedIntervalResolution"] == .text("1/1024 s"))
      #expect(session.metadata["importedTimeResolution"] == .text("none"))
    }
    for text in ["800\n812\n811\n", "\u{FEFF}800.0\r\n812.00\r\n811\r\n", "0.800\n0.812\n0.811\n"] {
      let (session, account) = try intervals(text, pieces: pieces)
      #expect(session.heartbeats.timescale == 1000 && ticks(session) == [800, 812, 811], "\(text)")
      #expect(account.notes.isEmpty && session.metadata["importedIntervalResolution"] == .text("1 ms"))
    }
    // Their sum does not drift.
    for length in ["900.4", "900.05", "899.6"] {
      let long = try intervals(String(repeating: "\(length)\n", count: 5000)).session
      let sum = Double(ticks(long).reduce(0) { $0 + Int($1) })
      #expect(abs(sum - Double(length)! * 1.024 * 5000) <= 2, "\(length)")
    }
    // Too late.
    let (late, account) = try intervals(String(repeating: "800\n", count: 64) + "812.5\n")
    #expect(late.heartbeats.timescale == 1000 && ticks(late).last == 813)
    #expect(account.notes == ["fractions behind the first 64 intervals are rounded to whole milliseconds"])
    // What is before damage is there.
    let text = "800\n812.5\n" + String(repeating: "x\n", count: 64)
    let damaged = try Reading(Array(text.utf8), .rr, start: MadeUp.time(0), pieces: pieces)
    #expect(damaged.damage == FileDamage("line 3", "from here on 64 lines are no intervals"))
    #expect(damaged.sessions.first.map(ticks) == [819, 832])
  }

  @Test("what is no interval is left out, counted, and a gap of at least an interval", arguments: [1, 64])
  func lost(pieces: Int) throws {
    for (line, reason) in [
      ("0", "interval that is none"), ("65535", "interval that is none"), ("99999", "interval that is none"),
      ("bad", "line that is no interval"), ("1;2", "line that is no interval"), ("5", "interval that is none"),
    ] {
      for fraction in ["", ".5"] {
        let (session, account) = try intervals("1000\n900\n\(line)\n800\n700\(fraction)\n", pieces: pieces)
        #expect(account.leftOut == [reason: 1], "\(line)")
        let factor = fraction.isEmpty ? 1 : 1.024
        #expect(
          ticks(session) == [1000.0, 900, 800, fraction.isEmpty ? 700 : 700.5].map { UInt32(($0 * factor).rounded()) })
        #expect(session.heartbeats.runs.map(\.beats.count) == [3, 3] && session.heartbeats.gapCount == 1)
        #expect(session.heartbeats.beats[3].precededByGap)
        let gap = try #require(session.gaps.first)
        #expect(gap.reason == "lost" && session.gaps.count == 1)
        #expect(abs(gap.start.microseconds(since: MadeUp.time(1.9))) <= 2000)
        // As long as the interval before.
        #expect(abs(gap.end.microseconds(since: MadeUp.time(2.8))) <= 3000, "\(gap)")
        #expect(abs(try #require(session.coverage).floor - 3.4 / 4.3) < 0.001)
      }
    }
    // In front and behind there is no gap.
    let (ends, account) = try intervals("900\n0\n", pieces: pieces)
    #expect(ends.gaps.isEmpty && account.leftOut == ["interval that is none": 1])
  }

  @Test("above ten seconds time passes by what stands there")
  func pause() throws {
    let (session, account) = try intervals("1000\n12000\n0\n800\n")
    #expect(account.leftOut == ["interval above 10 s": 1, "interval that is none": 1])
    #expect(
      session.heartbeats.runs.map { $0.map.time(atTicks: $0.firstTick, timescale: 1000) } == [0, 14].map(MadeUp.time))
    #expect(try intervals("1000\n10000\n").session.gaps.isEmpty)
  }

  @Test("the unit is that of most, and an artefact in front costs itself alone", arguments: [1, 64])
  func unit(pieces: Int) throws {
    for (text, expected, left) in [
      ("8.5\n810\n820\n", [810, 820], 1), ("5\n810\n", [810], 1), ("0.8\n0.9\n11\n", [800, 900], 1),
      ("8.5\n0.81\n0.82\n", [8500, 810, 820], 0), ("0.81\n900\n0.82\n", [810, 820], 1), ("9\n", [9000], 0),
    ] as [(String, [UInt32], Int)] {
      let (session, account) = try intervals(text, pieces: pieces)
      #expect(ticks(session) == expected, "\(text)")
      #expect(account.leftOut.values.reduce(0, +) == left, "\(text): \(account.leftOut)")
      #expect(session.heartbeats.timescale == 1000)
    }
  }

  @Test("a heading, blank lines, comments, and semicolons or tabs of one column are read", arguments: [1, 64])
  func columns(pieces: Int) throws {
    for (text, left) in [
      ("RR\n800\n810\n820", ["header line": 1]), ("800;810;820", [:]), ("800;\r\n810;\r\n\r\n820;\r\n", [:]),
      ("# a\n800\t\n810\n\n820\n", ["comment": 1]), ("800\t810\t820\n", [:]),
    ] as [(String, [String: Int])] {
      #expect(ForeignFormat(beginning: Array(text.utf8)) == .rr, "\(text)")
      let (session, account) = try intervals(text, pieces: pieces)
      #expect(ticks(session) == [800, 810, 820] && session.gaps.isEmpty, "\(text)")
      #expect(account.leftOut == left, "\(text)")
    }
    let line = "of intervals as text line 3 would be a number of "
    #expect(IntervalTextReader.refusal(Array("# a\n\n1;800\n2;810\n".utf8))?.hasPrefix(line) == true)
    for other in ["<a/>", "{}", "\u{1}\u{2}", "\n"] { #expect(IntervalTextReader.refusal(Array(other.utf8)) == nil) }
  }

  @Test("a line of HRV Logger's without an interval is left out, counted, and a gap", arguments: [1, 64])
  func loggerLost(pieces: Int) throws {
    func read(_ rows: [String]) throws -> Reading {
      try Reading(
        Array(("date, rr, since start\n" + rows.joined(separator: "\n") + "\n").utf8), .hrvlogger, pieces: pieces)
    }
    let date = "2026-11-21 02:08:08 +0000"
    for row in ["\(date), 0, 1700", "\(date), x, 1700", "\(date), 800", "?"] {
      let reading = try read(["\(date), 900, 900", row, "\(date), 800, 2500", "\(date), 800, 3300"])
      #expect(reading.damage == nil)
      #expect(reading.account.leftOut == ["line that is no interval with its time": 1])
      let session = try #require(reading.sessions.first)
      #expect(ticks(session) == [900, 800, 800] && session.heartbeats.gapCount == 1, "\(row)")
      #expect(session.gaps.map(\.reason) == ["lost"])
      #expect(session.gaps.map { $0.end.microseconds(since: $0.start) } == [800_000])
    }
    let rows = ["\(date), 900, 900"] + [String](repeating: "?", count: 64)
    #expect(try read(rows).damage == FileDamage("line 3", "from here on 64 lines are no interval with its time"))
    #expect(try read(rows).sessions.count == 1)
  }

  @Test("HRV Logger's table is known behind a byte order mark")
  func mark() throws {
    let text = "\u{FEFF}date, rr, since start\r\n2026-11-21 02:08:09 +0000, 1000, 1400\r\n"
    #expect(ForeignFormat(beginning: Array(text.utf8)) == .hrvlogger)
    #expect(try Reading(Array(text.utf8), .hrvlogger).sessions.first?.heartbeats.beats.count == 2)
  }
}
