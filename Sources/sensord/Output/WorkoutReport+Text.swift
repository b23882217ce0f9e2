internal import Documents
internal import FoundationEssentials
internal import HealthModel

extension WorkoutReport {
  /// The report for a person.
  func text(columns: Int) -> String {
    var text = FactLines.text(facts)
    if !workout.activities.isEmpty { text += "\n" + activityTable.rendered(columns: columns) }
    if hasFigures { text += "\n" + figureTable.rendered(columns: columns) }
    if let zones { text += "\n" + zones.table.rendered(columns: columns) }
    if !events.isEmpty { text += "\n" + eventTable.rendered(columns: columns) }
    if !metadata.isEmpty { text += "\n" + MetadataRows.table(metadata).rendered(columns: columns) }
    return text
  }

  /// The facts of the workout, each with its label.
  var facts: [(label: String, value: String)] {
    let device = entry.device
    return [
      ("Workout", workout.id.uuidString.lowercased()), ("Type", Self.words(workout.configuration)),
      ("Program", entry.source.identifier),
      ("Sensor", [device?.name, device?.localIdentifier].compactMap { $0 }.joined(separator: ", ")),
      ("Heart", entry.heartSource.map { "of \($0)" } ?? ""),
      ("Start", LocalTime.second(workout.start.microseconds)), ("End", LocalTime.second(workout.end.microseconds)),
      ("Clock", entry.isDoubtful ? "not set, so the dates may be wrong: date its sessions, 'sensord sessions'" : ""),
      ("Length", lengthText), ("Recovery", recoveryText),
    ] + routes.map { ("Route", Self.words($0)) }
  }

  private static func words(_ route: Route) -> String {
    let length =
      route.length < 1000
      ? "\(FixedPoint.text(route.length, digits: 0)) m" : "\(FixedPoint.text(route.length / 1000, digits: 2)) km"
    return "\(length) through \(route.sample.count) \(route.sample.count == 1 ? "point" : "points")"
  }

  private static func words(_ configuration: WorkoutConfiguration) -> String {
    let places: [WorkoutSessionLocation: String] = [.indoor: "indoors", .outdoor: "outdoors"]
    let waters: [WorkoutSwimmingLocation: String] = [.pool: "pool", .openWater: "open water"]
    let lap = configuration.lapLength.map { "laps of \(FixedPoint.text($0.value, digits: 0)) \($0.unit.symbol)" }
    return [
      "\(configuration.activityType)", places[configuration.location], waters[configuration.swimmingLocation], lap,
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private var lengthText: String {
    let active = workout.duration.wholeMicroseconds
    let text = DurationText.text(microseconds: active)
    let paused = workout.span.microseconds - active
    return paused > 0 ? "\(text), and \(DurationText.text(microseconds: paused)) of pauses" : text
  }

  private var recoveryText: String {
    if let fall { return "\(FixedPoint.text(fall, digits: 1)) beats a minute, in one minute" }
    return refusal.map { "not given: \($0)" } ?? ""
  }

  /// The activities, with their numbers.
  var activityTable: TextTable {
    var table = TextTable([
      .init("Activity", .right), .init("Start"), .init("Length", .right), .init("Type", shrinks: true),
    ])
    for (place, activity) in workout.activities.enumerated() {
      table.add([
        "\(place + 1)", LocalTime.second(activity.start.microseconds),
        DurationText.clock(microseconds: workout.duration(of: activity).wholeMicroseconds),
        Self.words(activity.configuration),
      ])
    }
    return table
  }

  private var hasFigures: Bool {
    !workout.allStatistics.isEmpty || workout.activities.contains { !$0.allStatistics.isEmpty }
  }

  /// The workout's figures, then those of each activity by its number.
  var figureTable: TextTable {
    var table = TextTable([
      .init("Of"), .init("Figure", shrinks: true), .init("Unit"), .init("Sum", .right), .init("Avg", .right),
      .init("Min", .right), .init("Max", .right),
    ])
    func add(_ name: String, _ statistics: [WorkoutStatistics]) {
      for figures in statistics {
        table.add(
          [name, figures.type.identifier, figures.type.unit.symbol]
            + [figures.sum, figures.average, figures.minimum, figures.maximum].map {
              $0.map { FixedPoint.text($0, digits: 1) } ?? ""
            })
      }
    }
    add("all", workout.allStatistics)
    for (place, activity) in workout.activities.enumerated() { add("\(place + 1)", activity.allStatistics) }
    return table
  }

  /// The events: laps, segments, pauses and others; laps and segments with their heart rates.
  var eventTable: TextTable {
    var table = TextTable([
      .init("Event"), .init("Start"), .init("Length", .right), .init("Avg", .right), .init("Max", .right),
      .init("Activity", .right), .init("SWOLF", .right),
    ])
    for entry in events {
      let span = entry.event.span
      table.add(
        [
          "\(entry.event.type)", LocalTime.second(span.start.microseconds),
          span.microseconds == 0 ? "" : DurationText.clock(microseconds: span.microseconds),
        ]
          + [entry.rates?.average, entry.rates?.maximum].map { $0.map { FixedPoint.text($0, digits: 0) } ?? "" }
          + [entry.activity.map { "\($0)" } ?? "", Self.score(of: entry.event)])
    }
    return table
  }

  private static func score(of event: WorkoutEvent) -> String {
    guard case .quantity(let score) = event.metadata[WorkoutEvent.swolfScoreKey] else { return "" }
    return FixedPoint.text(score.value, digits: 0)
  }
}
