import Foundation
import TestSupport
import Testing

/// Workouts from files of other programs, and the heart of a workout that has none of its own, with the built programs.
@Suite("Rides that come in")
struct ImportedRideTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try sensord.run(arguments + ["--store", store])
  }

  private static func time(_ second: Int) -> String {
    "2024-05-01T07:\(30 + second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
  }

  /// Two minutes by bicycle, one lap a minute.
  private static func tcx(from first: Int = 0, to last: Int = 120) -> String {
    func lap(_ seconds: Range<Int>) -> String {
      let points = seconds.map {
        "<Trackpoint><Time>\(time($0))</Time><Position><LatitudeDegrees>10.0\($0)</LatitudeDegrees><LongitudeDegrees>20"
          + "</LongitudeDegrees></Position><DistanceMeters>\($0 * 8)</DistanceMeters><HeartRateBpm><Value>\(100 + $0 % 50)"
          + "</Value></HeartRateBpm></Trackpoint>"
      }
      return "<Lap StartTime='\(time(seconds.lowerBound))'><TotalTimeSeconds>60</TotalTimeSeconds><DistanceMeters>480"
        + "</DistanceMeters><Calories>9</Calories><Track>\(points.joined())</Track></Lap>"
    }
    let laps = stride(from: first, to: last, by: 60).map { lap($0..<min($0 + 60, last)) }.joined()
    return
      "<TrainingCenterDatabase><Activities><Activity Sport='Biking'>\(laps)</Activity></Activities></TrainingCenterDatabase>"
  }

  private static let gpx: String = {
    let points = (0..<120).map {
      "<trkpt lat='10.0\($0)' lon='20'><time>\(time($0))</time><extensions><hr>\(100 + $0 % 50)</hr></extensions></trkpt>"
    }
    return "<gpx creator='x'><trk><type>cycling</type><trkseg>\(points.joined())</trkseg></trk></gpx>"
  }()

  @Test("a ride is a workout with its heart, laps, way and values; twice adds nothing, a longer form replaces it")
  func ride() throws {
    let file = try folder.write("ride.tcx", Self.tcx(to: 60))
    let first = try run("import", file)
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.output.contains(" stored: cycling, 60 locations, activeEnergyBurned, distanceCycling"), "\(first.output)")
    let workouts = try run("workouts", "--json")
    #expect(workouts.output.contains(#""type":"cycling""#), "\(workouts.output)")
    #expect(workouts.output.contains(#""heartRate":{"average":12"#), "\(workouts.output)")
    #expect(!workouts.output.contains("heartRateSource"))
    let again = try run("import", file)
    #expect(
      again.status == 0 && again.output.contains("workout ") && again.output.contains("known already, nothing new"))
    let grown = try folder.write("grown.tcx", Self.tcx())
    let longer = try run("import", grown)
    #expect(longer.status == 0)
    #expect(
      longer.output.contains(" replaced a form of itself that has less: cycling, 2 laps, 120 locations"),
      "\(longer.output)")
    let listed = try run("workouts", "--json").output.split(separator: "\n").count { $0.contains(#""type":"cycling""#) }
    #expect(listed == 1)
    let dry = try sensord.run("import", "--dry-run", grown, "--store", "\(folder.path)/none.sqlite")
    #expect(
      dry.output.contains(" would be stored: cycling, 2 laps, 120 locations, activeEnergyBurned, distanceCycling"))
    #expect(try run("check").status == 0)
  }

  @Test("the same ride in another format is told, and stored with --again alone")
  func otherFormat() throws {
    let tcx = try folder.write("ride.tcx", Self.tcx())
    let gpx = try folder.write("ride.gpx", Self.gpx)
    #expect(try run("import", tcx).status == 0)
    for _ in 0..<2 {
      let other = try run("import", gpx)
      #expect(
        other.status == 0 && other.output.contains(", from another format; --again stores it, too"), "\(other.output)")
    }
    #expect(try run("import", gpx, "--again").output.contains(" stored: 120 rates"))
    #expect(try run("import", gpx).output.contains("known already, nothing new"))
  }

  @Test("a way without a heart comes in, a planned way does not")
  func way() throws {
    let points = (0..<5).map { "<trkpt lat='10' lon='2\($0)'><time>\(Self.time($0))</time></trkpt>" }.joined()
    let file = try folder.write("way.gpx", "<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>")
    let outcome = try run("import", file)
    #expect(
      outcome.status == 0 && outcome.output.contains(" stored: other, 5 locations"),
      "\(outcome.output)\(outcome.errors)")
    let plan = try folder.write("plan.gpx", "<gpx><rte><rtept lat='1' lon='2'/></rte></gpx>")
    #expect(try run("import", plan).status == 65)
  }

  @Test("what is recognized and not read is refused by its name")
  func refused() throws {
    let file = try folder.write("a.hrm", "[Params]\nVersion=106\nMonitor=12\n")
    let outcome = try run("import", file)
    #expect(
      outcome.status == 65 && outcome.errors.contains("it is Polar's HRM, which is not read; export it as TCX or FIT"))
  }

  /// A workout of Apple's export, and rates by the watch, by a phone, or both: all within the workout.
  private static func apple(_ sources: [(name: String, rate: Int)]) -> String {
    func date(_ second: Int) -> String {
      "2024-05-01 07:\(30 + second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60) +0000"
    }
    let records = sources.flatMap { source in
      (0..<120).map {
        "<Record type='HKQuantityTypeIdentifierHeartRate' sourceName='\(source.name)' unit='count/min' value='\(source.rate)' "
          + "startDate='\(date($0 * 5))' endDate='\(date($0 * 5))'/>"
      }
    }
    return
      "<HealthData><ExportDate value='x'/>\(records.joined())<Workout workoutActivityType='HKWorkoutActivityTypeRunning' "
      + "duration='10' durationUnit='min' sourceName='Watch' startDate='\(date(0))' endDate='\(date(600))'/></HealthData>"
  }

  @Test(
    "an imported workout has the rates of its own source, else those of the source that statistics prefer, named",
    arguments: [
      ([("Watch", 134)], "134", "Watch"), ([("Phone", 90), ("Watch", 134)], "134", "Watch"),
      ([("Band", 91)], "91", "Band"), ([], "null", nil),
    ] as [([(name: String, rate: Int)], String, String?)])
  func heart(sources: [(name: String, rate: Int)], average: String, name: String?) throws {
    let file = try folder.write("export.xml", Self.apple(sources))
    #expect(try run("import", file).status == 0)
    let listed = try run("workouts", "--json").output
    #expect(listed.contains(#""heartRate":{"average":\#(average),"#), "\(listed)")
    #expect(listed.contains("heartRateSource") == (name != nil))
    if let name { #expect(listed.contains(name), "\(listed)") }
    let id = try #require(listed.split(separator: "\"").first { $0.count == 36 }.map(String.init))
    let shown = try run("show", id, "--json").output
    #expect(shown.contains(#""heartRate":{"average":\#(average),"#), "\(shown)")
    let page = "\(folder.path)/page.html"
    #expect(try run("report", id, "-o", page).status == 0)
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(text.contains("polyline") || text.contains("<path") || name == nil)
  }
}
