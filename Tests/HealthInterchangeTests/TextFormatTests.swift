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
    let damaged = try Reading(Array("800\n812.5\nx\n".utf8), .rr, start: MadeUp.time(0), pieces: pieces)
    #expect(damaged.damage?.place == "line 3" && damaged.sessions.first.map(ticks) == [819, 832])
  }

  @Test("HRV Logger's table is known behind a byte order mark")
  func mark() throws {
    let text = "\u{FEFF}date, rr, since start\r\n2026-11-21 02:08:09 +0000, 1000, 1400\r\n"
    #expect(ForeignFormat(beginning: Array(text.utf8)) == .hrvlogger)
    #expect(try Reading(Array(text.utf8), .hrvlogger).sessions.first?.heartbeats.beats.count == 2)
  }

  @Test("zeros that TCX wants of each lap are not told, other numbers are")
  func obligatory() throws {
    let own = InterchangeFormat.tcx.text(of: try MadeUp.withGap())
    #expect(try Reading(Array(own.utf8), .tcx).account.leftOut.isEmpty)
    let others = own.replacing("<Calories>0<", with: "<Calories>12<").replacing("Meters>0<", with: "Meters>0.5<")
    #expect(try Reading(Array(others.utf8), .tcx).account.leftOut == ["Calories": 1, "DistanceMeters": 1])
  }
}
