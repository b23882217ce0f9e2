package import FoundationEssentials
package import HealthModel
import Support

extension HealthStore {
  /// The size of SQLite's page cache during an import, in KiB.
  ///
  /// Identifiers are random, so each batch of an import changes most pages of their indexes: with its usual 2 MB SQLite
  /// would read these pages again for each batch.
  private static let importCache = 8_000

  /// Saves the items of a foreign file, all or none. An item that was deleted before stays deleted; an item that the
  /// store has in this version or a later one stays as it is.
  package func save(imported items: [ImportedItem], restore: Bool = false) throws(StoreError) -> [ImportOutcome] {
    let file = try opened()
    try file.connection.execute("PRAGMA cache_size = -\(Self.importCache)")
    let outcomes = try file.write { (connection) throws(StoreError) in
      var outcomes: [ImportOutcome] = []
      outcomes.reserveCapacity(items.count)
      for item in items { outcomes.append(try connection.samples.save(item, restore: restore)) }
      return outcomes
    }
    notifyListeners()
    return outcomes
  }

  /// The outcomes that ``save(imported:)`` would have, without saving anything.
  package func outcomes(ofImporting items: [ImportedItem], restore: Bool = false) throws(StoreError) -> [ImportOutcome]
  {
    try opened().read { (connection) throws(StoreError) in
      var outcomes: [ImportOutcome] = []
      for item in items { outcomes.append(try connection.samples.outcome(of: item, restore: restore).outcome) }
      return outcomes
    }
  }
}

extension SampleTable {
  fileprivate func save(_ item: ImportedItem, restore: Bool) throws(StoreError) -> ImportOutcome {
    let (outcome, values) = try outcome(of: item, restore: restore)
    guard outcome.outcome == .stored || outcome.outcome == .replaced else { return outcome }
    let row = try connection.provenance.row(of: item.source)
    switch item.content {
    case .sample(let sample), .packed(let sample, _): _ = try save(sample, source: item.source, row: row)
    case .series(let series):
      let sample: NewSample
      do throws(SeriesError) {
        sample = try series.sample(of: values, item.identity)
      } catch {
        throw StoreError(.invalid, "a series of \(series.type.identifier) cannot be stored: \(error)")
      }
      _ = try save(sample, source: item.source, row: row)
    case .route(let route):
      // The route's workout came with the route, but could not be stored.
      guard let number = try workout(of: route, item.source), let workout = try uuid(of: number) else {
        return ImportOutcome(outcome: nil, added: 0)
      }
      let sample: NewSample
      do throws(WorkoutRouteError) {
        sample = try route.sample(of: workout, item.identity)
      } catch {
        throw StoreError(.invalid, "a route cannot be stored: \(error)")
      }
      _ = try save(sample, source: item.source, row: row)
    case .workout(let imported):
      let collected = try samples(of: imported, item.source)
      let sample: NewSample
      do throws(WorkoutError) {
        sample = try imported.sample(item.identity, collected: collected)
      } catch {
        throw StoreError(.invalid, "a workout cannot be stored: \(error)")
      }
      _ = try save(sample, source: item.source, row: row)
    }
    return outcome
  }

  /// The outcome of saving an item, and for a series the sample with all of its values.
  fileprivate func outcome(
    of item: ImportedItem, restore: Bool
  ) throws(StoreError) -> (outcome: ImportOutcome, values: [SampleDraft.QuantityValue]) {
    var values: [SampleDraft.QuantityValue] = []
    var version: Int64 = 1
    var count = 1
    switch item.content {
    case .sample(let sample): version = sample.sync?.version ?? 1
    case .series(let series):
      values = series.values
      (version, count) = (Int64(values.count), values.count)
    case .packed(_, let values): (version, count) = (Int64(values), values)
    case .route(let route): version = Int64(route.locations.count)
    case .workout(let workout): version = workout.version
    }
    let sync = SyncIdentity(identifier: item.identity.syncIdentifier, version: version)
    guard let earlier = try earlierVersion(of: sync, source: item.source) else {
      let outcome = restore ? .stored : try outcome(ofNew: item)
      return (ImportOutcome(outcome: outcome, added: outcome == .stored ? count : 0), values)
    }
    if case .series(let series) = item.content, series.isContinued {
      values = ImportedSeries.union(values, try storedValues(of: earlier.id))
      version = Int64(values.count)
    }
    guard version > earlier.version else {
      var differs = false
      if version == earlier.version, case .packed(let sample, _) = item.content {
        differs = try self.differs(sample, from: earlier.id)
      }
      return (ImportOutcome(outcome: .unchanged, added: 0, differs: differs), values)
    }
    let added = item.content.isSeries ? Int(clamping: version - earlier.version) : 0
    return (ImportOutcome(outcome: .replaced, added: added), values)
  }

