import Foundation
import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Apple's export")
struct AppleReaderTests {
  @Test("records of a type, source and UTC day are one series, by time, each once")
  func series() {
    let reading = AppleReading(
      AppleText.rate(61, at: "07:14:30") + AppleText.rate(60) + AppleText.rate(60)
        // The next day in UTC, and another source.
        + AppleText.rate(70, at: "16:00:00") + AppleText.rate(80, source: "Strap"))
    #expect(reading.damage == nil)
    #expect(reading.objects.count == 3)
    #expect(reading.account.read == ["heartRate": 5])
    #expect(reading.account.repeated == 1)
    #expect(reading.values(.heartRate).sorted() == [60, 61, 70, 80])
    let day = reading.objects.first { $0.version == 2 }
    #expect(day?.source == SourceRevision(identifier: "apple.Watch", name: "Watch", version: "10"))
    guard case .series(_, let values, let isContinued) = day?.content else { return #expect(Bool(false)) }
    #expect(values.map { $0.span.start.iso8601() } == ["2024-03-01T15:14:22.000Z", "2024-03-01T15:14:30.000Z"])
    #expect(!isContinued)
  }

  @Test("what a series is depends on its content, not on its place in the file nor on addresses in memory")
  func identity() {
    func digests(_ pointer: String, _ order: [Int]) -> Set<[UInt8]> {
      let device = "&lt;&lt;HKDevice: 0x\(pointer)&gt;, name:Apple Watch, hardware:Watch6,2&gt;"
      let metadata = ["<MetadataEntry key='a' value='1'/>", "<MetadataEntry key='b' value='2'/>"]
      let records = order.map { index in
        AppleText.record(
          "HKQuantityTypeIdentifierHeartRate", "\(60 + index)", unit: "count/min", at: "07:0\(index):00",
          device: device,
          within: index == 0 ? metadata.joined() : metadata.reversed().joined())
      }
      let reading = AppleReading(records.joined())
      #expect(reading.objects.first?.device == Device(name: "Apple Watch", hardwareVersion: "Watch6,2"))
      #expect(reading.objects.first?.metadata == ["a": 1, "b": 2])
      return Set(reading.objects.map(\.digest))
    }
    let one = digests("12345", [0, 1])
    #expect(one.count == 1)
    #expect(digests("abcdef0", [1, 0]) == one)
  }

  @Test("units become those of the type; Apple's % is a share of one")
  func units() throws {
    let reading = AppleReading(
      AppleText.record("HKQuantityTypeIdentifierOxygenSaturation", "0.97", unit: "%")
        + AppleText.record("HKQuantityTypeIdentifierBodyTemperature", "98.6", unit: "degF")
        + AppleText.record("HKQuantityTypeIdentifierDistanceWalkingRunning", "0.25", unit: "km")
        + AppleText.record("HKQuantityTypeIdentifierActiveEnergyBurned", "1.5", unit: "Cal")
        + AppleText.record("HKQuantityTypeIdentifierStepCount", "5", unit: "m")
        + AppleText.record("HKQuantityTypeIdentifierStepCount", "many", unit: "count")
        + AppleText.record("HKQuantityTypeIdentifierVO2Max", "40", unit: "mL/min·kg"))
    #expect(reading.values(.oxygenSaturation) == [97])
    #expect(abs(try #require(reading.values(.bodyTemperature).first) - 37) < 1e-9)
    #expect(reading.values(.distanceWalkingRunning) == [250])
    #expect(reading.values(.activeEnergyBurned) == [1.5])
    #expect(reading.values(.stepCount).isEmpty)
    #expect(
      reading.account.reading.leftOut == [
        "stepCount in a unit that cannot be converted: 'm'": 1, "record without a value": 1,
      ])
    #expect(reading.account.unknown == ["VO2Max": 1])
  }

