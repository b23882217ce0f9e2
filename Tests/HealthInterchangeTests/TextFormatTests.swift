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
}
