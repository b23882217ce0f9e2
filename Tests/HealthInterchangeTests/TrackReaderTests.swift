import HealthModel
import Testing

@testable import HealthInterchange

@Suite("GPX read")
struct TrackReaderTests {
  private static func point(_ second: Int, _ extensions: String) -> String {
    "<trkpt lat='10.\(second)' lon='20'><ele>7</ele><time>\(MadeUp.time(Double(second)).iso8601())</time>"
      + "<extensions>\(extensions)</extensions></trkpt>"
  }

  private static func read(_ tracks: String, pieces: Int = 64) throws -> Reading {
    let text =
      "<?xml version='1.0'?><gpx version='1.1' creator='A &amp; B' xmlns='http://www.topografix.com/GPX/1/1' xmlns:ns3='a' "
      + "xmlns:gpxtpx='b' xmlns:gpxdata='c'><metadata><time>2020-01-01T00:00:00Z</time></metadata>\(tracks)</gpx>"
    let bytes = Array(text.utf8)
    #expect(ForeignFormat(beginning: bytes) == .gpx)
    return try Reading(bytes, .gpx, pieces: pieces)
  }

  @Test(
    "rates under every prefix that programs write",
    arguments: [
      "<gpxtpx:TrackPointExtension><gpxtpx:hr>9%</gpxtpx:hr></gpxtpx:TrackPointExtension>",
      "<ns3:TrackPointExtension><ns3:hr>9%</ns3:hr></ns3:TrackPointExtension>", "<gpxdata:hr>9%</gpxdata:hr>",
      "<hr>9%</hr>", "<heartrate>9%</heartrate>",
    ])
  func prefixes(form: String) throws {
    let points = (0..<5).map { Self.point($0, form.replacing("%", with: "\($0)")) }.joined()
    let reading = try Self.read("<trk><type>Run</type><trkseg>\(points)</trkseg></trk>")
    #expect(reading.damage == nil && reading.account.leftOut.isEmpty)
    #expect(reading.sessions.map { $0.rates.map(\.beatsPerMinute) } == [[90, 91, 92, 93, 94]])
    #expect(reading.rides.first?.workout.configuration.activityType == .running)
    #expect(reading.rides.first?.source.identifier == "gpx.A & B")
  }

  @Test("places and values come in, segments are a pause, and tracks are rides of their own", arguments: [1, 7, 4096])
  func ride(pieces: Int) throws {
    let values =
      "<power>200</power><gpxtpx:TrackPointExtension><gpxtpx:atemp>21.5</gpxtpx:atemp><gpxtpx:hr>99.6</gpxtpx:hr>"
      + "<gpxtpx:cad>85</gpxtpx:cad><gpxtpx:depth>3</gpxtpx:depth></gpxtpx:TrackPointExtension>"
    let first = (0..<4).map { Self.point($0, values) }.joined()
    let second = (60..<64).map { Self.point($0, values) }.joined()
    let reading = try Self.read(
      "<wpt lat='1' lon='2'/><trk><name>Out</name><type>cycling</type><trkseg>\(first)</trkseg><trkseg>\(second)</trkseg></trk>"
        + "<trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk>"
        + "<trk><type>9</type><trkseg>\((100..<103).map { Self.point($0, "") }.joined())</trkseg></trk>", pieces: pieces
    )
    #expect(reading.sessions.map(\.rates.count) == [8] && reading.rides.count == 2)
    #expect(reading.sessions.first?.gaps.map(\.reason) == ["stopped"])
    let ride = try #require(reading.rides.first)
    #expect(ride.workout.metadata["name"] == .text("Out") && ride.workout.duration == .seconds(6))
    #expect(ride.route.count == 8 && ride.route.first?.altitude == 7)
    #expect(ride.series.first { $0.type == .cyclingPower }?.values.map(\.value) == [Double](repeating: 200, count: 8))
    #expect(ride.series.first { $0.type == .ambientTemperature }?.values.first?.value == 21.5)
    #expect(reading.rides.last?.workout.configuration.activityType == .running)
    #expect(reading.rides.last?.sessions.isEmpty == true)
    #expect(
      reading.account.leftOut == ["waypoint": 1, "depth": 8, "location without a place or a time": 1])
  }
}

@Suite("Tables of intervals")
struct IntervalTableTests {
  private static let intervals = [800, 820, 790, 810, 830, 805, 815, 825, 795, 840, 845, 835]

  private static func rows(_ line: (_ index: Int, _ end: Double, _ interval: Int) -> String) -> String {
    var end = 0.0
    return intervals.enumerated().map { index, interval in
      end += Double(interval)
      return line(index, end, interval)
    }.joined(separator: "\n")
  }

  private static func stamp(_ milliseconds: Double) -> String {
    MadeUp.time(milliseconds / 1000).iso8601().replacing("Z", with: "")
  }