  @Test("no heart beats at 0 or less; an end before its start is told as that")
  func outOfRange() {
    let names = ["HeartRate", "RestingHeartRate", "WalkingHeartRateAverage"]
    let body = names.flatMap { name in
      ["0", "-5", "60"].map { AppleText.record("HKQuantityTypeIdentifier\(name)", $0, unit: "count/min") }
    }
    let reading = AppleReading(
      body.joined() + AppleText.record("HKQuantityTypeIdentifierStepCount", "0", unit: "count")
        + AppleText.record("HKQuantityTypeIdentifierStepCount", "5", unit: "count", at: "07:14:22", to: "07:14:21")
        + "<Record type='HKQuantityTypeIdentifierStepCount' value='1'/>")
    #expect(reading.values(.heartRate) == [60] && reading.values(.restingHeartRate) == [60])
    #expect(reading.values(.walkingHeartRateAverage) == [60] && reading.values(.stepCount) == [0])
    #expect(
      reading.account.reading.leftOut == [
        "heartRate out of range": 2, "restingHeartRate out of range": 2, "walkingHeartRateAverage out of range": 2,
        "record whose end is before its start": 1, "record without a time": 1,
      ])
  }

  @Test("units that are put together are read as Apple means them: all behind the stroke divides")
  func compoundUnits() throws {
    for (symbol, other) in [
      ("kcal/hr\u{B7}kg", "kcal/(kg*hr)"), ("mL/min\u{B7}kg", "ml/(kg*min)"), ("mg/dL", "g/L"), ("L/min", "mL/s"),
      ("mmol<180.1558800000541>/L", "mg/dL"), ("km/hr", "m/s"), ("IU", "IU"), ("dBASPL", "dBASPL"),
      ("count/min", "Hz"),
    ] {
      #expect(try #require(AppleNames.unit(symbol)).isCompatible(with: #require(Unit(other))), "\(symbol)")
    }
    // 3.5 ml a minute for each kilogram, in an hour and a gram.
    let uptake = try #require(AppleNames.unit("mL/min\u{B7}kg"))
    #expect(abs(try uptake.convert(3.5, to: #require(Unit("ml/(hr*g)"))) - 0.21) < 1e-12)
    #expect(AppleNames.unit("appleEffortScore") == nil && AppleNames.unit("count/fortnight") == nil)
  }

  @Test("durations of events in any unit of time; what is in another, or in an unknown unit, is told and not guessed")
  func durations() throws {
    let event = "<WorkoutEvent type='HKWorkoutEventTypeSegment' date='2024-03-01 07:00:00 -0800'"
    let events = [("0.5", "min"), ("40", "s"), ("0.01", "hr"), ("3", "fortnight"), ("3", "km")].map {
      "\(event) duration='\($0)' durationUnit='\($1)'/>"
    }
    let reading = AppleReading(
      "<Workout workoutActivityType='HKWorkoutActivityTypeRunning' totalDistance='3' totalDistanceUnit='league' "
        + "startDate='2024-03-01 07:00:00 -0800' endDate='2024-03-01 08:00:00 -0800'>"
        + events.joined()
        + "<WorkoutStatistics type='HKQuantityTypeIdentifierStepCount' sum='5' unit='stone'/></Workout>"
        + "<VisionPrescription type='HKVisionPrescriptionTypeGlasses' dateIssued='2024-03-01 00:00:00 +0000'>"
        + "<RightEye sphere='-1.25' sphereUnit='D' axis='90' axisUnit='points'/></VisionPrescription>")
    let workout = try #require(reading.workouts.first)
    #expect(workout.events.map { $0.span.microseconds / 1_000_000 }.sorted() == [0, 0, 30, 36, 40])
    #expect(
      reading.account.reading.leftOut == [
        "duration of an event: no number, or in no unit of time": 2,
        "totalDistance of a workout: no number, or in an unknown unit": 1,
        "figure of a workout in an unknown unit: stepCount": 1, "number of a prescription in an unknown unit": 1,
      ])
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(rightEye: GlassesLensSpecification(sphere: -1.25), leftEye: nil))
    #expect(reading.drafts("visionPrescription").map(\.content) == [.visionPrescription(glasses)])
  }

  @Test("sleep of both eras; a value that nobody knows is counted and told")
  func sleep() {
    let names = ["InBed", "Asleep", "Awake", "AsleepCore", "AsleepDeep", "AsleepREM", "AsleepUnspecified", "Dreaming"]
    let records = names.enumerated().map { index, name in
      AppleText.record(
        "HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysis\(name)", at: "0\(index):00:00",
        to: "0\(index):30:00")
    }
    let reading = AppleReading(records.joined() + records[0])
    let values = reading.drafts("sleepAnalysis").compactMap { draft -> Int64? in
      if case .category(_, let value) = draft.content { value.rawValue } else { nil }
    }
    #expect(values == [0, 1, 2, 3, 4, 5, 1, 0])
    #expect(reading.account.reading.leftOut == ["sleepAnalysis with the value HKCategoryValueSleepAnalysisDreaming": 1])
    // The store has what stands there twice once.
    #expect(Set(reading.objects.map(\.digest)).count == 7)
  }

  @Test("the parts of a correlation stand at top level, too, and count once", arguments: [false, true])
  func correlation(isFirst: Bool) throws {
    func pressure(_ kind: String, _ value: Int, at time: String = "07:14:22") -> String {
      AppleText.record("HKQuantityTypeIdentifierBloodPressure\(kind)", "\(value)", unit: "mmHg", at: time)
    }
    let parts = pressure("Systolic", 120) + pressure("Diastolic", 80)
    let whole = """
      <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Watch" startDate="2024-03-01 07:14:22 -0800" \
      endDate="2024-03-01 07:14:22 -0800"><MetadataEntry key="HKWasUserEntered" value="1"/>\(parts)</Correlation>
      """
    let alone = pressure("Systolic", 130, at: "08:00:00")
    let reading = AppleReading(isFirst ? whole + parts + alone : parts + alone + whole)
    #expect(reading.values(.bloodPressureSystolic) == [130])
    #expect(reading.values(.bloodPressureDiastolic).isEmpty)
    let draft = try #require(reading.drafts("bloodPressure").first)
    #expect(draft.metadata == ["wasUserEntered": 1])
    guard case .correlation(_, let found) = draft.content else { return #expect(Bool(false)) }
    #expect(found.map(\.type.identifier) == ["bloodPressureSystolic", "bloodPressureDiastolic"])
    let food = "<Correlation type='HKCorrelationTypeIdentifierFood' sourceName='A'>\(AppleText.rate(60))</Correlation>"
    #expect(AppleReading(food).account.unknown == ["food": 1])
  }

  @Test("workouts are given away sooner where they have many events", arguments: [(0, 0), (300, 40)])
  func manyEvents(events: Int, given: Int) throws {
    let event = "<WorkoutEvent type='HKWorkoutEventTypeMarker' date='2024-03-01 07:00:00 -0800'/>"
    let workout =
      "<Workout workoutActivityType='HKWorkoutActivityTypeRunning' sourceName='Watch' startDate='2024-03-01 07:00:00 -0800' "
      + "endDate='2024-03-01 08:00:00 -0800'>\(String(repeating: event, count: events))</Workout>"
    var reader = AppleHealthReader()
    let objects = try reader.read(Array("<HealthData>\(String(repeating: workout, count: 40))".utf8))
    #expect(objects.count == given)
  }

  @Test(
    "times of day of every language that has decimal digits",
    arguments: [
      "en_US", "de_DE", "fr_FR", "fr_CA", "ar_EG", "fa_IR", "mr_IN", "bn_BD", "ne_NP", "my_MM", "ps_AF", "ur_PK",
      "zh_TW",
      "ja_JP", "ko_KR", "da_DK", "fi_FI", "es_MX", "pt_BR", "bg_BG", "vi_VN", "he_IL", "tr_TR", "id_ID", "ckb_IQ",
      "th_TH",
    ])
  func dialects(locale: String) throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: locale)
    formatter.timeZone = TimeZone(secondsFromGMT: -8 * 3600)
    formatter.setLocalizedDateFormatFromTemplate("jmmssSS")
    let start = try #require(Timestamp(iso8601: "2024-03-01T15:14:22Z"))
    let list = [3.25, 4.5, 5.75].map { seconds in
      let date = Date(timeIntervalSince1970: Double(start.microseconds) / 1e6 + seconds)
      return "<InstantaneousBeatsPerMinute bpm='60' time='\(formatter.string(from: date))'/>"
    }
    let reading = AppleReading(
      AppleText.record(
        "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "42.5", unit: "ms", to: "07:15:22",
        within: "<HeartRateVariabilityMetadataList>\(list.joined())</HeartRateVariabilityMetadataList>"))
    let draft = try #require(reading.drafts("heartbeatSeries").first, "\(list)")
    guard case .heartbeats(let timescale, let ticks) = draft.content else { return #expect(Bool(false)) }
    #expect(ticks.map { $0.ticks * 100 / Int64(timescale) } == [325, 450, 575], "\(list)")
  }

  @Test(
    "beats, with times of day in any language, are a series with its gaps, as fine as the file has it",
    arguments: [("10", 100, 1010), ("105", 1000, 10_105)] as [(last: String, timescale: Int32, tick: Int64)])
  func beats(last: String, timescale: Int32, tick: Int64) throws {
    let times = [
      ("60", "7:14:25.08 AM"), ("60", "7:14:26,08\u{202F}AM"), ("60", "07:14:30.10"), ("60", "19:14:31.1"),
      ("60", "15:14:32.\(last) vorm."), ("60", "3:44:00.00"),
    ]
    let list = times.map { "<InstantaneousBeatsPerMinute bpm='\($0.0)' time='\($0.1)'/>" }.joined()
    let reading = AppleReading(
      AppleText.record(
        "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "42.5", unit: "ms", to: "07:15:22",
        within: "<HeartRateVariabilityMetadataList>\(list)</HeartRateVariabilityMetadataList>"))
    #expect(reading.values(.heartRateVariabilitySDNN) == [42.5])
    let draft = try #require(reading.drafts("heartbeatSeries").first)
    guard case .heartbeats(timescale, let ticks) = draft.content else { return #expect(Bool(false)) }
    let factor = Int64(timescale) / 100
    #expect(ticks.map(\.ticks) == [308 * factor, 408 * factor, 810 * factor, 910 * factor, tick])
    #expect(ticks.map(\.precededByGap) == [false, false, true, false, false])
    #expect(reading.account.reading.leftOut == ["beat whose time is not in its record": 1])
  }

  @Test("what breaks other readers: byte order mark, wrong document type, control characters")
  func breakages() {
    let head = "\u{FEFF}<?xml version='1.0'?>\n<!DOCTYPE HealthData [\n<!ELEMENT a ((b)*)\n<!ATTLIST c d\n  e\n>\n]>\n"
    #expect(AppleHealthReader.recognizes(Array(head.utf8)))
    let record = AppleText.record(
      "HKQuantityTypeIdentifierHeartRate", "60", unit: "count/min", within: "<MetadataEntry key='n' value='a\u{0B}b'/>")
    for pieces in [1, 7, 100_000] {
      let reading = AppleReading(record, head: head, pieces: pieces)
      #expect(reading.damage == nil)
      #expect(reading.objects.first?.metadata == ["n": "a b"])
    }
  }

  @Test(
    "of metadata only what a program writes as a number is one",
    arguments: [
      ("7", MetadataValue.integer(7)), ("-3", .integer(-3)), ("0", .integer(0)), ("8.5", .real(8.5)), ("5.0", .real(5)),
      ("007", "007"), ("1e5", "1e5"), ("1.50", "1.50"), ("+5", "+5"), ("-0", "-0"), (" 7", " 7"), ("7 ", "7 "),
      (".5", ".5"),
      ("5.", "5."), ("0x10", "0x10"), ("nan", "nan"), ("9223372036854775808", "9223372036854775808"), ("", ""),
      ("6300 %", .quantity(Quantity(6300, .percent))), ("8.5 m", .quantity(Quantity(8.5, .meter))),
      ("007 m", "007 m"), ("1.50 m", "1.50 m"), ("1e5 m", "1e5 m"), ("1e+06 m", .quantity(Quantity(1e6, .meter))),
      ("5  m", "5  m"), ("7 dwarfs", "7 dwarfs"),
    ])
  func texts(text: String, value: MetadataValue) {
    #expect(AppleNames.metadata(text) == value)
  }

  @Test("keys that differ by Apple's prefix alone stay apart, in whatever order they come")
  func keys() {
    let entries = [
      (key: "HKMetadataKeyTimeZone", value: "a"), (key: "timeZone", value: "b"), (key: "HKTimeZone", value: "c"),
      (key: "HKLapLength", value: "d"), (key: "HKMetadataKeyLapLength", value: "e"),
    ]
    let expected: Metadata = [
      "timeZone": "b", "HKTimeZone": "c", "HKMetadataKeyTimeZone": "a", "lapLength": "d", "HKMetadataKeyLapLength": "e",
    ]
    #expect(AppleOrigin.metadata(entries) == expected)
    #expect(AppleOrigin.metadata(entries.reversed()) == expected)
  }

  @Test("a workout has its events, activities, figures and metadata, and what breaks a rule is told")
  func workout() throws {
    func event(_ type: String, at time: String, minutes: Int? = nil) -> String {
      "<WorkoutEvent type='HKWorkoutEventType\(type)' date='2024-03-01 \(time) -0800'"
        + (minutes.map { " duration='\($0)' durationUnit='min'" } ?? "") + "/>"
    }
    let text = """
      <Workout workoutActivityType='HKWorkoutActivityTypeRunning' sourceName='Watch' startDate='2024-03-01 07:00:00 -0800' \
      endDate='2024-03-01 08:00:00 -0800' totalDistance='10' totalDistanceUnit='km'>\
      <MetadataEntry key='HKIndoorWorkout' value='0'/><MetadataEntry key='HKAverageMETs' value='8.5 kcal/hr·kg'/>\
      \(event("Pause", at: "07:10:00"))\(event("Resume", at: "07:20:00"))\(event("Lap", at: "07:30:00", minutes: 10))\
      \(event("Lap", at: "07:35:00", minutes: 10))\(event("Lap", at: "09:30:00"))\(event("Future", at: "07:30:00"))\
      <WorkoutActivity uuid='A' startDate='2024-03-01 07:00:00 -0800' endDate='2024-03-01 07:30:00 -0800'>\
      <WorkoutStatistics type='HKQuantityTypeIdentifierHeartRate' average='150' unit='count/min'/></WorkoutActivity>\
      <WorkoutStatistics type='HKQuantityTypeIdentifierActiveEnergyBurned' sum='500' unit='Cal'/></Workout>
      """
    let reading = AppleReading(text)
    let workout = try #require(reading.workouts.first)
    #expect(workout.configuration == WorkoutConfiguration(.running, location: .outdoor))
    #expect(workout.events.map(\.type) == [.pause, .resume, .lap])
    #expect(workout.duration == .seconds(3000))
    #expect(workout.activities.count == 1)
    #expect(workout.activities.first?.metadata["heartRate.average"] == .quantity(Quantity(150, .countPerMinute)))
    #expect(workout.metadata["activeEnergyBurned.sum"].map { "\($0)" }?.contains("500") == true)
    #expect(workout.metadata["totalDistance"] != nil)
    #expect(
      reading.account.reading.leftOut == [
        "event outside its workout, or a lap within another": 2, "event of a workout: HKWorkoutEventTypeFuture": 1,
      ])
    // Its parts cannot be told apart, so they are left out, and the whole is there.
    let several = AppleReading(text.replacing("TypeRunning", with: "TypeSwimBikeRun"))
    #expect(several.workouts.first?.configuration.activityType == .swimBikeRun)
    #expect(several.account.reading.leftOut["activity without a type, of a workout of several sports"] == 1)
  }

  @Test(
    "how long a workout lasted is kept where its times and pauses say otherwise",
    arguments: [
      ("50", "min", "0 metadata, 0 left out"), ("3000.9", "s", "0 metadata, 0 left out"),
      ("49.9", "min", "49.9 min"), ("2700", "s", "2700.0 s"), ("60", "min", "60.0 min"),
      ("50", "count", "0 metadata, 1 left out"), ("x", "min", "0 metadata, 1 left out"),
    ])
  func workoutDuration(said: String, unit: String, expected: String) throws {
    func event(_ type: String, at time: String) -> String {
      "<WorkoutEvent type='HKWorkoutEventType\(type)' date='2024-03-01 \(time) -0800'/>"
    }
    let reading = AppleReading(
      "<Workout workoutActivityType='HKWorkoutActivityTypeRunning' sourceName='W' duration='\(said)' durationUnit='\(unit)' "
        + "startDate='2024-03-01 07:00:00 -0800' endDate='2024-03-01 08:00:00 -0800'>"
        + event("Pause", at: "07:10:00") + event("Resume", at: "07:20:00") + "</Workout>")
    let workout = try #require(reading.workouts.first)
    #expect(workout.duration == .seconds(3000))
    if case .quantity(let kept)? = workout.metadata["duration"] {
      #expect("\(kept)" == expected)
    } else {
      let leftOut = reading.account.reading.leftOut["duration of a workout: no number, or in no unit of time"] ?? 0
      #expect("\(workout.metadata.count) metadata, \(leftOut) left out" == expected)
    }
  }

  @Test("a workout's routes are files beside the export, by the last part of their names")
  func routes() throws {
    func workout(_ inside: String, type: String = "Running") -> String {
      "<Workout workoutActivityType='HKWorkoutActivityType\(type)' sourceName='Watch' startDate='2024-03-01 07:00:00 -0800' "
        + "endDate='2024-03-01 08:00:00 -0800'>\(inside)</Workout>"
    }
    let file = "<WorkoutRoute sourceName='W'><FileReference path='/workout-routes/route_1.gpx'/></WorkoutRoute>"
    let text = "<HealthData>\(workout(file))\(workout(file, type: "Unknown9"))\(file)</HealthData>"
    var reader = AppleHealthReader()
    let objects = try reader.read(Array(text.utf8)) + reader.finish()
    let found = try #require(objects.first)
    #expect(reader.routeFiles.count == 1)
    let route = try #require(reader.routeFiles["route_1.gpx"])
    #expect(route.workout == found.digest && route.source == found.source)
    guard case .workout(let saved) = found.content else {
      Issue.record("it is a workout")
      return
    }
    #expect(route.span == saved.span)
    #expect(reader.account.reading.leftOut["route without a workout or a file"] == 1)
    let object = AppleObject([RouteLocation(at: route.span.start, latitude: 1, longitude: 2)], of: route)
    #expect(object.type == .workoutRoute && object.version == 1 && object.digest != found.digest)
    var other = AppleHealthReader(types: ["workout"])
    _ = try other.read(Array(text.utf8))
    #expect(other.routeFiles.isEmpty)
    // Of a workout that the store has from an earlier import.
    var alone = AppleHealthReader(types: ["workoutRoute"])
    let others = try alone.read(Array(text.utf8)) + alone.finish()
    #expect(others.isEmpty)
    var same = route
    same.comesWithWorkout = false
    #expect(alone.routeFiles == ["route_1.gpx": same] && route.comesWithWorkout)
  }

  @Test("GPX: places with what the receiver knew; what is out of range, of no time or outside the workout is told")
  func gpx() throws {
    func point(_ time: String, _ more: String = "", lat: String = "37.5", lon: String = "-122.25") -> String {
      "<trkpt lon='\(lon)' lat='\(lat)'><ele>12.5</ele><time>\(time)</time><extensions>\(more)</extensions></trkpt>"
    }
    let known = "<speed>2.5</speed><course>360</course><hAcc>3.5</hAcc><vAcc>-1</vAcc>"
    let text = """
      <?xml version='1.0'?>\n<gpx xmlns='http://www.topografix.com/GPX/1/1'>\
      <metadata><time>2021-01-01T00:00:00Z</time></metadata><trk><trkseg>\
      \(point("2024-03-01T15:00:00Z", known))\(point("2024-03-01T15:00:01.5Z"))\(point("2024-03-01T15:00:02Z", lat: "97"))\
      \(point("2024-03-01T15:00:03Z", lon: "east"))\(point("yesterday"))\(point("2024-03-01T14:59:59Z"))</trkseg></trk></gpx>
      """
    let start = try #require(Timestamp(iso8601: "2024-03-01T15:00:00Z"))
    let span = try #require(TimeSpan(start: start, end: start.advanced(byMicroseconds: 3_600_000_000)))
    for pieces in [1, 7, text.utf8.count] {
      var reader = AppleRouteReader(in: span)
      let bytes = Array(text.utf8)
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]))
      }
      try reader.finish()
      #expect(
        reader.locations == [
          RouteLocation(
            at: start, latitude: 37.5, longitude: -122.25, altitude: 12.5, horizontalAccuracy: 3.5, speed: 2.5,
            course: 0),
          RouteLocation(
            at: start.advanced(byMicroseconds: 1_500_000), latitude: 37.5, longitude: -122.25, altitude: 12.5),
        ])
      #expect(
        reader.account.leftOut == [
          "location that is out of range": 1, "location without a place or a time": 2,
          "location outside its workout": 1,
        ])
    }
  }

  @Test("audiograms and prescriptions")
  func senses() throws {
    let reading = AppleReading(
      """
      <Audiogram type='HKDataTypeIdentifierAudiogram' sourceName='Ear' startDate='2024-03-01 07:00:00 -0800' \
      endDate='2024-03-01 07:10:00 -0800'><SensitivityPoint frequencyValue='1' frequencyUnit='kHz' leftEarValue='11' \
      leftEarUnit='dBHL'/><SensitivityPoint frequencyValue='250' frequencyUnit='Hz' leftEarValue='34' leftEarUnit='dBHL' \
      rightEarValue='27' rightEarUnit='dBHL'/></Audiogram>\
      <VisionPrescription type='HKVisionPrescriptionTypeGlasses' dateIssued='2024-03-01 00:00:00 +0000' \
      expirationDate='2026-03-01 00:00:00 +0000'><RightEye sphere='-1.25' sphereUnit='D' axis='90' axisUnit='deg'/>\
      </VisionPrescription>\
      <VisionPrescription type='HKVisionPrescriptionTypeMonocle' dateIssued='2024-03-01 00:00:00 +0000'/>
      """)
    let points = [
      AudiogramSensitivityPoint(hertz: 250, left: 34, right: 27),
      AudiogramSensitivityPoint(hertz: 1000, left: 11, right: nil),
    ]
    #expect(reading.drafts("audiogram").map(\.content) == [.audiogram(Audiogram(points))])
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(rightEye: GlassesLensSpecification(sphere: -1.25, axis: 90), leftEye: nil))
    #expect(reading.drafts("visionPrescription").map(\.content) == [.visionPrescription(glasses)])
    #expect(reading.account.reading.leftOut == ["prescription of the type HKVisionPrescriptionTypeMonocle": 1])
  }

  @Test("only what was asked for comes in")
  func chosen() {
    let body =
      AppleText.rate(60) + AppleText.rate(61, day: "2024-04-01")
      + AppleText.record("HKQuantityTypeIdentifierStepCount", "5", unit: "count")
    let types = AppleReading(body, types: ["stepCount"])
    #expect(types.objects.map(\.type.identifier) == ["stepCount"])
    #expect(types.account.notAskedFor == 2)
    let since = AppleReading(body, since: Timestamp(iso8601: "2024-03-15"))
    #expect(since.values(.heartRate) == [61])
    #expect(since.account.notAskedFor == 2)
  }

  @Test("a file in any order needs no more room: series go on, and nothing is lost")
  func anyOrder() {
    var records: [(day: Int, minute: Int)] = []
    for minute in 0..<40 { for day in 1...9 { records.append((day, minute)) } }
    let body = records.map { AppleText.rate(50 + $0.minute, at: "07:\($0.minute + 10):00", day: "2024-03-0\($0.day)") }
      .joined()
    let bytes = Array("<HealthData>\(body)</HealthData>".utf8)
    let reading = AppleReading(bytes, capacity: 64)
    #expect(reading.objects.count > 20)
    #expect(Set(reading.objects.map(\.digest)).count == 9)
    #expect(reading.values(.heartRate).count == 360)
    var met: Set<[UInt8]> = []
    for object in reading.objects {
      guard case .series(_, _, let isContinued) = object.content else { continue }
      #expect(isContinued == !met.insert(object.digest).inserted)
    }
  }

  @Test("names of elements may have a prefix")
  func prefixes() {
    let plain = AppleText.record(
      "HKQuantityTypeIdentifierHeartRate", "60", unit: "count/min",
      within: "<MetadataEntry key='HKMetadataKeyTimeZone' value='Europe/Paris'/>")
    let prefixed = plain.replacing("<Record", with: "<h:Record").replacing("</Record", with: "</h:Record")
      .replacing("<Meta", with: "<h:Meta")
    #expect(prefixed != plain)
    #expect(AppleReading(prefixed).damage == nil)
    #expect(AppleReading(prefixed).objects == AppleReading(plain).objects)
    #expect(AppleReading(plain).values(.heartRate) == [60])
  }

  @Test("the place of damage is told by byte, record and element, and what is before it stays")
  func damage() throws {
    let bytes = Array("<HealthData>\(AppleText.rate(60))<Workout a='<'></HealthData>".utf8)
    let reading = AppleReading(bytes)
    let damage = try #require(reading.damage)
    #expect(damage.place.hasSuffix("record 1 in HealthData"))
    let place = try #require(damage.place.split(separator: " ").dropFirst().first.flatMap { Int($0.dropLast()) })
    #expect(bytes[place] == UInt8(ascii: "<"))
    #expect(reading.values(.heartRate) == [60])
  }

  @Test("cut off at any byte, a file says so and keeps whole records")
  func truncated() {
    let text = "<HealthData>\(AppleText.rate(60))\(AppleText.rate(61, at: "08:00:00"))</HealthData>"
    let bytes = Array(text.utf8)
    let ends = [1, 2].map {
      "<HealthData>\(AppleText.rate(60))\($0 == 2 ? AppleText.rate(61, at: "08:00:00") : "")".utf8.count
    }
    for count in 0..<bytes.count {
      let reading = AppleReading(Array(bytes[..<count]), pieces: 50)
      #expect(reading.damage != nil, "cut off at \(count)")
      #expect(reading.values(.heartRate).count == ends.filter { $0 <= count }.count, "cut off at \(count)")
    }
  }

  @Test("bombs, ten thousand levels and endless attributes are refused where they begin")
  func hostile() {
    let bomb = AppleReading("<Record type='&lol;'/>", head: "<!DOCTYPE HealthData [<!ENTITY lol 'lol'>]>")
    #expect(bomb.damage?.problem == "undefined entity")
    let deep = AppleReading(AppleText.rate(60) + String(repeating: "<Record>", count: 10_000))
    #expect(deep.damage?.problem == "elements are nested deeper than 64")
    #expect(deep.values(.heartRate) == [60])
    // Of a gigabyte no more is looked at either.
    var reader = AppleHealthReader()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    var pieces = 0
    #expect(throws: FileDamage.self) {
      _ = try reader.read(Array("<HealthData><Record type='".utf8))
      while pieces < 16_384 {
        _ = try reader.read(piece)
        pieces += 1
      }
    }
    #expect(pieces == 15)
  }
}
