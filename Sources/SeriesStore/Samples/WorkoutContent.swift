public import FoundationEssentials
public import HealthModel

/// The content of a workout: its activities and events, and the samples that were collected with it. The figures of
/// these samples are computed when they are associated with the workout.
struct WorkoutContent: SampleContent {
  static let kind = SampleKind.workout
  static let tables = WorkoutTable.contents

  let workout: Workout
  let collected: [UUID]

  func figures() -> SampleFigures {
    SampleFigures(
      value: workout.configuration.activityType.rawValue, count: workout.activities.count,
      duration: workout.duration.wholeMicroseconds)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    try connection.workouts.insert(workout, of: sample)
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    guard let found = try connection.workouts.workout(sample.id, id: UUID()) else { return "its parts are missing" }
    let workout = found.workout
    guard found.isWhole, workout.activities.count == sample.figures.count else {
      return "its activities or events are not those that were saved"
    }
    guard workout.configuration.activityType.rawValue == sample.figures.value,
      workout.start.microseconds == sample.start, workout.end.microseconds == sample.end,
      workout.durations == found.durations, found.durations.first == sample.figures.duration
    else { return "its row is not that of its parts" }
    do throws(WorkoutError) {
      try workout.validate()
    } catch {
      // No fault: a newer program may know the event.
      if case .unknownEvent = error { return nil }
      return "it breaks a rule: \(error)"
    }
    guard let collected = try connection.workouts.collectedQuantities(by: sample.id, over: workout.span) else {
      // The check of the damaged sample itself reports the fault.
      return nil
    }
    return workout.with(collected).hasFigures(of: workout) ? nil : "its figures are not those of what was collected"
  }
}

extension NewSample {
  /// A workout as a sample, with the samples that were collected with it: samples that are in the store, or that the
  /// same call of ``HealthStore/save(_:as:)-(NewSample,_)`` saves before the workout.
  ///
  /// The store computes the figures of the workout and of its activities from these samples, whatever figures the
  /// workout has, and again when one of the samples is deleted or replaced. A sample may be collected with several
  /// workouts; the sample stays when they are deleted.
  ///
  /// - Throws: ``HealthModel/WorkoutError`` for a workout that ``HealthModel/Workout/validate()`` refuses.
  public init(
    _ workout: Workout, collected samples: [UUID] = [], device: Device? = nil, sync: SyncIdentity? = nil
  ) throws(WorkoutError) {
    try workout.validate()
    self.init(
      WorkoutContent(workout: workout, collected: samples), of: .workout, over: workout.span, id: workout.id,
      device: device, metadata: workout.metadata, sync: sync)
  }
}

extension Workout {
  /// Whether another workout has the same figures, up to the last digits.
  fileprivate func hasFigures(of other: Workout) -> Bool {
    let pairs =
      [(allStatistics, other.allStatistics)]
      + zip(activities, other.activities).map { ($0.allStatistics, $1.allStatistics) }
    return pairs.allSatisfy { one, two in
      one.count == two.count && zip(one, two).allSatisfy { $0.isClose(to: $1) }
    }
  }
}

extension WorkoutStatistics {
  fileprivate func isClose(to other: WorkoutStatistics) -> Bool {
    guard type.identifier == other.type.identifier, count == other.count, mostRecentSpan == other.mostRecentSpan else {
      return false
    }
    return [
      (sum, other.sum), (average, other.average), (minimum, other.minimum), (maximum, other.maximum),
      (mostRecent, other.mostRecent),
    ].allSatisfy { one, two in
      guard let one, let two else { return one == two }
      return abs(one - two) <= 1e-9 * max(abs(one), abs(two))
    }
  }
}

/// The locations of a workout's route: packed chunks, and the length of the way as the sum in the sample's row.
struct WorkoutRouteContent: SampleContent {
  static let kind = SampleKind.workoutRoute
  static let unpackedTables: [UnpackedTable] = [.locations]

  let locations: [RouteLocation]
  let workout: UUID?

  func figures() -> SampleFigures {
    SampleFigures(count: locations.count, sum: locations.length)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    var rest = locations[...]
    var ordinal = 0
    while !rest.isEmpty {
      let chunk = LocationChunk(rest.prefix(LocationChunk.capacity))
      _ = try connection.chunks.insert(chunk.encode(), of: sample, ordinal: ordinal)
      rest = rest.dropFirst(LocationChunk.capacity)
      ordinal += 1
    }
  }

  /// The locations of a sample which, by its row, has `count`, in order of time.
  static func locations(
    of sample: Int64, count: Int, object: String, in connection: Connection
  ) throws(StoreError) -> [RouteLocation] {
    var locations: [RouteLocation] = []
    // A damaged count must not lead to a huge allocation.
    locations.reserveCapacity(min(count, 1 << 16))
    try connection.chunks.forEach(of: sample, object: object) { (bytes) throws(ChunkError) in
      let next = try LocationChunk.decode(bytes)
      if let last = locations.last, let first = next.first, first.time < last.time { throw .invalid(field: "time") }
      locations += next
    }
    guard locations.count == count else { throw connection.corrupt(object) }
    return locations
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    let locations: [RouteLocation]
    do throws(StoreError) {
      locations = try Self.locations(of: sample.id, count: sample.figures.count, object: "sample", in: connection)
    } catch {
      guard error.isCorrupt else { throw error }
      return "its locations cannot be unpacked, or are not as many as were saved"
    }
    guard locations.first?.time.microseconds == sample.start, locations.last?.time.microseconds == sample.end else {
      return "it does not begin and end with its locations"
    }
    // The last digits of sines differ from one machine to another.
    let length = locations.length
    guard let claim = sample.figures.sum, abs(claim - length) <= 1e-9 * length + 1e-6 else {
      return "its length is not that of its way"
    }
    return nil
  }
}

extension NewSample {
  /// The route of a workout as a sample. The same program must have saved the workout, or save it before the route by
  /// the same call of ``HealthStore/save(_:as:)-(NewSample,_)``; a route may be saved at any time after its workout.
  ///
  /// Saving the route throws ``StoreError/Code/notFound`` where this program has saved no such workout, and
  /// ``StoreError/Code/invalid`` where a location does not lie in the workout's time. When the workout is deleted, the
  /// route stays, like every sample that was collected with the workout; a later version of the workout has the same
  /// routes.
  ///
  /// - Throws: ``HealthModel/WorkoutRouteError`` for a route that ``HealthModel/WorkoutRoute/validate()`` refuses.
  public init(_ route: WorkoutRoute, device: Device? = nil, sync: SyncIdentity? = nil) throws(WorkoutRouteError) {
    try route.validate()
    guard let span = route.span else { throw .noLocations }
    self.init(
      WorkoutRouteContent(locations: route.locations, workout: route.workout), of: .workoutRoute, over: span,
      id: route.id, device: device, metadata: route.metadata, sync: sync)
  }
}