  private func read(_ text: String, pieces: Int = 64) throws -> (ticks: [UInt32], reading: Reading) {
    #expect(ForeignFormat(beginning: Array(text.utf8)) == .rr, "\(text.prefix(60))")
    let reading = try Reading(Array(text.utf8), .rr, start: MadeUp.start, pieces: pieces)
    let beats = reading.sessions.first?.heartbeats.beats ?? []
    return (beats.filter { !$0.flags.contains(.firstOfRun) }.map(\.rrTicks), reading)
  }

  @Test("the intervals of a table come in, whatever stands beside them", arguments: [1, 64, 100_000])
  func tables(pieces: Int) throws {
    let texts = [
      Self.rows { "\($1 / 1000)\t\(Double($2) / 1000)" }, Self.rows { "\($1 / 1000) \($2)" },
      Self.rows { "\($1 / 1000);\($2)".replacing(".", with: ",") }, Self.rows { "\($0 + 1);\($2)" },
      "Phone timestamp;RR-interval [ms]\n" + Self.rows { "\(Self.stamp($1));\($2)" },
      "timestamp,hr,RR\n" + Self.rows { "\(Self.stamp($1)),\(60_000 / $2),\($2)" },
      Self.rows { "\(Double($2) / 1000)".replacing(".", with: ",") },
      "index\trr\n" + Self.rows { "\($0)\t\($2)" },
    ]
    for text in texts {
      let (ticks, reading) = try read(text, pieces: pieces)
      #expect(ticks == Self.intervals.map(UInt32.init), "\(text.prefix(80))")
      #expect(reading.sessions.first?.gaps.isEmpty == true, "\(text.prefix(80))")
    }
  }

  @Test("time that passes without an interval is a gap")
  func gaps() throws {
    for slack in [0.0, 20_000] {
      let (ticks, reading) = try read(
        Self.rows { "\(($1 + ($0 > 5 ? 9000 : 0)) / 1000);\($2)" } + (slack > 0 ? "\n" : ""))
      #expect(ticks == Self.intervals.map(UInt32.init))
      let gap = try #require(reading.sessions.first?.gaps.first)
      #expect(reading.sessions.first?.gaps.count == 1)
      #expect(abs(gap.end.microseconds(since: gap.start) - 9_000_000) <= 2_000)
    }
  }

  @Test("numbers that only grow are the times of beats", arguments: [1.0, 1000])
  func times(unit: Double) throws {
    let (ticks, reading) = try read(Self.rows { _, end, _ in unit == 1 ? "\(Int(end))" : "\(end / unit)" })
    #expect(ticks == Self.intervals.dropFirst().map(UInt32.init))
    #expect(reading.account.notes == ["its numbers only grow: they are taken as the times of beats"])
  }

  @Test("Empatica's table says when it began")
  func empatica() throws {
    let text = "1795226888.000000, IBI\n" + Self.rows { "\($1 / 1000),\(Double($2) / 1000)" }
    #expect(IntervalTextReader.saysStart(Array(text.utf8)))
    let reading = try Reading(Array(text.utf8), .rr)
    #expect(reading.sessions.first?.start == MadeUp.start && reading.sessions.first?.heartbeats.beats.count == 13)
  }

  @Test("tables without intervals are no text of intervals")
  func others() {
    let texts = [
      "Phone timestamp;HR [bpm];HRV [ms]\n" + Self.rows { "\(Self.stamp($1));\(60_000 / $2);12" },
      Self.rows { "\($0 * 7 % 5);\($2 * 97 % 13);9" }, "time;rr\n1;2\n", "a,b\nc,d\n",
    ]
    for text in texts { #expect(ForeignFormat(beginning: Array(text.utf8)) == nil, "\(text.prefix(60))") }
    #expect(IntervalTextReader.refusal(Array(texts[0].utf8))?.contains("Polar Sensor Logger") == true)
  }
}

@Suite("Formats that are known and not read")
struct UnreadFormatTests {
  @Test(
    "each is named",
    arguments: [
      ("[Params]\nVersion=106\n", "HRM"), ("<?xml version='1.0'?><sml xmlns='x'>", "SML"),
      ("<pwx version='1.0'>", "PWX"),
      ("{\"DeviceLog\":{}}", "SML"), ("{\"exportVersion\":\"1.5\",", "Polar Flow"), ("SQLite format 3\0", "SQLite"),
      ("<kml xmlns='x'>", "KML"),
    ])
  func named(text: String, name: String) {
    let bytes = Array(text.utf8)
    #expect(UnreadFormat.name(beginning: bytes)?.name.contains(name) == true)
    #expect(ForeignFormat(beginning: bytes) == nil)
  }

  @Test("archives are named by what is in them, and ours are not")
  func archives() {
    #expect(UnreadFormat.name(inArchive: "health_connect_export.db")?.name == "Health Connect's export")
    #expect(UnreadFormat.name(inArchive: "Takeout/Fit/Daily activity metrics/2024-03-01.csv")?.name == "Google Takeout")
    #expect(UnreadFormat.name(inArchive: "activities/1.fit.gz") == nil)
  }
}
