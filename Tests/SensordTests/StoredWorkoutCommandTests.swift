import Captures
import Documents
import Foundation
import HealthModel
import Reports
import SeriesStore
import Support
import TestSupport
import Testing
import Timeline

@testable import sensord

/// Stored workouts, with the built program.
@Suite("Workouts on the command line")
struct StoredWorkoutCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }
  private static let session = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  private static let race = UUID(uuidString: "7C10E5D2-0000-4000-8000-000000000002")!
  private static let walk = UUID(uuidString: "A0000000-0000-4000-8000-000000000003")!

  /// The `second` of the recording, which begins 2026-11-21T12:00:00Z.
  private static func time(_ second: Int64) -> Timestamp {
    Timestamp(microseconds: 1_795_262_400_000_000 + second * 1_000_000)
  }

  private static func span(_ start: Int64, _ end: Int64) throws -> TimeSpan {
    try #require(TimeSpan(start: time(start), end: time(end)))
  }

  /// 300 s of 140 a minute, 300 of 160, then a fall of one a second to 110.
  private static func rate(_ second: Int) -> Double {
    second <= 300 ? 140 : max(110, 160 - max(0, Double(second) - 600))
  }

  /// A session of 670 s, and the identifiers of its rates and beats.
  private func record() async throws -> [UUID] {
    var events = [
      SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: BootInstant(microseconds: 0)),
      SensorEvent(
        .clock(wallMinusBootMicroseconds: Self.time(0).microseconds), at: BootInstant(microseconds: 0)),
      SensorEvent(.connected, at: BootInstant(microseconds: 0)),
    ]
    var (beat, previous) = (0.0, 0)
    for second in 1...670 {
      let rate = Self.rate(second)
      var bytes: [UInt8] = [0x16, UInt8(rate)]
      while beat + 60 / rate * (1 + 0.02 * sin(beat)) <= Double(second) {
        beat += 60 / rate * (1 + 0.02 * sin(beat))
        let ticks = Int((beat * 1024).rounded())
        bytes += [UInt8((ticks - previous) & 0xFF), UInt8((ticks - previous) >> 8)]
        previous = ticks
      }
      events.append(SensorEvent(.measurement(bytes), at: BootInstant(microseconds: Int64(second) * 1_000_000)))
    }
    events.append(SensorEvent(.ended(.request), at: BootInstant(microseconds: 670_000_000)))
    let capture = Capture(
      header: CaptureHeader(
        session: Self.session, sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Strap"),
        source: "test"), events: events)
    let path = try CaptureArchive(directory: folder.path + "/made", maximumAgeSeconds: nil, maximumBytes: nil)
      .keep(capture)
    #expect(try run("replay", path).status == 0)
    let reader = try HealthStore.open(store, for: .reading)
    let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
    let recorded = SampleQuery(.and([.session(Self.session), .or(types.map { .type($0) })]))
    return try await recorded.result(for: reader).value.map(\.id)
  }

  /// A run of 600 s in two activities with a pause of 60 s, and a walk without anything, both of a game.
  private func save(collecting samples: [UUID]) async throws {
    let run = WorkoutConfiguration(.running, location: .outdoor)
    let lap = WorkoutEvent(.lap, over: try Self.span(100, 200))
    let workout = Workout(
      id: Self.race, run, over: try Self.span(0, 600),
      events: [WorkoutEvent(.pause, at: Self.time(240)), WorkoutEvent(.resume, at: Self.time(300))],
      activities: [
        WorkoutActivity(run, over: try Self.span(0, 300), events: [lap], metadata: ["interval": 1]),
        WorkoutActivity(run, over: try Self.span(300, 600)),
      ], metadata: ["title": "Race"])
    let walk = Workout(
      id: Self.walk, WorkoutConfiguration(.walking), over: try Self.span(90_000, 91_000))
    let writer = try HealthStore.open(store, for: .writing)
    let game = SourceRevision(identifier: "org.example.Game", name: "Game")
    let strap = Device(name: "Strap", localIdentifier: "C0:FF:EE:00:00:01")
    _ = try await writer.save([NewSample(workout, collected: samples, device: strap), NewSample(walk)], as: game)
    await writer.close()
  }

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try sensord.run(arguments + ["--store", store])
  }

  @Test("a workout leaves with a lap for each activity, and is known again; elsewhere it is a session")
  func exported() async throws {
    try await save(collecting: try await record())
    let (file, other) = ("\(folder.path)/race.fit", "\(folder.path)/other.sqlite")
    let outcome = try run("export", "7c10", "--format", "fit", "-o", file)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try run("import", file).output.contains("is known already as "))
    let first = try sensord.run("import", file, "--store", other)
    #expect(first.output.contains(" stored: "), "\(first.output)")
    #expect(try sensord.run("import", file, "--store", other).output.contains("is known already"))
    let shown = try sensord.run("show", "last", "--json", "--store", other).output
    #expect(shown.contains("7c10e5d2-0000-4000-8000-000000000002"), "\(shown)")
    #expect(shown.components(separatedBy: #""lap""#).count == 1 + 2, "\(shown)")
    // Of the pause, from 240 to 300 s, there is nothing; the duration is without it.
    let gap = try await HealthStore.open(other, for: .reading).sessions().first
    let gaps = try await HealthStore.open(other, for: .reading).gaps(of: try #require(gap).id)
    #expect(gaps.count == 1 && gaps.allSatisfy { abs($0.end.microseconds(since: $0.start) - 61_000_000) < 2_000_000 })
    #expect(outcome.errors == "sensord: 61 of 600 rates are not in the file: fit has none of a pause\n")
    #expect(try run("export", "7c10", "--format", "fhir").output.contains(#""value":9.0,"unit":"min""#))
    let tcx = try run("export", "7c10", "--format", "tcx").output
    #expect(tcx.contains("<TotalTimeSeconds>240.000<") && tcx.contains("<TotalTimeSeconds>300.000<"), "\(tcx)")
    // What leaves there again is known here, too.
    for format in ["fit", "tcx", "apple"] {
      let copy = "\(folder.path)/copy.\(format)"
      #expect(try sensord.run("export", "last", "--format", format, "-o", copy, "--store", other).status == 0)
      let back = try run("import", copy)
      #expect(back.status == 0 && back.output.contains("is known already as 7c10e5d2"), "\(back.output)\(back.errors)")
    }
  }

  @Test("workouts are a table of 80 columns and an array, oldest first, by type, time and the mean rate of an activity")
  func list() async throws {
    try await save(collecting: try await record())
    let table = try run("workouts")
    #expect(
      table.output == """
        Workout   Start             Length  Type     Activities  Avg  Max  Recovery
        7c10e5d2  2026-11-21 12:00    9:00  running           2  151  160
        a0000000  2026-11-22 13:00   16:40  walking

        """, "\(table.output)\(table.errors)")
    let json = try run("workouts", "--json")
    let lines = json.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(
      lines[1].hasPrefix(
        #"{"id":"7c10e5d2-0000-4000-8000-000000000002","type":"running","activityType":37,"location":3,"#
          + #""swimmingLocation":0,"lapLengthMeters":null,"start":"2026-11-21T12:00:00.000Z","#
          + #""end":"2026-11-21T12:10:00.000Z","seconds":540,"activityCount":2,"heartRate":{"average":15"#))
    #expect(
      lines[1].hasSuffix(
        #""minimum":140,"maximum":160},"heartRateRecoveryOneMinute":null,"source":"org.example.Game","#
          + #""device":{"name":"Strap","address":"C0:FF:EE:00:00:01"}},"#))
    for (arguments, count) in [
      (["--type", "running"], 1), (["--type", "52"], 1), (["--type", "yoga"], 0), (["--from", "2026-11-22"], 1),
      (["--to", "2026-11-22"], 1), (["--activity-average-over", "155"], 1), (["--activity-average-over", "160"], 0),
      (["--type", "walking", "--activity-average-over", "155"], 0),
    ] {
      let found = try sensord.run(["workouts", "--json", "--store", store] + arguments).output
      #expect(found.split(separator: "\n").count == (count == 0 ? 1 : count + 2), "\(arguments) \(found)")
    }
    let none = try run("workouts", "--type", "yoga")
    #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("no such workouts"))
  }

  @Test("show has a workout's activities with their figures, its laps, the time in zones, the recovery and metadata")
  func show() async throws {
    try await save(collecting: try await record())
    let settings = try folder.write("settings.conf", "[zones]\nmaximum = 200\n")
    let shown = try run("show", "7c10", "--config", settings)
    let output = shown.output
    #expect(
      output.hasPrefix(
        """
        Workout   7c10e5d2-0000-4000-8000-000000000002
        Type      running, outdoors
        Program   org.example.Game
        Sensor    Strap, C0:FF:EE:00:00:01
        Start     2026-11-21 12:00:00 +0000
        End       2026-11-21 12:10:00 +0000
        Length    9 min 00 s, and 1 min 00 s of pauses
        Recovery  4
        """), "\(shown.output)\(shown.errors)")
    #expect(
      output.contains(
        """

        Activity  Start                      Length  Type
               1  2026-11-21 12:00:00 +0000    4:00  running, outdoors
               2  2026-11-21 12:05:00 +0000    5:00  running, outdoors

        Of   Figure     Unit       Sum    Avg    Min    Max
        """), "\(output)")
    #expect(output.contains("\n1    heartRate  count/min       140.0  140.0  140.0\n"), "\(output)")
    // Without the pause's minute.
    #expect(output.contains("\n3      70 to 80 %        from 140  3:59   44 %\n"), "\(output)")
    #expect(
      output.hasSuffix(
        """

        Event   Start                      Length  Avg  Max  Activity  SWOLF
        lap     2026-11-21 12:01:40 +0000    1:40  140  140         1
        pause   2026-11-21 12:04:00 +0000
        resume  2026-11-21 12:05:00 +0000

        Metadata  Value
        title     Race

        """), "\(output)")
    let json = try run("show", "7c10", "--json", "--config", settings).output
    #expect(json.contains(#""recovery":{"heartRateRecoveryOneMinute":4"#))
    #expect(json.contains(#","saved":false,"refused":null,"reason":null},"events":[{"type":"pause","eventType":1,"#))
    #expect(json.contains(#""seconds":240,"statistics":[{"type":"heartRate","unit":"count/min","count":2"#))
    #expect(
      json.contains(#""end":"2026-11-21T12:03:20.000Z","heartRate":{"average":140,"minimum":140,"maximum":140},"#))
    #expect(json.contains(#""end":"2026-11-21T12:04:00.000Z","heartRate":null,"metadata":{}"#))
    #expect(json.contains(#""metadata":{"interval":1}}"#) && json.hasSuffix(#""metadata":{"title":"Race"}}"# + "\n"))
    #expect(json.contains(#""zones":{"basis":"maximum","maximum":200,"#))
    let walk = try run("show", "a000").output
    #expect(walk.contains("walking") && !walk.contains("Recovery") && !walk.contains("\n\n"))
  }

  @Test("a workout over a change to summer or winter time is as long as it was, and its times are those of the clocks")
  func summerTime() async throws {
    let writer = try HealthStore.open(store, for: .writing)
    let game = SourceRevision(identifier: "org.example.Game", name: "Game")
    // Clocks in Berlin go from 2 to 3 at 01:00Z, and from 3 to 2 at 01:00Z: an hour and a half each, across midnight before.
    let nights: [(UUID, String, String)] = [
      (Self.race, "2026-03-29T00:30:00Z", "2026-03-29T02:00:00Z"),
      (Self.walk, "2026-10-24T21:30:00Z", "2026-10-25T01:30:00Z"),
    ]
    for (id, start, end) in nights {
      let first = try #require(Timestamp(iso8601: start))
      let last = try #require(Timestamp(iso8601: end))
      let span = try #require(TimeSpan(start: first, end: last))
      let workout = Workout(
        id: id, WorkoutConfiguration(.walking), over: span, activities: [WorkoutActivity(.init(.walking), over: span)])
      _ = try await writer.save(NewSample(workout), as: game)
    }
    await writer.close()
    let berlin = ["TZ": "Europe/Berlin"]
    let table = try sensord.run(["workouts", "--store", store], changed: berlin).output
    #expect(
      table.contains("2026-03-29 01:30  1:30:00  walking") && table.contains("2026-10-24 23:30  4:00:00  walking"),
      "\(table)")
    let spring = try sensord.run(["show", "7c10", "--store", store], changed: berlin).output
    #expect(
      spring.contains("Start     2026-03-29 01:30:00 +0100\nEnd       2026-03-29 04:00:00 +0200\nLength    1 h 30 min"),
      "\(spring)")
    let autumn = try sensord.run(["show", "a000", "--store", store], changed: berlin).output
    #expect(
      autumn.contains("Start     2026-10-24 23:30:00 +0200\nEnd       2026-10-25 02:30:00 +0100\nLength    4 h"),
      "\(autumn)")
    // The day that is named is the clocks' day.
    for (from, to, count) in [
      ("2026-10-25", "2026-10-26", 1), ("2026-10-24", "2026-10-25", 1), ("2026-03-29", "2026-03-30", 1),
    ] {
      let found = try sensord.run(
        ["workouts", "--json", "--from", from, "--to", to, "--store", store], changed: berlin
      ).output
      #expect(found.split(separator: "\n").count == count + 2, "\(from) \(found)")
    }
  }

  @Test("show names the routes of a workout: how long the way is, and through how many points")
  func routes() async throws {
    try await save(collecting: [])
    let writer = try HealthStore.open(store, for: .writing)
    let game = SourceRevision(identifier: "org.example.Game", name: "Game")
    for (first, count, step) in [(0, 300, 0.0001), (400, 1, 0)] as [(Int64, Int64, Double)] {
      let locations = (0..<count).map {
        RouteLocation(at: Self.time(first + $0), latitude: 52 + Double($0) * step, longitude: 13)
      }
      let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-00000000000\(count == 1 ? 2 : 1)"))
      _ = try await writer.save(
        NewSample(WorkoutRoute(id: id, of: Self.race, locations)), as: game)
    }
    await writer.close()
    let shown = try run("show", "7c10")
    #expect(
      shown.output.contains("\nRoute     3.32 km through 300 points\nRoute     0 m through 1 point\n"),
      "\(shown.output)\(shown.errors)")
    let json = try run("show", "7c10", "--json").output
    #expect(
      json.contains(
        #""routes":[{"id":"00000000-0000-4000-8000-000000000001","start":"2026-11-21T12:00:00.000Z","#
          + #""end":"2026-11-21T12:04:59.000Z","locationCount":300,"lengthMeters":3324.73"#), "\(json)")
    #expect(json.contains(#""locationCount":1,"lengthMeters":0}]"#), "\(json)")
    let count = try run("sql", "SELECT count(*), max(latitude) FROM locations", "--json")
    #expect(count.output.contains("301"), "\(count.output)\(count.errors)")
  }

  @Test("a workout's report has its rates with pauses, activities and laps, its figures, zones and variability")
  func report() async throws {
    try await save(collecting: try await record())
    let settings = try folder.write("settings.conf", "[zones]\nmaximum = 200\n")
    let page = try run("report", "7c10", "--config", settings).output
    #expect(page.contains("<h1>Workout 7c10e5d2: running, 2026-11-21</h1>"))
    // 892 units are 600 s: the pause from 240 to 300 s, the second activity at 300 s, the end of the lap at 200 s.
    #expect(page.contains(#"<rect class="pause" x="412.8" y="14" width="89.2""#))
    #expect(page.contains(#"<path class="moment" d="M502 14L502 268"/>"#) && page.contains(">L1</text>"))
    #expect(page.contains("class=\"n\">4:00</td><td>running, outdoors</td>") && page.contains("zone 3"))
    #expect(page.contains("Filter normalToNormal: ") && page.contains("<td>title</td><td>Race</td>"))
    #expect(page.contains("Poincaré plot") && page.contains("Time in zones, without pauses"))
    let walk = try run("report", "a000")
    #expect(walk.status == 0 && walk.output.contains("Not given: no heartbeats were recorded with it."))
    #expect(!walk.output.contains("<figure"))
    // The recovery belongs to the session: the workout's picture ends with the workout.
    #expect(page.contains("From 12:00:00 to 12:10:00"))
    #expect(try run("show", "7c10", "--tachogram").output.contains("RR intervals in ms"))
  }

  @Test("a name of several is said to be, of a workout and a session too; recovery takes a workout's end")
  func names() async throws {
    try await save(collecting: try await record())
    let recovery = try run("recovery", "7c10", "--json")
    let key =
      #"{"workout":"7c10e5d2-0000-4000-8000-000000000002","at":"2026-11-21T12:10:00.000Z","heartRateRecoveryOneMinute":"#
    #expect(recovery.status == 0 && recovery.output.hasPrefix(key), "\(recovery.output)\(recovery.errors)")
    #expect(try run("recovery", "7c10", "--save").status == Code.usage.rawValue)
    #expect(try run("recovery", "7c10", "--at", "2026-11-21T12:10").status == Code.usage.rawValue)
    let walk = try run("recovery", "a000")
    #expect(walk.status == Code.badData.rawValue)
    #expect(
      walk.errors
        == "sensord: no recorded heartbeats belong to workout a0000000; "
        + "name the session instead; 'sensord sessions' lists them\n", "\(walk.errors)")
    // A workout whose name begins as the session's.
    let writer = try HealthStore.open(store, for: .writing)
    let twin = UUID(uuidString: "3F2A0000-0000-4000-8000-000000000004")!
    _ = try await writer.save(
      NewSample(Workout(id: twin, WorkoutConfiguration(.yoga), over: try Self.span(0, 10))),
      as: SourceRevision(identifier: "org.example.Game", name: "Game"))
    await writer.close()
    for command in ["show", "recovery", "report"] {
      let both = try run(command, "3f2a")
      #expect(both.status == Code.noInput.rawValue)
      #expect(both.errors == "sensord: several sessions or workouts begin with 3f2a; give more digits\n")
    }
    #expect(try run("show", "3f2a0").output.contains("yoga"))
    #expect(try run("show", "3f2a9").output.contains("Session   3f2a91bc"))
    #expect(try run("show", "last").output.contains("Session   3f2a91bc"))
    for command in ["show", "recovery"] {
      let none = try run(command, "beef")
      #expect(none.status == Code.noInput.rawValue)
      #expect(
        none.errors
          == "sensord: no session or workout beef in \(store); "
          + "'sensord sessions' and 'sensord workouts' list what there is\n", "\(none.errors)")
      let word = try run(command, "race")
      #expect(word.status == Code.noInput.rawValue)
      #expect(
        word.errors
          == "sensord: 'race' names no session and no workout; give at least 4 digits of its name, or last; "
          + "'sensord sessions' and 'sensord workouts' list them\n", "\(word.errors)")
    }
    // What is of sessions alone says so.
    for table in ["beats", "rates"] {
      #expect(try run("export", "beef", "--format", table).errors.hasPrefix("sensord: no session beef in "))
      let workout = try run("export", "7c10", "--format", table)
      #expect(workout.status == Code.noInput.rawValue && workout.output.isEmpty)
      #expect(
        workout.errors
          == "sensord: 7c10 is a workout, and \(table) is a table of one session; "
          + "name the session of its time, which 'sensord sessions' lists, or take a format for workouts, such as fit\n",
        "\(workout.errors)")
    }
  }

  @Test("the recovery that a workout has is not saved a second time from its session; another minute's is")
  func recoveryOfBoth() async throws {
    let recorded = try await record()
    let minute = try Self.span(600, 660)
    var builder = QuantitySeriesBuilder(type: .heartRateRecoveryOneMinute, start: minute.start)
    try builder.insert(49.5, from: minute.start, to: minute.end)
    let recovery = try builder.finish()
    let writer = try HealthStore.open(store, for: .writing)
    _ = try await writer.save(recovery, as: SourceRevision(identifier: "sensord", name: "sensord"))
    await writer.close()
    try await save(collecting: recorded + [recovery.id])
    func recoveries() async throws -> Int {
      let reader = try HealthStore.open(store, for: .reading)
      let count = try await SampleQuery(.type(.quantity(.heartRateRecoveryOneMinute))).result(for: reader).value.count
      await reader.close()
      return count
    }
    // 65 s before the end of the session, and so not the workout's end to the second.
    for arguments in [["--save"], ["--save", "--at", "2026-11-21T12:10:01Z"], ["--save", "--json"]] {
      let saved = try sensord.run(["recovery", "3f2a", "--store", store] + arguments)
      #expect(saved.status == 0 && !saved.output.isEmpty, "\(saved.errors)")
      #expect(
        saved.errors
          == "Nothing was saved: the store has the recovery of workout 7c10e5d2, of the same minute.\n",
        "\(saved.errors)")
      #expect(try await recoveries() == 1)
    }
    let other = try run("recovery", "3f2a", "--save", "--at", "2026-11-21T12:05:00Z")
    #expect(other.errors.isEmpty || other.status != 0, "\(other.errors)")
    #expect(try await recoveries() == (other.status == 0 ? 2 : 1))
  }
}
