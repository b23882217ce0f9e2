import FoundationEssentials
public import HealthModel

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
  /// The route of a workout that the same program has saved, or saves before it by the same call of
  /// ``HealthStore/save(_:as:)-(NewSample,_)``; of a workout that is over, also later.
  ///
  /// Saving it throws ``StoreError/Code/notFound`` where this program has saved no such workout, and
  /// ``StoreError/Code/invalid`` where a location does not lie in its time. When the workout is deleted, the route stays, like
  /// everything that was collected with it; a later version of the workout keeps its routes.
  ///
  /// - Throws: ``HealthModel/WorkoutRouteError`` where ``HealthModel/WorkoutRoute/validate()`` does.
  public init(_ route: WorkoutRoute, device: Device? = nil, sync: SyncIdentity? = nil) throws(WorkoutRouteError) {
    try route.validate()
    guard let span = route.span else { throw .noLocations }
    self.init(
      WorkoutRouteContent(locations: route.locations, workout: route.workout), of: .workoutRoute, over: span,
      id: route.id, device: device, metadata: route.metadata, sync: sync)
  }
}
