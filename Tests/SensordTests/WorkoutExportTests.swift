import Foundation
import TestSupport
import Testing

@testable import sensord

/// What leaves of a workout that came in from elsewhere, and what is said of it, as built programs.
@Suite("Workouts of others leave again")
struct WorkoutExportTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  /// Half an hour with a pause of 4:30, of a watch that measured every five seconds.
  private func importWorkout() throws -> String {
    func time(_ second: Int) -> String { String(format: "2026-10-25 09:%02d:%02d +0100", second / 60, second % 60) }
    let rates = (0..<360).map { index in
      "<Record type='HKQuantityTypeIdentifierHeartRate' sourceName='Watch' unit='count/min' "
        + "startDate='\(time(index * 5))' endDate='\(time(index * 5))' value='\(100 + index % 40)'/>"
    }
    let file = try folder.write(
      "export.xml",
      "<?xml version='1.0'?>\n<HealthData>\(rates.joined())"
        + #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Watch" "#
        + "startDate='\(time(0))' endDate='\(time(1800))'>"
        + "<WorkoutEvent type='HKWorkoutEventTypePause' date='\(time(600))'/>"
        + "<WorkoutEvent type='HKWorkoutEventTypeResume' date='\(time(870))'/></Workout></HealthData>")
    let outcome = try sensord.run("import", "--store", store, file)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let listed =
      try JSONSerialization.jsonObject(with: Data(sensord.run("workouts", "--json", "--store", store).output.utf8))
      as? [[String: Any]]
    return try #require(listed?.first?["id"] as? String)
  }

  @Test("a store of imports alone says what it has, and its last workout is the last recording")
  func importsAlone() throws {
    let id = try importWorkout()
    let sessions = try sensord.run("sessions", "--store", store)
    #expect(sessions.status == 0 && sessions.output.isEmpty)
    #expect(
      sessions.errors
        == "No sessions here. 1 workout: 'sensord workouts'. Values of 1 type: 'sensord stats heartRate --every 1d'.\n")
    let shown = try sensord.run("show", "last", "--json", "--store", store)
    #expect(shown.status == 0 && shown.output.contains(id.lowercased()), "\(shown.errors)")
    #expect(try sensord.run("export", "last", "--format", "tcx", "--store", store).status == 0)
    let table = try sensord.run("export", "last", "--format", "rates", "--store", store)
    #expect(table.status == 66 && table.errors.contains("there is no session with values in"), "\(table.errors)")
  }

  @Test("where only the demo has recorded something, the empty list says where it is")
  func afterDemo() throws {
    let state = "\(folder.path)/state"
    _ = try folder.write("state/sensord/demo.sqlite", "")
    let sessions = try sensord.run("sessions", changed: ["XDG_STATE_HOME": state])
    #expect(
      sessions.status == 0
        && sessions.errors.hasSuffix("Those of the demo: 'sensord sessions --store \(state)/sensord/demo.sqlite'.\n"),
      "\(sessions.errors)")
  }

  @Test("its pause is in FIT, TCX and FHIR as in what is shown of it")
  func pause() throws {
    let id = try importWorkout()
    #expect(try sensord.run("show", id, "--store", store).output.contains("25 min 30 s"))
    let file = "\(folder.path)/run.fit"
    let fit = try sensord.run("export", id, "--format", "fit", "--store", store, "-o", file)
    #expect(fit.status == 0)
    #expect(fit.errors == "sensord: 55 of 360 rates are not in the file: fit has none of a pause\n", "\(fit.errors)")
    let dry = try sensord.run("import", "--dry-run", "--store", "\(folder.path)/other.sqlite", file)
    #expect(dry.output.contains("305 rates, 0 beats, 1 gap"), "\(dry.output)")
    let tcx = try sensord.run("export", id, "--format", "tcx", "--store", store)
    #expect(tcx.output.contains("<TotalTimeSeconds>1530.000</TotalTimeSeconds>"))
    let fhir = try sensord.run("export", id, "--format", "fhir", "--store", store)
    #expect(fhir.output.contains(#""valueQuantity":{"value":25.5,"unit":"min""#) && fhir.errors.isEmpty)
  }

  @Test("a session of beats without rates does not hide the rates of the workout's time, and its beats are there")
  func beatsAlone() throws {
    let id = try importWorkout()
    var since = 0
    let lines = (0..<2600).map { index in
      let interval = 650 + index * 37 % 80
      since += interval
      let second = since / 1000
      return String(format: "2026-10-25 08:%02d:%02d +0000, %d, %d", second / 60, second % 60, interval, since)
    }
    let beats = try folder.write("beats.csv", "date, rr, since start\n" + lines.joined(separator: "\n") + "\n")
    #expect(try sensord.run("import", "--store", store, beats).status == 0)
    let tcx = try sensord.run("export", id, "--format", "tcx", "--store", store)
    #expect(tcx.status == 0 && tcx.output.components(separatedBy: "<Trackpoint>").count == 1 + 305, "\(tcx.errors)")
    let file = "\(folder.path)/run.fit"
    #expect(try sensord.run("export", id, "--format", "fit", "--store", store, "-o", file).status == 0)
    let dry = try sensord.run("import", "--dry-run", "--store", "\(folder.path)/other.sqlite", file)
    #expect(dry.output.contains("305 rates, ") && !dry.output.contains(" 0 beats"), "\(dry.output)")
    #expect(
      try sensord.run("export", id, "--format", "rr", "--store", store).output.split(separator: "\n").count > 2500)
  }

  @Test(
    "rates without a second of their own are told, once for all files; of a format that has all of them nothing is said"
  )
  func missing() throws {
    for (name, hour) in [("a.tcx", "08"), ("b.tcx", "10")] {
      let points = (0..<40).map { index in
        "<Trackpoint><Time>2026-03-01T\(hour):00:\(String(format: "%02d.%02d", index / 4, index % 4 * 25))Z</Time>"
          + "<HeartRateBpm><Value>\(80 + index)</Value></HeartRateBpm></Trackpoint>"
      }
      let file = try folder.write(
        name,
        "<TrainingCenterDatabase><Activities><Activity Sport='Running'><Lap><Track>\(points.joined())"
          + "</Track></Lap></Activity></Activities></TrainingCenterDatabase>")
      #expect(try sensord.run("import", "--store", store, file).status == 0)
    }
    for format in ["fit", "tcx", "edf", "fhir", "apple"] {
      let one = try sensord.run(
        "export", "last", "--format", format, "--store", store, "-o", "\(folder.path)/one.\(format)")
      #expect(one.status == 0)
      #expect(one.errors == "sensord: 30 of 40 rates are not in the file: \(format) has one a second\n")
      let all = try sensord.run(
        "export", "--from", "2026-01-01", "--format", format, "--store", store, "-o", "\(folder.path)/all.\(format)")
      #expect(all.status == 0)
      #expect(all.errors == "sensord: 60 of 80 rates are not in the file: \(format) has one a second\n")
    }
    let all = try sensord.run("export", "last", "--format", "omh", "--store", store)
    #expect(all.status == 0 && all.errors.isEmpty)
  }
}
