package import DBus
package import HealthModel

/// The options of `Workouts1.Begin`.
package struct WorkoutOptions: Hashable, Sendable {
  /// The type of the workout, with its locations and the length of a lap.
  package var configuration: WorkoutConfiguration
  /// The sensor whose values are recorded.
  package var sensor: Sensor
  /// Metadata to store.
  package var metadata: Metadata
  /// Whether it ends with its program's connection.
  package var endsWithClient: Bool

  /// The sensor of a workout. On the bus: the address; no option for the one that measures; an empty text for a workout
  /// without a sensor.
  package enum Sensor: Hashable, Sendable {
    /// The one that measures.
    case any
    /// This address, whose form is not checked here.
    case one(String)
    /// Nobody's: what the program adds is all there is.
    case none
  }

  package init(
    _ configuration: WorkoutConfiguration, sensor: Sensor = .any, metadata: Metadata = [:], endsWithClient: Bool = true
  ) {
    self.configuration = configuration
    self.sensor = sensor
    self.metadata = metadata
    self.endsWithClient = endsWithClient
  }

  /// As an `a{sv}`.
  package var value: Value {
    var values = configuration.values
    switch sensor {
    case .any: break
    case .one(let address): values["sensor"] = .string(address)
    case .none: values["sensor"] = .string("")
    }
    if !metadata.isEmpty { values["metadata"] = metadata.value }
    values["endWithClient"] = .boolean(endsWithClient)
    return .properties(values)
  }

  /// - Throws: ``ArgumentError``.
  package init(_ value: Value) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "options")
    configuration = try WorkoutConfiguration(&arguments, or: nil).required("activityType")
    sensor = try arguments.text("sensor").map { $0.isEmpty ? .none : .one($0) } ?? .any
    metadata = try arguments.metadata()
    endsWithClient = try arguments.flag("endWithClient") ?? true
    try arguments.finish()
  }
}

/// The options of `Workout1.BeginActivity`.
package struct ActivityOptions: Hashable, Sendable {
  /// The type of the activity, with its locations; nil for that of the workout.
  package var configuration: WorkoutConfiguration?
  /// When it begins; nil for now.
  package var time: Timestamp?
  /// Metadata to store.
  package var metadata: Metadata

  package init(_ configuration: WorkoutConfiguration? = nil, at time: Timestamp? = nil, metadata: Metadata = [:]) {
    self.configuration = configuration
    self.time = time
    self.metadata = metadata
  }

  /// As an `a{sv}`.
  package var value: Value {
    var values = configuration?.values ?? [:]
    values["time_us"] = time.map { .int64($0.microseconds) }
    if !metadata.isEmpty { values["metadata"] = metadata.value }
    return .properties(values)
  }

  /// - Parameters:
  ///   - value: The `a{sv}`.
  ///   - type: The workout's: an activity for which only a location or the length of a lap is named has it, too.
  /// - Throws: ``ArgumentError``.
  package init(_ value: Value, in type: WorkoutActivityType) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "options")
    configuration = try WorkoutConfiguration(&arguments, or: type)
    time = try arguments.moment("time_us")
    metadata = try arguments.metadata()
    try arguments.finish()
  }
}

/// The argument of `Workout1.AddEvent`.
package struct EventOptions: Hashable, Sendable {
  /// The type of the event.
  package var type: WorkoutEventType
  /// When; nil for now, and for a lap or a segment since the last one.
  package var span: TimeSpan?
  /// Metadata to store.
  package var metadata: Metadata

  package init(_ type: WorkoutEventType, over span: TimeSpan? = nil, metadata: Metadata = [:]) {
    self.type = type
    self.span = span
    self.metadata = metadata
  }

  /// As an `a{sv}`.
  package var value: Value {
    var values: [String: Value] = ["type": .string(type.description)]
    if let span {
      values["start_us"] = .int64(span.start.microseconds)
      values["end_us"] = .int64(span.end.microseconds)
    }
    if !metadata.isEmpty { values["metadata"] = metadata.value }
    return .properties(values)
  }

  /// - Throws: ``ArgumentError``.
  package init(_ value: Value) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "event")
    type = try arguments.take("type") { $0.string.flatMap { WorkoutEventType($0) } }.required("type")
    let start = try arguments.moment("start_us")
    let end = try arguments.moment("end_us")
    if start != nil || end != nil {
      guard let time = TimeSpan(start: try start.required("start_us"), end: try end.required("end_us")) else {
        throw .invalid("end_us")
      }
      span = time
    }
    metadata = try arguments.metadata()
    try arguments.finish()
  }
}

/// The options of `Workout1.End`.
package struct WorkoutEndOptions: Hashable, Sendable {
  /// Whether the sensor is recorded until the heart rate of a minute later is known.
  package var waitsForRecovery: Bool

  /// The longest wait for the recovery, in microseconds.
  package static let longestRecovery: Int64 = 65_000_000

  package init(waitsForRecovery: Bool = true) {
    self.waitsForRecovery = waitsForRecovery
  }

  /// As an `a{sv}`.
  package var value: Value { .properties(["recovery": .boolean(waitsForRecovery)]) }

  /// - Throws: ``ArgumentError``.
  package init(_ value: Value) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "options")
    waitsForRecovery = try arguments.flag("recovery") ?? true
    try arguments.finish()
  }
}

extension Arguments {
  fileprivate mutating func metadata() throws(ArgumentError) -> Metadata {
    try take("metadata").map { (value) throws(ArgumentError) in try Metadata(value) } ?? [:]
  }
}

// The configuration of a workout or an activity stands among the options of the call that begins it: `activityType` and
// the locations by HealthKit's names or numbers, and the length of a lap as `(ds)` with its unit.

extension WorkoutConfiguration {
  /// Among the options of a call; what is unknown is left out.
  var values: [String: Value] {
    var values: [String: Value] = ["activityType": .string(activityType.description)]
    if location != .unknown { values["location"] = .string(location.description) }
    if swimmingLocation != .unknown { values["swimmingLocation"] = .string(swimmingLocation.description) }
    values["lapLength"] = lapLength.map { .structure([.double($0.value), .string($0.unit.symbol)]) }
    return values
  }

  /// The configuration in the options of a call; nil if they name no part of it.
  ///
  /// - Parameters:
  ///   - arguments: The options, from which they are removed.
  ///   - type: The type if the options do not name one; nil if they have to.
  /// - Throws: ``ArgumentError``.
  init?(_ arguments: inout Arguments, or type: WorkoutActivityType?) throws(ArgumentError) {
    let named = try arguments.take("activityType") { $0.string.flatMap { WorkoutActivityType($0) } }
    let location = try arguments.take("location") { $0.string.flatMap { WorkoutSessionLocation($0) } }
    let swimming = try arguments.take("swimmingLocation") { $0.string.flatMap { WorkoutSwimmingLocation($0) } }
    let lap = try arguments.take("lapLength") { value -> Quantity? in
      guard let fields = value.structure, fields.count == 2, let length = fields[0].double, length.isFinite,
        let unit = fields[1].string.flatMap({ Unit($0) })
      else { return nil }
      return Quantity(length, unit)
    }
    guard named != nil || location != nil || swimming != nil || lap != nil else { return nil }
    self.init(
      try (named ?? type).required("activityType"), location: location ?? .unknown,
      swimmingLocation: swimming ?? .unknown, lapLength: lap)
  }
}
