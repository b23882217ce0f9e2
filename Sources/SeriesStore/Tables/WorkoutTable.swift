import FoundationEssentials
import HealthModel

/// Workouts with their activities, events and figures.
///
/// A workout is a row of parts with the ordinal 0, its activities are rows from 1 on, in order of time. So what is asked of an
/// activity can be asked of the whole in the same way.
struct WorkoutTable {
  let connection: Connection

  static let parts = Table(
    "workout_parts",
    [
      "workout INTEGER NOT NULL", "ordinal INTEGER NOT NULL", "uuid BLOB", "activity_type INTEGER NOT NULL",
      "location INTEGER NOT NULL", "swimming_location INTEGER NOT NULL", "lap_length REAL", "lap_unit TEXT",
      "start INTEGER NOT NULL", "end INTEGER NOT NULL", "duration INTEGER NOT NULL", "events INTEGER NOT NULL",
      "metadata TEXT",
    ], key: "workout, ordinal")
  static let events = Table(
    "workout_events",
    [
      "workout INTEGER NOT NULL", "part INTEGER NOT NULL", "ordinal INTEGER NOT NULL", "type INTEGER NOT NULL",
      "start INTEGER NOT NULL", "end INTEGER NOT NULL", "metadata TEXT",
    ], key: "workout, part, ordinal")
  /// The figures of a part; `type` is a row of types.
  static let statistics = Table(
    "workout_statistics",
    [
      "workout INTEGER NOT NULL", "part INTEGER NOT NULL", "type INTEGER NOT NULL", "count INTEGER NOT NULL",
      "sum REAL",
      "average REAL", "minimum REAL", "maximum REAL", "most_recent REAL", "most_recent_start INTEGER",
      "most_recent_end INTEGER",
    ], key: "workout, part, type")

  /// The index holds all that a condition on a figure needs.
  static let contents = [
    ContentTable(table: parts, key: "workout"),
    ContentTable(table: events, key: "workout"),
    ContentTable(
      table: statistics, key: "workout",
      indexes: [
        "CREATE INDEX workout_figure ON workout_statistics (type, average, minimum, maximum, sum)"
      ]),
  ]

  /// Whether the file has workouts at all: one that no newer program has opened to write has no tables of them.
  func exist() throws(StoreError) -> Bool {
    // Nobody removes them, so they are looked for until they are found.
    if !connection.hasWorkouts { connection.hasWorkouts = try connection.has(Self.statistics) }
    return connection.hasWorkouts
  }

  func insert(_ workout: Workout, of sample: Int64) throws(StoreError) {
    let durations = workout.durations
    try insert(
      workout.configuration, over: workout.span, duration: durations[0], events: workout.events,
      as: (sample, 0), uuid: nil, metadata: nil)
    for (place, activity) in workout.activities.enumerated() {
      try insert(
        activity.configuration, over: activity.span, duration: durations[place + 1],
        events: activity.events, as: (sample, Int64(place) + 1), uuid: activity.id,
        metadata: try Self.pack(activity.metadata))
    }
  }

  private func insert(
    _ configuration: WorkoutConfiguration, over span: TimeSpan, duration: Int64, events: [WorkoutEvent],
    as part: (workout: Int64, ordinal: Int64), uuid: UUID?, metadata: String?
  ) throws(StoreError) {
    let lap = configuration.lapLength
    try connection.insert(
      [
        .integer(part.workout), .integer(part.ordinal), uuid.map { SQLValue($0) } ?? .null,
        .integer(configuration.activityType.rawValue), .integer(configuration.location.rawValue),
        .integer(configuration.swimmingLocation.rawValue), SQLValue(lap?.value), SQLValue(lap?.unit.symbol),
        SQLValue(span.start), SQLValue(span.end), .integer(duration), .integer(Int64(events.count)),
        SQLValue(metadata),
      ], into: Self.parts)
    for (ordinal, event) in events.enumerated() {
      try connection.insert(
        [
          .integer(part.workout), .integer(part.ordinal), .integer(Int64(ordinal)), .integer(event.type.rawValue),
          SQLValue(event.span.start), SQLValue(event.span.end), SQLValue(try Self.pack(event.metadata)),
        ], into: Self.events)
    }
  }

  /// Metadata of a part as JSON; nil if there are none. A number that is not finite is left out, as everywhere.
  private static func pack(_ metadata: Metadata) throws(StoreError) -> String? {
    let kept = metadata.filter { _, value in
      switch value {
      case .real(let real): real.isFinite
      case .quantity(let quantity): quantity.value.isFinite
      default: true
      }
    }
    guard !kept.isEmpty else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do { return String(decoding: try encoder.encode(kept), as: UTF8.self) } catch {
      throw StoreError(.invalid, "metadata of a workout cannot be stored")
    }
  }

  /// Nil for what no writer writes.
  static func unpack(_ text: String?) -> Metadata? {
    guard let text else { return [:] }
    return try? JSONDecoder().decode(Metadata.self, from: Data(text.utf8))
  }
}
