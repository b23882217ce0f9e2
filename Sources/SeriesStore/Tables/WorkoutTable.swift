import FoundationEssentials
import HealthModel

/// Workouts with their activities, events and figures.
///
/// In the table of parts a workout is the row with the ordinal 0; its activities are the rows from 1 on, in order of
/// time. So each condition on an activity can also be a condition on the whole workout.
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

  /// The tables of workouts. The index of figures has all columns that a condition on a figure needs.
  static let contents = [
    ContentTable(table: parts, key: "workout"),
    ContentTable(table: events, key: "workout"),
    ContentTable(
      table: statistics, key: "workout",
      indexes: [
        "CREATE INDEX workout_figure ON workout_statistics (type, average, minimum, maximum, sum)"
      ]),
  ]

  /// Whether the file has tables of workouts: an earlier file that no newer program has opened to write has none of
  /// them.
  func exist() throws(StoreError) -> Bool {
    // Nobody removes these tables, so once found they are not looked for again.
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

  /// The metadata of a part as JSON; nil for empty metadata. A number that is not finite is left out, as everywhere.
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

  /// The metadata in a text of JSON; nil for a text that no writer writes.
  static func unpack(_ text: String?) -> Metadata? {
    guard let text else { return [:] }
    return try? JSONDecoder().decode(Metadata.self, from: Data(text.utf8))
  }
}

extension WorkoutTable {
  /// A workout as read from its rows.
  struct Stored {
    /// The workout without its own metadata, which are stored with its sample.
    var workout: Workout
    /// Whether no activity and no event is missing.
    var isWhole: Bool
    /// The durations of the workout and of each activity, in microseconds.
    var durations: [Int64]
  }

  private struct Part {
    var id: UUID
    var configuration: WorkoutConfiguration
    var span: TimeSpan
    var duration: Int64
    var eventCount: Int64
    var metadata: Metadata
    var events: [WorkoutEvent] = []
    var statistics: [WorkoutStatistics] = []
  }

  /// The workout with that number, under `id`; nil if it has no parts. With a scope, figures of types that the reader may not read
  /// are left out.
  func workout(_ number: Int64, id: UUID, in scope: ReadScope? = nil) throws(StoreError) -> Stored? {
    guard try exist() else { return nil }
    var parts = try parts(of: number)
    guard !parts.isEmpty else { return nil }
    var isWhole = try addEvents(of: number, to: &parts)
    try addStatistics(of: number, to: &parts, in: scope)
    isWhole = isWhole && parts.allSatisfy { $0.eventCount == Int64($0.events.count) }
    let whole = parts[0]
    let workout = Workout(
      id: id, whole.configuration, over: whole.span, events: whole.events,
      activities: parts.dropFirst().map {
        WorkoutActivity(
          id: $0.id, $0.configuration, over: $0.span, events: $0.events, metadata: $0.metadata,
          allStatistics: $0.statistics)
      }, allStatistics: whole.statistics)
    return Stored(workout: workout, isWhole: isWhole, durations: parts.map(\.duration))
  }

  /// The parts in the order of their ordinals 0, 1, 2 ….
  private func parts(of number: Int64) throws(StoreError) -> [Part] {
    var statement = try connection.prepare(
      """
      SELECT ordinal, uuid, activity_type, location, swimming_location, lap_length, lap_unit, start, end, duration, events,
        metadata
      FROM workout_parts WHERE workout = ?1 ORDER BY ordinal
      """)
    try statement.bind(number, at: 1)
    var parts: [Part] = []
    while try statement.step() {
      let isActivity = statement.integer(0) > 0
      guard statement.integer(0) == Int64(parts.count), let id = isActivity ? UUID(bytes: statement.bytes(1)) : UUID(),
        let span = Self.span(in: statement, from: 7), let metadata = Self.unpack(statement.text(11))
      else { throw connection.samples.corrupt(number) }
      var configuration = WorkoutConfiguration(
        WorkoutActivityType(rawValue: statement.integer(2)),
        location: WorkoutSessionLocation(rawValue: statement.integer(3)),
        swimmingLocation: WorkoutSwimmingLocation(rawValue: statement.integer(4)))
      if let length = statement.optionalReal(5), let symbol = statement.text(6) {
        configuration.lapLength = Quantity(length, Unit(symbol) ?? Unit(opaque: symbol))
      }
      parts.append(
        Part(
          id: id, configuration: configuration, span: span, duration: statement.integer(9),
          eventCount: statement.integer(10), metadata: metadata))
    }
    return parts
  }

  private static func span(in row: borrowing Statement, from column: Int32) -> TimeSpan? {
    TimeSpan(
      start: Timestamp(microseconds: row.integer(column)), end: Timestamp(microseconds: row.integer(column + 1)))
  }

  /// Adds the events to their parts. Returns whether each event belongs to a part.
  private func addEvents(of number: Int64, to parts: inout [Part]) throws(StoreError) -> Bool {
    var statement = try connection.prepare(
      "SELECT part, type, start, end, metadata FROM workout_events WHERE workout = ?1 ORDER BY part, ordinal")
    try statement.bind(number, at: 1)
    var isWhole = true
    while try statement.step() {
      guard let span = Self.span(in: statement, from: 2), let metadata = Self.unpack(statement.text(4)) else {
        throw connection.samples.corrupt(number)
      }
      guard let part = Int(exactly: statement.integer(0)), parts.indices.contains(part) else {
        isWhole = false
        continue
      }
      parts[part].events.append(
        WorkoutEvent(WorkoutEventType(rawValue: statement.integer(1)), over: span, metadata: metadata))
    }
    return isWhole
  }

  private func addStatistics(of number: Int64, to parts: inout [Part], in scope: ReadScope?) throws(StoreError) {
    var statement = try connection.prepare(
      """
      SELECT part, type, count, sum, average, minimum, maximum, most_recent, most_recent_start, most_recent_end
      FROM workout_statistics WHERE workout = ?1 ORDER BY part
      """)
    try statement.bind(number, at: 1)
    var types: [Int64: SampleType] = [:]
    while try statement.step() {
      let row = statement.integer(1)
      if types[row] == nil { types[row] = try connection.types.type(row: row) }
      guard let part = Int(exactly: statement.integer(0)), parts.indices.contains(part),
        let type = types[row]?.quantityType
      else { throw connection.samples.corrupt(number) }
      guard scope?.types.contains(type.identifier) ?? true else { continue }
      parts[part].statistics.append(
        WorkoutStatistics(
          type, count: Int(clamping: statement.integer(2)), sum: statement.optionalReal(3),
          average: statement.optionalReal(4), minimum: statement.optionalReal(5), maximum: statement.optionalReal(6),
          mostRecent: statement.optionalReal(7),
          mostRecentSpan: statement.isNull(8) ? nil : Self.span(in: statement, from: 8)))
    }
    for index in parts.indices {
      parts[index].statistics.sort {
        ($0.type.identifier, $0.type.styleVersion) < ($1.type.identifier, $1.type.styleVersion)
      }
    }
  }
}