  /// The samples that belong to a workout: its series, and the rates and beats of its sessions.
  private func samples(of workout: ImportedWorkout, _ source: SourceRevision) throws(StoreError) -> [UUID] {
    var samples: [UUID] = []
    for series in workout.series {
      let sync = SyncIdentity(identifier: series.syncIdentifier, version: 0)
      if let row = try earlierVersion(of: sync, source: source)?.id, let id = try uuid(of: row) { samples.append(id) }
    }
    for session in workout.sessions {
      let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
      let query = SampleQuery(.and([.session(session), .or(types.map { .type($0) })]))
      for number in try SampleReader(connection: connection).numbers(query) {
        if let id = try uuid(of: number) { samples.append(id) }
      }
    }
    return samples
  }

  private func workout(of route: ImportedRoute, _ source: SourceRevision) throws(StoreError) -> Int64? {
    try earlierVersion(of: SyncIdentity(identifier: route.workout.syncIdentifier, version: 0), source: source)?.id
  }

  /// The outcome for an item of which the store has no version; nil for a route without its workout.
  private func outcome(ofNew item: ImportedItem) throws(StoreError) -> CommitOutcome? {
    if try connection.changeList.wasDeleted(beginningWith: item.identity.bytes) { return .deletedBefore }
    guard case .route(let route) = item.content, try workout(of: route, item.source) == nil else { return .stored }
    if try connection.changeList.wasDeleted(beginningWith: route.workout.bytes) { return .deletedBefore }
    return route.comesWithWorkout ? .stored : nil
  }

  /// Whether a series differs from a stored one with as many values, by the figures of both: unpacking all values would
  /// take longer than the import.
  private func differs(_ sample: NewSample, from stored: Int64) throws(StoreError) -> Bool {
    guard let row = try row(stored), let oldSummary = row.figures.summary,
      let new = try (sample.content as? QuantityContent)?.figures(), let newSummary = new.summary
    else { return false }
    // Sums depend on their order in the last digits.
    func isSame(_ one: Double?, _ other: Double?) -> Bool {
      guard let one, let other else { return one == other }
      return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
    }
    let old = row.figures
    return row.start != sample.span.start.microseconds || row.end != sample.span.end.microseconds
      || oldSummary.minimum != newSummary.minimum || oldSummary.maximum != newSummary.maximum
      || oldSummary.last != newSummary.last || oldSummary.lastStart != newSummary.lastStart
      || !isSame(old.sum, new.sum) || !isSame(old.average, new.average)
  }

  private func storedValues(of sample: Int64) throws(StoreError) -> [SampleDraft.QuantityValue] {
    var statement = try connection.quantitySeries.statement(from: .min, to: .max)
    let track = try connection.quantitySeries.track(of: sample, from: &statement)
    return track.starts.indices.compactMap { place in
      let start = Timestamp(microseconds: track.starts[place])
      let end = track.ends.isEmpty ? start : Timestamp(microseconds: track.ends[place])
      return TimeSpan(start: start, end: end).map { SampleDraft.QuantityValue(track.values[place], over: $0) }
    }
  }
}

extension ImportedSeries {
  fileprivate static func union(
    _ one: [SampleDraft.QuantityValue], _ other: [SampleDraft.QuantityValue]
  ) -> [SampleDraft.QuantityValue] {
    SampleDraft.QuantityValue.inOrder(one + other)
  }

  func sample(of values: [SampleDraft.QuantityValue], _ identity: ImportIdentity) throws(SeriesError) -> NewSample {
    let version = Int64(values.count)
    var builder = QuantitySeriesBuilder(
      type: type, start: values.first?.span.start ?? Timestamp(microseconds: 0), device: device, order: .recorded)
    for value in values { try builder.insert(value.value, from: value.span.start, to: value.span.end) }
    return try builder.finish(
      id: identity.id(version: version), metadata: metadata,
      sync: SyncIdentity(identifier: identity.syncIdentifier, version: version))
  }
}

extension ImportedWorkout {
  fileprivate func sample(_ identity: ImportIdentity, collected: [UUID]) throws(WorkoutError) -> NewSample {
    let named = Workout(
      id: identity.id(version: version), workout.configuration, over: workout.span, events: workout.events,
      activities: workout.activities, metadata: workout.metadata)
    return try NewSample(
      named, collected: collected, device: device,
      sync: SyncIdentity(identifier: identity.syncIdentifier, version: version))
  }
}

extension ImportedRoute {
  fileprivate func sample(of workout: UUID, _ identity: ImportIdentity) throws(WorkoutRouteError) -> NewSample {
    let version = Int64(locations.count)
    return try NewSample(
      WorkoutRoute(id: identity.id(version: version), of: workout, locations), device: device,
      sync: SyncIdentity(identifier: identity.syncIdentifier, version: version))
  }
}

