package import DBus
package import HealthModel

/// The answer of `Workout1.Statistics`: what a live workout is, and its figures of one type so far.
///
/// The types of workout and activity are here and in no property: a property is shown to everybody who looks at the bus.
package struct WorkoutFigures: Hashable, Sendable {
  /// The type of the workout; nil if the answer does not name it.
  package var activityType: WorkoutActivityType?
  /// The type of the activity under way; nil between activities.
  package var currentActivityType: WorkoutActivityType?
  /// Since the workout began; nil where nothing of the type was collected.
  package var workout: Part?
  /// Since the activity under way began; nil also between activities.
  package var activity: Part?

  /// The figures of the workout or of an activity.
  package struct Part: Hashable, Sendable {
    package var statistics: WorkoutStatistics
    /// The duration without pauses; nil if the answer does not name it.
    package var duration: Duration?

    package init(_ statistics: WorkoutStatistics, duration: Duration?) {
      self.statistics = statistics
      self.duration = duration
    }
  }

  package init(
    activityType: WorkoutActivityType?, currentActivityType: WorkoutActivityType? = nil, workout: Part? = nil,
    activity: Part? = nil
  ) {
    self.activityType = activityType
    self.currentActivityType = currentActivityType
    self.workout = workout
    self.activity = activity
  }

  /// As an `a{sv}`.
  package var value: Value {
    var values: [String: Value] = [:]
    values["activityType"] = activityType.map { .string($0.description) }
    values["currentActivityType"] = currentActivityType.map { .string($0.description) }
    values["workout"] = workout?.value
    values["activity"] = activity?.value
    return .properties(values)
  }

  /// Reads an answer about `type`; nil if it makes no sense. Keys of a later recorder are passed over.
  package init?(_ value: Value, of type: QuantityType) {
    guard let values = value.properties else { return nil }
    activityType = values["activityType"]?.string.flatMap { WorkoutActivityType($0) }
    currentActivityType = values["currentActivityType"]?.string.flatMap { WorkoutActivityType($0) }
    do throws(ArgumentError) {
      workout = try values["workout"].map { (value) throws(ArgumentError) in try Part(value, of: type) }
      activity = try values["activity"].map { (value) throws(ArgumentError) in try Part(value, of: type) }
    } catch {
      return nil
    }
  }
}

extension WorkoutFigures.Part {
  private static let figures: [(key: String, path: any WritableKeyPath<WorkoutStatistics, Double?> & Sendable)] = [
    ("sum", \.sum), ("average", \.average), ("minimum", \.minimum), ("maximum", \.maximum),
    ("mostRecent", \.mostRecent),
  ]

  fileprivate var value: Value {
    var values: [String: Value] = [
      "unit": .string(statistics.type.unit.symbol), "count": .int64(Int64(statistics.count)),
    ]
    for figure in Self.figures { values[figure.key] = statistics[keyPath: figure.path].map { .double($0) } }
    if let span = statistics.mostRecentSpan {
      values["mostRecent_us"] = .structure([.int64(span.start.microseconds), .int64(span.end.microseconds)])
    }
    values["duration_us"] = duration.map { .int64($0.wholeMicroseconds) }
    return .properties(values)
  }

  fileprivate init(_ value: Value, of type: QuantityType) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "statistics")
    // A recorder of another version may have another unit for the type.
    let unit = try arguments.take("unit") { $0.string.flatMap { Unit($0) } }.required("unit")
    statistics = WorkoutStatistics(type, count: Int(try arguments.integer("count") ?? 1))
    for figure in Self.figures {
      statistics[keyPath: figure.path] = try arguments.take(figure.key) { value in
        value.double.flatMap { try? Quantity($0, unit).value(in: type.unit) }
      }
    }
    statistics.mostRecentSpan = try arguments.take("mostRecent_us") { value in
      guard let fields = value.structure, fields.count == 2, let start = fields[0].int64, let end = fields[1].int64
      else { return nil }
      return TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))
    }
    duration = try arguments.integer("duration_us").map { .microseconds($0) }
  }
}
