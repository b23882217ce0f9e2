import DBus
import HealthModel

// What a workout or an activity is stands among the options of the call that begins it: `activityType` and the locations by HealthKit's
// names or numbers, and the length of a lap as `(ds)` with its unit.

extension WorkoutConfiguration {
  /// Among the options of a call; what is unknown is left out.
  var values: [String: Value] {
    var values: [String: Value] = ["activityType": .string(activityType.description)]
    if location != .unknown { values["location"] = .string(location.description) }
    if swimmingLocation != .unknown { values["swimmingLocation"] = .string(swimmingLocation.description) }
    values["lapLength"] = lapLength.map { .structure([.double($0.value), .string($0.unit.symbol)]) }
    return values
  }

  /// What the options of a call say; nil where they name none of it.
  ///
  /// - Parameters:
  ///   - arguments: The options, from which they are taken.
  ///   - type: The type where none is named; nil where one has to be.
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
