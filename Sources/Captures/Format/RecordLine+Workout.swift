import FoundationEssentials
import Sensors

extension RecordLine {
  /// Decodes a record of a live workout after its slot and kind; nil if the kind does not belong to a workout.
  mutating func workout(_ kind: String) throws(Fault) -> WorkoutRecord? {
    switch kind {
    case "workout": .begin(try workoutBeginning())
    case "samples": .samples(try sampleIdentifiers())
    default: nil
    }
  }

  /// Decodes a call after its instant and kind; nil if the kind does not belong to a workout.
  mutating func workoutCall(_ kind: String) throws(Fault) -> WorkoutCall? {
    switch kind {
    case "start": .start
    case "pause": .pause
    case "resume": .resume
    case "activity":
      .beginActivity(
        try required(uuid(), "activity"), try configuration(), metadata: try metadata(orElse: "activity"))
    case "end-activity": .endActivity
    case "event": try workoutEvent()
    case "stop": .stop
    case "end": .end
    default: nil
    }
  }

  private mutating func workoutBeginning() throws(Fault) -> LiveWorkout {
    let identifier = try required(uuid(), "workout")
    let uid: UInt32 = try required(integer(), "user")
    let application = try required(string(), "application")
    let end = word()
    guard end == "ends" || end == "stays" else { throw .malformed(field: "workout") }
    var workout = LiveWorkout(
      identifier: identifier, uid: uid, application: application, endsWithClient: end == "ends",
      configuration: try configuration())
    while let word = word() {
      switch word {
      case "uses": workout.request = try required(uuid(), "uses")
      case "sensor": workout.sensor = try required(self.word().flatMap { SensorAddress($0) }, "sensor")
      default: throw .malformed(field: "workout")
      }
    }
    return workout
  }

  private mutating func configuration() throws(Fault) -> LiveWorkout.Configuration {
    var its = LiveWorkout.Configuration(
      activityType: try required(integer(), "type"), location: try required(integer(), "location"),
      swimmingLocation: try required(integer(), "swimming location"))
    guard goesOn(with: "lap") else { return its }
    its.lapLength = LiveWorkout.Length(try required(real(), "lap"), try required(string(), "unit"))
    return its
  }

  private mutating func workoutEvent() throws(Fault) -> WorkoutCall {
    let type: Int64 = try required(integer(), "type")
    let start = try required(time(), "start")
    let end = try required(time(), "end")
    guard start <= end else { throw .malformed(field: "end") }
    return .event(
      type: type, start: BootInstant(microseconds: start), end: BootInstant(microseconds: end),
      metadata: try metadata(orElse: "event"))
  }

  private mutating func metadata(orElse field: String) throws(Fault) -> [String: CaptureMetadataValue] {
    guard !isAtEnd else { return [:] }
    guard goesOn(with: "with"), !isAtEnd else { throw .malformed(field: field) }
    var metadata: [String: CaptureMetadataValue] = [:]
    repeat {
      let key = try required(string(), "key")
      metadata[key] = try metadataValue()
    } while !isAtEnd
    return metadata
  }

  private mutating func sampleIdentifiers() throws(Fault) -> [UUID] {
    var identifiers: [UUID] = []
    repeat { identifiers.append(try required(uuid(), "sample")) } while !isAtEnd
    return identifiers
  }

  /// Whether the next word is this one, which is then read.
  private mutating func goesOn(with expected: String) -> Bool {
    var copy = self
    guard copy.word() == expected else { return false }
    self = copy
    return true
  }
}
