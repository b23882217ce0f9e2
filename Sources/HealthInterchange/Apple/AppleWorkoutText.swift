internal import FoundationEssentials
internal import HealthModel

/// A workout as an element of Apple's export.
struct AppleWorkoutText {
  private let workout: Workout
  private let origin: String

  init(_ workout: Workout, _ origin: String) {
    (self.workout, self.origin) = (workout, origin)
  }

  func append(to buffer: inout PieceBuffer) {
    let configuration = workout.configuration
    buffer.append(
      " <Workout workoutActivityType=\"\(name(of: configuration))\"\(duration(of: workout.duration))\(origin)")
    buffer.append(" creationDate=\"\(AppleNames.text(workout.end))\"\(dates(of: workout.span))>\n")
    append(metadata(of: configuration).merging(workout.metadata) { $1 }, "  ", to: &buffer)
    append(workout.events, "  ", to: &buffer)
    for activity in workout.activities {
      let configuration = activity.configuration
      buffer.append(
        "  <WorkoutActivity uuid=\"\(activity.id.uuidString)\" workoutActivityType=\"\(name(of: configuration))\"")
      buffer.append("\(dates(of: activity.span))\(duration(of: workout.duration(of: activity)))>\n")
      append(metadata(of: configuration).merging(activity.metadata) { $1 }, "   ", to: &buffer)
      append(activity.events, "   ", to: &buffer)
      append(activity.allStatistics, over: activity.span, "   ", to: &buffer)
      buffer.append("  </WorkoutActivity>\n")
    }
    append(workout.allStatistics, over: workout.span, "  ", to: &buffer)
    buffer.append(" </Workout>\n")
  }

  private func name(of configuration: WorkoutConfiguration) -> String {
    AppleNames.text("HKWorkoutActivityType", configuration.activityType.description)
  }

  private func dates(of span: TimeSpan) -> String {
    " startDate=\"\(AppleNames.text(span.start))\" endDate=\"\(AppleNames.text(span.end))\""
  }

  private func duration(of duration: Duration) -> String {
    " duration=\"\(duration / .seconds(60))\" durationUnit=\"min\""
  }

  /// What Apple says of it in metadata.
  private func metadata(of configuration: WorkoutConfiguration) -> Metadata {
    var metadata: Metadata = [:]
    if configuration.location != .unknown {
      metadata["HKIndoorWorkout"] = .integer(configuration.location == .indoor ? 1 : 0)
    }
    if configuration.swimmingLocation != .unknown {
      metadata["HKSwimmingLocationType"] = .integer(configuration.swimmingLocation.rawValue)
    }
    if let length = configuration.lapLength { metadata["HKLapLength"] = .quantity(length) }
    return metadata
  }

  private func append(_ metadata: Metadata, _ indent: String, to buffer: inout PieceBuffer) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let (key, value) = (XMLText.escaped(key), XMLText.escaped(AppleNames.text(value)))
      buffer.append("\(indent)<MetadataEntry key=\"\(key)\" value=\"\(value)\"/>\n")
    }
  }

  private func append(_ events: [WorkoutEvent], _ indent: String, to buffer: inout PieceBuffer) {
    for event in events {
      buffer.append("\(indent)<WorkoutEvent type=\"\(AppleNames.text("HKWorkoutEventType", event.type.description))\"")
      buffer.append(" date=\"\(AppleNames.text(event.span.start))\"")
      if event.span.microseconds > 0 { buffer.append(duration(of: .microseconds(event.span.microseconds))) }
      guard !event.metadata.isEmpty else {
        buffer.append("/>\n")
        continue
      }
      buffer.append(">\n")
      append(event.metadata, indent + " ", to: &buffer)
      buffer.append("\(indent)</WorkoutEvent>\n")
    }
  }

  private func append(
    _ figures: [WorkoutStatistics], over span: TimeSpan, _ indent: String, to buffer: inout PieceBuffer
  ) {
    for one in figures where QuantityType(identifier: one.type.identifier) != nil {
      buffer.append(
        "\(indent)<WorkoutStatistics type=\"\(AppleNames.text("HKQuantityTypeIdentifier", one.type.identifier))\"")
      buffer.append(dates(of: span))
      // Of % Apple means a share of one.
      let scale = one.type.unit == .percent ? 0.01 : 1
      for (name, value) in [
        ("average", one.average), ("minimum", one.minimum), ("maximum", one.maximum), ("sum", one.sum),
      ] {
        if let value { buffer.append(" \(name)=\"\(value * scale)\"") }
      }
      buffer.append(" unit=\"\(one.type.unit.symbol)\"/>\n")
    }
  }
}
