import FoundationEssentials
import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Apple's export is written")
struct AppleWriterTests {
  private func read(_ recording: InterchangeRecording, pieces: Int = 64) throws -> RecordedSession {
    let reading = try Reading(InterchangeFormat.apple.bytes(of: recording), .apple, pieces: pieces)
    #expect(reading.damage == nil)
    #expect(reading.account == ReadingAccount())
    #expect(reading.sessions.count == 1)
    return try #require(reading.sessions.first)
  }

  /// The beats of a recording that are written, and those that came in.
  private func expectSame(
    _ session: RecordedSession, _ recording: InterchangeRecording, within microseconds: Int64 = 10_000
  ) {
    let written = Array(MeasuredBeats(recording))
    let came = Array(session.heartbeats.locatedBeats)
    #expect(came.count == written.count)
    for (mine, other) in zip(written, came) {
      #expect(abs(other.time.microseconds(since: mine.time)) <= microseconds)
      // A beat without an interval begins a run, and no other does.
      #expect((mine.interval == nil) == (other.index == 0))
    }
  }

  @Test("a rate each second, a record of beats for each stretch, and of which session it is a copy")
  func text() throws {
    var recording = try MadeUp.withGap()
    recording.rates = Array(recording.rates.prefix(4))
    let origin = #"sourceName="sensord" device="&lt;&lt;HKDevice: 0x0&gt;, name:Strap &lt;A&amp;B&gt;&gt;""#
    func rate(_ second: Int, _ value: Int) -> String {
      let time = "2026-11-21 02:08:\(second) +0000"
      return #" <Record type="HKQuantityTypeIdentifierHeartRate" \#(origin) unit="count/min" creationDate="\#(time)" "#
        + #"startDate="\#(time)" endDate="\#(time)" value="\#(value)"/>"#
    }
    func beats(_ start: String, _ end: String, _ times: [String]) -> String {
      #" <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" \#(origin) unit="ms" "#
        + #"creationDate="2026-11-21 02:08:\#(end) +0000" startDate="2026-11-21 02:08:\#(start) +0000" "#
        + #"endDate="2026-11-21 02:08:\#(end) +0000" value="0.0">"# + "\n  <HeartRateVariabilityMetadataList>\n"
        + times.map { #"   <InstantaneousBeatsPerMinute bpm="60" time="2:08:\#($0) AM"/>"# + "\n" }.joined()
        + "  </HeartRateVariabilityMetadataList>\n </Record>"
    }
    #expect(
      InterchangeFormat.apple.text(of: recording) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <HealthData locale="en_US">
         <ExportDate value="2026-11-21 02:08:19 +0000"/>
         <Me/>
         <?sensord session 3f2a91bc-1111-4222-8333-444444444444 sensord?>
        \(rate(10, 62).replacing("10 +", with: "08 +").replacing("62", with: "60"))
        \(rate(10, 62).replacing("10 +", with: "09 +").replacing("62", with: "61"))
        \(rate(10, 62))
         <?sensord gap?>
        \(rate(17, 70))
        \(beats("08", "11", ["08.40", "09.40", "10.40"]))
        \(beats("16", "19", ["16.70", "17.70", "18.70"]))
         <?sensord end?>
        </HealthData>

        """)
  }

  @Test("rates, beats, their times and their gaps come in again", arguments: [1, 7, 64, 100_000])
  func again(pieces: Int) throws {
    let recording = try MadeUp.withGap()
    let session = try read(recording, pieces: pieces)
    #expect(session.id == MadeUp.id)
    #expect(session.rates.map(\.beatsPerMinute) == [60, 61, 62, 70, 71, 72])
    #expect(session.rates.map { $0.time.microseconds(since: MadeUp.start) / 1_000_000 } == [0, 1, 2, 9, 10, 11])
    expectSame(session, recording)
    #expect(session.heartbeats.beats.map(\.precededByGap) == [false, false, false, true, false, false])
    #expect(session.gaps == [RecordingGap(reason: "stopped", start: MadeUp.time(2.4), end: MadeUp.time(8.7))])
    #expect(session.device.name == "Strap <A&B>")
    #expect(session.source == recording.source)
    #expect(session.metadata["importedIntervalResolution"] == "1/100 s")
  }

  @Test("of hundredths of a second there is no pNN50, stored or computed; in ticks there is")
  func variability() throws {
    let recording = MadeUp.recording(
      seconds: 200, beats: try MadeUp.series([(0.123, (0..<220).map { UInt32(800 + $0 * 37 % 120) })]))
    func report(_ series: HeartbeatSeries) -> VariabilityReport {
      VariabilityReport(NNIntervals(series), in: recording.span)
    }
    let session = try read(recording)
    #expect(session.variability.pnn50 == nil && session.variability.rmssdMilliseconds != nil)
    #expect(throws: VariabilityRefusal.tooCoarse(stepMilliseconds: 10)) {
      try report(session.heartbeats).figure(.pnn50)
    }
    #expect(report(session.heartbeats).intervals.coarseStep == 0.01)
    #expect(try report(recording.heartbeats).figure(.pnn50).value > 0)
    #expect(report(recording.heartbeats).intervals.coarseStep == nil)
    let copy = try #require(Reading(InterchangeFormat.fit.bytes(of: recording), .fit).sessions.first)
    #expect(copy.variability.pnn50 != nil)
  }

  @Test("a long stretch is several records, and one run again, over midnight and in the afternoon")
  func long() throws {
    // From 23:57:00 to 00:05 and more.
    let ticks = (0..<900).map { UInt32(700 + $0 * 37 % 300) }
    for hours in [0.0, 9.5, 14.0] {
      let beats = try MadeUp.series([(0.123 + hours * 3600, ticks), (hours * 3600 + 1000, ticks)])
      let recording = MadeUp.recording(seconds: hours * 3600 + 2000, beats: beats)
      let text = InterchangeFormat.apple.text(of: recording)
      #expect(text.components("<Record ") == 6)
      #expect(text.components("<?sensord continued?>") == 4)
      let session = try read(recording)
      expectSame(session, recording)
      #expect(session.heartbeats.runs.count == 2)
      #expect(session.gaps.count == 1)
    }
  }

  @Test("without beats a gap of rates comes in again, also a short one")
  func rates() throws {
    let recording = MadeUp.recording(
      seconds: 60, rates: [(1, 60), (2, 61), (6, 62), (7, 63), (30, 64)], gaps: [(2, 6)])
    let session = try read(recording)
    #expect(
      session.gaps == [
        RecordingGap(reason: "stopped", start: MadeUp.time(2), end: MadeUp.time(6)),
        RecordingGap(reason: "silence", start: MadeUp.time(7), end: MadeUp.time(30)),
      ])
  }

  @Test("SDNN is of normal beats alone, and is left out where there are too few")
  func deviation() throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.time(1)))
    // 1000 and 1100 count; those that an early beat ends and begins do not.
    for (milliseconds, flags) in [
      (0, Heartbeat.Flags.firstOfRun), (1000, []), (1100, []), (300, .ectopic), (2000, []), (700, .rateConflict),
    ] {
      try builder.add(rrTicks: UInt32(milliseconds * 1024 / 1000), flags: flags)
    }
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.time(20)))
    try builder.add(rrTicks: 0, precededByGap: true, flags: .firstOfRun)
    let recording = MadeUp.recording(seconds: 30, rates: [(1.5, 71), (21, 80)], beats: try builder.finish())
    let text = InterchangeFormat.apple.text(of: recording)
    #expect(text.components(#"unit="ms""#) == 2 && text.components(#" value=""#) == 1 + 2 + 1)
    #expect(text.contains(#"value="70.71""#))
    // The beat that stands alone has the rate that the sensor said last.
    #expect(text.contains(#"<InstantaneousBeatsPerMinute bpm="71" time="2:08:28.00 AM"/>"#))
    expectSame(try read(recording), recording)
  }

  @Test("beats that are nearer than times are told keep their number and order")
  func near() throws {
    let recording = MadeUp.recording(
      seconds: 30, beats: try MadeUp.series([(0.5, [1024, 3, 1024, 5, 2, 1024]), (8, [2, 900])]))
    // Three in a hundredth move by more than one.
    expectSame(try read(recording), recording, within: 15_000)
  }

  @Test("whatever a source or a device is called, the file is XML, and the names come in again")
  func names() throws {
    var recording = try MadeUp.withGap()
    recording.source = SourceRevision(
      identifier: "tcx.\"<&>'", name: "\"<&>'\t\n\r ]]> <?sensord gap?> ü💓", version: "1.0\" x=\"2")
    recording.device = Device(
      name: "Strap, model:Evil, hardware:1>, ", manufacturer: "A & B, Inc.", model: "<<HKDevice: 0x1>, name:no",
      hardwareVersion: "1", firmwareVersion: "2.3", softwareVersion: "\"", localIdentifier: "C0:FF:EE:00:00:01",
      uniqueDeviceIdentifier: "SERIAL")
    var device = recording.device
    (device.localIdentifier, device.uniqueDeviceIdentifier) = (nil, nil)
    device.name = "Strap,model:Evil,hardware:1>,"
    device.manufacturer = "A & B,Inc."
    device.model = "<<HKDevice: 0x1>,name:no"
    let text = InterchangeFormat.apple.text(of: recording)
    #expect(!text.contains("C0:FF") && !text.contains("SERIAL"))
    let session = try read(recording)
    #expect(session.source.name == recording.source.name)
    #expect(session.device == device)
    // Characters that XML cannot have.
    recording.source.name = "a\u{0}b\u{B}c\u{FFFE}"
    recording.device = Device(name: "A & B, Inc., the <strap>")
    let other = try read(recording)
    #expect(other.source.name == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
    #expect(other.device == recording.device)
  }

  private func workout() throws -> Workout {
    let lap = try #require(TimeSpan(start: MadeUp.time(2), end: MadeUp.time(5)))
    let part = try #require(TimeSpan(start: MadeUp.time(1), end: MadeUp.time(9)))
    let span = try #require(TimeSpan(start: MadeUp.time(0), end: MadeUp.time(11)))
    return Workout(
      id: MadeUp.id, WorkoutConfiguration(.running, location: .outdoor), over: span,
      events: [
        WorkoutEvent(.pause, at: MadeUp.time(6)),
        WorkoutEvent(.resume, at: MadeUp.time(8), metadata: ["why": "<light>"]),
        WorkoutEvent(.lap, over: lap),
      ],
      activities: [WorkoutActivity(id: MadeUp.id, WorkoutConfiguration(.running), over: part)],
      metadata: ["note": .text("up & down"), "far": .quantity(Quantity(2.5, .meter)), "hard": true],
      allStatistics: [WorkoutStatistics(.heartRate, count: 6, average: 66, minimum: 60, maximum: 72)])
  }

  @Test("a workout has its events, activities, figures and metadata")
  func workoutText() throws {
    var recording = try MadeUp.withGap()
    recording.workout = try workout()
    let text = InterchangeFormat.apple.text(of: recording)
    let start = try #require(text.firstRange(of: " <Workout ")?.lowerBound)
    let origin = #"sourceName="sensord" device="&lt;&lt;HKDevice: 0x0&gt;, name:Strap &lt;A&amp;B&gt;&gt;""#
    #expect(
      text[start...] == """
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="0.15" durationUnit="min" \
        \(origin) creationDate="2026-11-21 02:08:19 +0000" startDate="2026-11-21 02:08:08 +0000" endDate="2026-11-21 02:08:19 +0000">
          <MetadataEntry key="HKIndoorWorkout" value="0"/>
          <MetadataEntry key="far" value="2.5 m"/>
          <MetadataEntry key="hard" value="1"/>
          <MetadataEntry key="note" value="up &amp; down"/>
          <WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-11-21 02:08:10 +0000" duration="0.05" durationUnit="min"/>
          <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-11-21 02:08:14 +0000"/>
          <WorkoutEvent type="HKWorkoutEventTypeResume" date="2026-11-21 02:08:16 +0000">
           <MetadataEntry key="why" value="&lt;light&gt;"/>
          </WorkoutEvent>
          <WorkoutActivity uuid="3F2A91BC-1111-4222-8333-444444444444" workoutActivityType="HKWorkoutActivityTypeRunning" \
        startDate="2026-11-21 02:08:09 +0000" endDate="2026-11-21 02:08:17 +0000" duration="0.1" durationUnit="min">
          </WorkoutActivity>
          <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="2026-11-21 02:08:08 +0000" \
        endDate="2026-11-21 02:08:19 +0000" average="66.0" minimum="60.0" maximum="72.0" unit="count/min"/>
         </Workout>
         <?sensord end?>
        </HealthData>

        """)
  }

  @Test("a workout's copy says of which, has its laps, and tells what a session has no place for")
  func workoutAgain() throws {
    var recording = try MadeUp.withGap()
    recording.workout = try workout()
    recording.isWorkout = true
    let reading = try Reading(InterchangeFormat.apple.bytes(of: recording), .apple)
    let session = try #require(reading.sessions.first)
    #expect(session.metadata["importedWorkout"] == "3f2a91bc-1111-4222-8333-444444444444")
    #expect(session.metadata["importedActivity"] == "running")
    #expect(session.markers.map(\.time) == [MadeUp.time(5), MadeUp.time(9)])
    #expect(
      reading.account.leftOut == [
        "event of a workout: HKWorkoutEventTypePause": 1, "event of a workout: HKWorkoutEventTypeResume": 1,
      ])
    expectSame(session, recording)
  }

  @Test("who reads it as Apple's own finds the same rates, beats and workout, and no gap within a record")
  func plain() throws {
    var recording = try MadeUp.withGap()
    recording.workout = try workout()
    let reading = AppleReading(InterchangeFormat.apple.bytes(of: recording))
    #expect(reading.damage == nil)
    #expect(reading.values(.heartRate) == [60, 61, 62, 70, 71, 72])
    let series = reading.drafts("heartbeatSeries")
    #expect(series.map(\.span.start) == [MadeUp.time(0), MadeUp.time(8)])
    for draft in series {
      guard case .heartbeats(_, let ticks) = draft.content else { continue }
      #expect(ticks.count == 3 && !ticks.contains(where: \.precededByGap))
    }
    let workout = try #require(reading.workouts.first)
    #expect(workout.events.map(\.type) == [.lap, .pause, .resume])
    #expect(workout.configuration.location == .outdoor)
    #expect(workout.activities.count == 1)
    #expect(workout.metadata["heartRate.average"] == .quantity(Quantity(66, .countPerMinute)))
  }

  @Test("Apple's own export is none that was written here")
  func recognized() {
    for text in ["<HealthData locale='en'>", "<?sensord x?><HealthData>", "<HealthData a='&lt;?sensord '>"] {
      #expect(!AppleCopyReader.recognizes(Array(text.utf8)))
      #expect(AppleHealthReader.recognizes(Array(text.utf8)))
    }
  }

  @Test(
    "what a stranger put into such a file is told, and nothing of it is taken",
    arguments: [
      (
        #"<Record type="HKQuantityTypeIdentifierStepCount" startDate="2026-11-21 02:08:08 +0000" value="1"/>"#,
        "record of another type"
      ),
      (#"<Record type="HKQuantityTypeIdentifierHeartRate" value="1"/>"#, "record without a time"),
      (
        #"<Record type="HKQuantityTypeIdentifierHeartRate" startDate="2026-11-21 02:08:08 +0000" value="70000"/>"#,
        "record without a value"
      ),
      (#"<InstantaneousBeatsPerMinute bpm="60" time="2:08:08.00 AM"/>"#, "beat that is in no record"),
      (
        #"<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" startDate="2026-11-21 02:08:08 +0000" endDate="2026-11-21 02:08:09 +0000"><InstantaneousBeatsPerMinute bpm="60" time="2:09:08.00 AM"/></Record>"#,
        "beat whose time is not in its record"
      ),
      (
        #"<Workout><WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-11-21 02:08:08 +0000" duration="-1"/></Workout>"#,
        "lap whose length is none"
      ),
      ("<Correlation/>", "element Correlation"),
    ])
  func strange(body: String, told: String) throws {
    let text = "<HealthData><?sensord session 3f2a91bc-1111-4222-8333-444444444444?>\(body)</HealthData>"
    let reading = try Reading(Array(text.utf8), .apple)
    #expect(reading.sessions.isEmpty)
    #expect(reading.account.leftOut == [told: 1])
    let alone = try Reading(Array("<HealthData>\(AppleText.rate(60))</HealthData>".utf8), .apple)
    #expect(alone.account.leftOut == ["record that is in no recording": 1])
    #expect(alone.damage?.place == "line 1")
  }

  @Test(
    "what somebody put behind or before a recording is no part of it, and is damage that is told; a recording behind it comes in",
    arguments: [1, 64, 100_000])
  func outside(pieces: Int) throws {
    let first = try MadeUp.withGap()
    var second = first
    second.id = try #require(UUID(uuidString: "AAAAAAAA-1111-4222-8333-444444444444"))
    let parts = [first, second].map { recording in
      InterchangeFormat.apple.text(of: recording).split(separator: "\n").dropFirst(4).dropLast()
        .joined(separator: "\n")
    }
    let beat =
      #"<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="60" time="7:14:22.50 AM"/>"#
      + "</HeartRateVariabilityMetadataList>"
    let deviation = AppleText.record(
      AppleNames.deviation, "40", unit: "ms", to: "07:15:22", day: "2026-11-23", source: "sensord", within: beat)
    let strangers =
      "\(deviation)\n\(AppleText.rate(61, day: "2026-11-20"))\n<Workout sourceName='W'><WorkoutEvent/></Workout>"
    let alone = try parts.map { try Reading(Array("<HealthData>\n\($0)\n</HealthData>".utf8), .apple).sessions }
    // Also in files of versions that did not say where a recording ends: its device tells.
    for end in ["<?sensord end?>", ""] {
      let bodies = parts.map { $0.replacing("<?sensord end?>", with: end) }
      let reading = try Reading(
        Array("<HealthData>\n\(bodies[0])\n\(strangers)\n\(bodies[1])\n</HealthData>".utf8), .apple, pieces: pieces)
      #expect(reading.sessions == alone.flatMap { $0 })
      #expect(reading.account.leftOut == ["record that is in no recording": 2, "Workout that is in no recording": 1])
      #expect(
        reading.damage
          == FileDamage(
            "line \(bodies[0].split(separator: "\n", omittingEmptySubsequences: false).count + 2)",
            "\(AppleNames.deviation) is outside of what sensord wrote, and 2 more; "
              + "import the export that it is from by itself"))
    }
    let before = try Reading(
      Array("<HealthData>\(strangers)\(parts[0])</HealthData>".utf8), .apple, pieces: pieces)
    #expect(before.sessions == alone[0] && before.damage?.place == "line 1")
    // An export of Apple's with one of ours further behind is Apple's, and says so.
    let apple = AppleReading("\(strangers)\(parts[0])")
    #expect(apple.account.reading.notes.contains { $0.hasPrefix("what sensord wrote stands in it, too") })
  }

  @Test("nothing is written of what has neither a rate nor a beat")
  func nothing() throws {
    #expect(InterchangeFormat.apple.refusal(MadeUp.recording(seconds: 5)) != nil)
    #expect(InterchangeFormat.apple.refusal(MadeUp.recording(seconds: 5, rates: [(1, 60)])) == nil)
    #expect(
      InterchangeFormat.apple.refusal(try MadeUp.recording(seconds: 5, beats: MadeUp.series([(1, [900])]))) == nil)
  }

  @Test("what is written leaves in pieces, and a session of a day keeps none of them")
  func pieces() throws {
    let ticks = Array(repeating: UInt32(900), count: 20_000)
    let recording = MadeUp.recording(seconds: 20_000, beats: try MadeUp.series([(1, ticks)]))
    var sizes: [Int] = []
    InterchangeFormat.apple.write(recording) { (piece) throws(Never) in sizes.append(piece.count) }
    // A record of five minutes is handed on at once.
    #expect(sizes.count > 10 && sizes.allSatisfy { $0 < 2 * 65_536 }, "\(sizes.max() ?? 0)")
  }
}

extension String {
  /// How often a text stands in it.
  fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