/// An object of a foreign file that is to be imported: a sample, a series or a route.
package struct ImportedItem: Sendable {
  /// The kinds of items.
  package enum Content: Sendable {
    /// A finished sample, under an identifier of the item's ``ImportIdentity`` and with the sync identifier of it.
    case sample(NewSample)
    /// Values of a quantity type in the type's unit, by time.
    case series(ImportedSeries)
    /// All values of a series, packed; see ``ImportedItem/pack()``.
    case packed(NewSample, values: Int)
    /// The route of a workout that came before it.
    case route(ImportedRoute)
    /// A workout whose samples came before it.
    case workout(ImportedWorkout)

    /// Whether the version of the item is the number of its values.
    package var isSeries: Bool {
      switch self {
      case .series, .packed: true
      case .sample, .route, .workout: false
      }
    }
  }

  package var identity: ImportIdentity
  package var source: SourceRevision
  package var content: Content

  package init(_ identity: ImportIdentity, from source: SourceRevision, _ content: Content) {
    self.identity = identity
    self.source = source
    self.content = content
  }

  /// Packs a series if its values are complete, so that the store's only thread need not, and many series fit into one
  /// transaction. A series that cannot be packed stays as it is; saving it reports the reason.
  package mutating func pack() {
    guard case .series(let series) = content, !series.isContinued,
      let sample = try? series.sample(of: series.values, identity)
    else { return }
    content = .packed(sample, values: series.values.count)
  }
}

/// Values that stood in a file one by one. The version of a series is the number of its values.
package struct ImportedSeries: Sendable {
  package var type: QuantityType
  package var device: Device?
  package var metadata: Metadata
  /// The values without duplicates, ordered by start, then by end, then by value.
  package var values: [SampleDraft.QuantityValue]
  /// Whether the stored values of the series are an earlier part of the same file, and stay beside these values.
  package var isContinued: Bool

  package init(
    _ type: QuantityType, device: Device?, metadata: Metadata, values: [SampleDraft.QuantityValue], isContinued: Bool
  ) {
    self.type = type
    self.device = device
    self.metadata = metadata
    self.values = values
    self.isContinued = isContinued
  }
}

/// A workout with the samples that were measured in it.
package struct ImportedWorkout: Sendable {
  /// The workout; it gets the identifier of its version.
  package var workout: Workout
  package var version: Int64
  package var device: Device?
  /// The series that came before it, in whatever version the store has them.
  package var series: [ImportIdentity]
  /// The sessions that have the heart of it, as far as the store has them.
  package var sessions: [UUID]

  package init(_ workout: Workout, version: Int64, device: Device?, series: [ImportIdentity], sessions: [UUID]) {
    (self.workout, self.version, self.device) = (workout, version, device)
    (self.series, self.sessions) = (series, sessions)
  }
}

/// The route of an imported workout. The version of a route is the number of its locations.
package struct ImportedRoute: Sendable {
  /// The identity of the workout, in whatever version the store has it.
  package var workout: ImportIdentity
  /// Whether the file that has the route brings the workout as well.
  package var comesWithWorkout: Bool
  package var device: Device?
  /// The locations, all within the time of the workout.
  package var locations: [RouteLocation]

  package init(_ workout: ImportIdentity, comesWithWorkout: Bool, device: Device?, locations: [RouteLocation]) {
    (self.workout, self.comesWithWorkout) = (workout, comesWithWorkout)
    (self.device, self.locations) = (device, locations)
  }
}

/// The result of importing an item.
package struct ImportOutcome: Hashable, Sendable {
  /// The result of saving; nil for a route whose workout the store does not have: nothing was written.
  package var outcome: CommitOutcome?
  /// The number of the item's values that the store did not have; for a replaced series the number by which it has
  /// grown.
  package var added: Int
  /// Whether an unchanged series has as many values in the store, but other ones.
  package var differs = false

  package init(outcome: CommitOutcome?, added: Int, differs: Bool = false) {
    (self.outcome, self.added, self.differs) = (outcome, added, differs)
  }
}

/// The identity of an object of a foreign file: the same in every file that has the object.
///
/// The identifier of each version begins with the identity, so that a deleted object is recognised whatever its version
/// was.
package struct ImportIdentity: Hashable, Sendable {
  /// The first twelve bytes of the object's identifiers.
  let bytes: [UInt8]

  static let length = 12

  /// The identity made from a digest, 32 bytes, of the properties that distinguish the object from others.
  package init(digest: [UInt8]) {
    var bytes = Array(digest.prefix(Self.length))
    bytes += Array(repeating: 0, count: Self.length - bytes.count)
    // A UUID whose bits are the maker's own (RFC 9562, version 8).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// The identifier of the object in a version.
  package func id(version: Int64) -> UUID {
    let low = UInt32(truncatingIfNeeded: version)
    return UUID(bytes: bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: low >> $0) }) ?? UUID()
  }

  /// The sync identifier that all versions of the object have.
  package var syncIdentifier: String { "import-" + Hexadecimal.text(bytes) }
}
