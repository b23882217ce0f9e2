import FoundationEssentials
import HealthModel
import Timeline

extension RecordBuffer {
  /// Appends a record of a live workout. A record without a sample, and numbers that are not finite, are not written.
  mutating func workout(_ record: WorkoutRecord, slot: Int) {
    switch record {
    case .begin(let workout):
      begin(slot)
      word("workout")
      uuid(workout.identifier)
      integer(workout.uid)
      string(workout.application)
      word(workout.endsWithClient ? "ends" : "stays")
      configuration(workout.configuration)
      if let request = workout.request {
        word("uses")
        uuid(request)
      }
      if let sensor = workout.sensor {
        word("sensor")
        word("\(sensor)")
      }
      finish()
    case .boot(let boot, let instant): event(SensorEvent(.boot(boot), at: instant), slot: slot)
    case .clock(let offset, let instant):
      event(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: instant), slot: slot)
    case .call(let call, let instant):
      begin(slot)
      integer(instant.microseconds)
      self.call(call)
      finish()
    case .samples(let samples):
      guard !samples.isEmpty else { return }
      begin(slot)
      word("samples")
      for sample in samples { uuid(sample) }
      finish()
    }
  }

  private mutating func call(_ call: WorkoutCall) {
    switch call {
    case .start: word("start")
    case .pause: word("pause")
    case .resume: word("resume")
    case .beginActivity(let identifier, let its, let metadata):
      word("activity")
      uuid(identifier)
      configuration(its)
      with(metadata)
    case .endActivity: word("end-activity")
    case .event(let type, let start, let end, let metadata):
      word("event")
      integer(type)
      integer(start.microseconds)
      integer(end.microseconds)
      with(metadata)
    case .stop: word("stop")
    case .end: word("end")
    }
  }

  private mutating func configuration(_ its: WorkoutConfiguration) {
    integer(its.activityType.rawValue)
    integer(its.location.rawValue)
    integer(its.swimmingLocation.rawValue)
    guard let length = its.lapLength, length.value.isFinite else { return }
    word("lap")
    word("\(length.value)")
    string(length.unit.symbol)
  }

  private mutating func with(_ metadata: Metadata) {
    let metadata = metadata.filter(\.value.isWritable)
    guard !metadata.isEmpty else { return }
    word("with")
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      string(key)
      metadataValue(value)
    }
  }
}

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

  private mutating func configuration() throws(Fault) -> WorkoutConfiguration {
    var its = WorkoutConfiguration(
      WorkoutActivityType(rawValue: try required(integer(), "type")),
      location: WorkoutSessionLocation(rawValue: try required(integer(), "location")),
      swimmingLocation: WorkoutSwimmingLocation(rawValue: try required(integer(), "swimming location")))
    guard goesOn(with: "lap") else { return its }
    its.lapLength = Quantity(try required(real(), "lap"), try unit())
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

  private mutating func metadata(orElse field: String) throws(Fault) -> Metadata {
    guard !isAtEnd else { return [:] }
    guard goesOn(with: "with"), !isAtEnd else { throw .malformed(field: field) }
    var metadata: Metadata = [:]
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
