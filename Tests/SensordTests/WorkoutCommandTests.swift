import DBus
import Documents
import HealthModel
import Reports
import SensordClient
import Support
import TestSupport
import Testing

@testable import RecorderBus
@testable import sensord

/// What `sensord workout` understands and shows; what it does to a recorder is tested with one.
@Suite("Workout command")
struct WorkoutCommandTests {
  private let folder = TemporaryFolder()

  @Test(
    "what cannot be a workout is answered with what is wrong, and what was meant",
    arguments: [
      (["start", "runing"], "there is no activity type 'runing'; did you mean 'running', or"),
      (["start", "xxxxxxxx"], "there is no activity type 'xxxxxxxx'; HealthKit's names and numbers are understood"),
      (["start", "037"], "there is no activity type '037'"),
      (["start", "swimming", "--lap-length", "0 m"], "the length of a lap is above 0 and at most 10 km"),
      (["start", "swimming", "--lap-length", "50 km"], "the length of a lap is above 0 and at most 10 km"),
      (["start", "swimming", "--lap-length", "50"], "'50' is no length; it is written as '50 m' or 25yd"),
      (["start", "swimming", "--lap-length", "50 kg"], "'50 kg' is no length"),
      (["start", "swimming", "--lap-length=-5 m"], "'-5 m' is no length"),
      (["start", "swimming", "--lap-length", "1.2.3 m"], "'1.2.3 m' is no length"),
      (["start", "running", "--location", "moon"], "Please provide one of 'indoor' and 'outdoor'."),
      (["start", "running", "--sensor", "C0:FF:EE:00:00:01", "--no-sensor"], "--sensor and --no-sensor exclude"),
      (["start", "running", "--sensor", ""], "--sensor needs an address"),
      (["start", "running", "--metadata", "title"], "metadata are written as key=text"),
      (["activity", "sprinting"], "there is no activity type 'sprinting'"),
      (["activity", "--location", "indoor"], "name the type of the activity, too"),
      (["activity", "running", "--end"], "--end begins nothing"),
    ])
  func refused(arguments: [String], words: String) throws {
    let outcome = try BuiltProgram(in: folder).run(["workout"] + arguments)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errorLines.count == 1 && outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.errors.contains("See 'sensord workout ") || outcome.errors.contains("; see 'sensord workout "))
  }

  @Test(
    "without a recorder every command says so with 69",
    arguments: [
      ["start", "running"], ["activity"], ["lap"], ["segment"], ["mark", "x"], ["pause"], ["resume"], ["status"],
      ["end"], ["discard"],
    ])
  func noRecorder(arguments: [String]) throws {
    let outcome = try BuiltProgram(in: folder).run(["workout"] + arguments)
    #expect(outcome.status == 69 && outcome.output.isEmpty)
    #expect(outcome.errors == "sensord: no recorder is open to other programs; 'sensord doctor' finds out why\n")
  }

  @Test(
    "lengths are written with their unit, types by name or number",
    arguments: [
      ("25yd", Quantity(25, Unit("yd")!)), ("50 m", Quantity(50, .meter)), ("0.4  km", Quantity(0.4, Unit("km")!)),
    ])
  func words(text: String, length: Quantity) throws {
    #expect(try WorkoutPlaceOptions.length(text) == length)
    #expect(try WorkoutPlaceOptions.type("swimBikeRun") == .swimBikeRun)
    #expect(try WorkoutPlaceOptions.type("12345").rawValue == 12_345)
  }

  private static func shown(_ figures: WorkoutFigures, application: String, sensor: String? = nil) -> ShownWorkout {
    ShownWorkout(
      name: "3f2a91bc-0000-4000-8000-000000000001", path: "/org/sensord/workout/a", sensor: sensor,
      start: Timestamp(microseconds: 1_795_000_000_000_000),
      program: ClientIdentity(uid: 4_000_000_000, application: application), isOwn: false, state: "paused",
      elapsed: 4_330_500_000, figures: figures)
  }

  @Test("a race shows what it is, how long it has gone on, and the heart of all of it and of its activity")
  func status() {
    let whole = WorkoutStatistics(.heartRate, count: 9, average: 148.4, minimum: 88, maximum: 184, mostRecent: 150)
    let bike = WorkoutStatistics(.heartRate, count: 5, average: 151, minimum: 100, maximum: 172)
    let race = Self.shown(
      WorkoutFigures(
        activityType: .swimBikeRun, currentActivityType: .cycling,
        workout: WorkoutFigures.Part(whole, duration: .seconds(4_330)),
        activity: WorkoutFigures.Part(bike, duration: .seconds(1_930))),
      application: "org.example.\u{1B}[2J", sensor: "C0:FF:EE:00:00:01")
    let lines = race.text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "Workout     3f2a91bc, swimBikeRun, paused")
    #expect(lines[1].hasPrefix("Elapsed     1 h 12 min, since "))
    #expect(lines[2] == "Heart rate  average 148, greatest 184, now 150 beats a minute")
    #expect(lines[3] == "Activity    cycling, 32 min 10 s")
    #expect(lines[4] == "Heart rate  average 151, greatest 172 beats a minute")
    #expect(lines[5].hasPrefix("Of          org.example.") && lines[5].hasSuffix("@4000000000"))
    #expect(!race.text.contains("\u{1B}"), "names are hostile text")
    #expect(
      race.json.text
        == #"{"id":"3f2a91bc-0000-4000-8000-000000000001","path":"/org/sensord/workout/a","type":"swimBikeRun","#
        + #""state":"paused","start":"2026-11-18T11:06:40.000Z","elapsedSeconds":4330.5,"sensor":"C0:FF:EE:00:00:01","#
        + #""heartRate":{"average":148.4,"minimum":88,"maximum":184,"mostRecent":150},"#
        + #""activity":{"type":"cycling","elapsedSeconds":1930,"#
        + #""heartRate":{"average":151,"minimum":100,"maximum":172,"mostRecent":null}},"#
        + #""uid":4000000000,"application":"org.example.\u001b[2J"}"#)
  }

  @Test("a workout without a heart shows that, and no activity where none is under way")
  func withoutHeart() {
    let plain = Self.shown(WorkoutFigures(activityType: nil), application: "unnamed")
    #expect(plain.text.contains("Workout     3f2a91bc, paused\n") && plain.text.contains("Heart rate  none yet\n"))
    #expect(!plain.text.contains("Activity"))
    #expect(
      plain.json.text.contains(#""type":null"#)
        && plain.json.text.contains(#""sensor":null,"heartRate":null,"activity":null"#))
  }

  @Test(
    "a refusal becomes a code that says what kind it is",
    arguments: [
      ("NotAuthorized", 77), ("Busy", 75), ("InvalidState", 75), ("NoSensor", 66), ("Finished", 66),
      ("NotRecording", 69), ("NotStored", 74), ("SeveralSensors", 64), ("InvalidArgument", 64), ("NotByObject", 64),
    ] as [(String, Int32)])
  func codes(name: String, code: Int32) throws {
    let error = ClientError(DBusError(.remote(name: "org.sensord.Error.\(name)"), "why"))
    let failure = try #require(CommandFailure(classifying: error))
    #expect(failure.status.rawValue == code)
    let isTold = ["InvalidState", "NoSensor", "SeveralSensors", "InvalidArgument", "NotByObject"].contains(name)
    #expect(failure.message == "why" || !isTold)
  }
}
