import FoundationEssentials
import HealthModel

extension HealthStore {
  /// In KiB. Identifiers are random, so each batch of an import changes most pages of their indexes: with SQLite's 2 MB it read them
  /// again each time.
  private static let importCache = 8_000

  /// Saves what a foreign file brings, all or none. What was deleted before stays deleted; what is there in this version or a later
  /// one stays as it is.
  package func save(imported items: [ImportedItem]) throws(StoreError) -> [ImportOutcome] {
    let file = try opened()
    try file.connection.execute("PRAGMA cache_size = -\(Self.importCache)")
    let outcomes = try file.write { (connection) throws(StoreError) in
      var outcomes: [ImportOutcome] = []
      outcomes.reserveCapacity(items.count)
      for item in items { outcomes.append(try connection.samples.save(item)) }
      return outcomes
    }
    notifyListeners()
    return outcomes
  }

  /// What ``save(imported:)`` would do.
  package func outcomes(ofImporting items: [ImportedItem]) throws(StoreError) -> [ImportOutcome] {
    try opened().read { (connection) throws(StoreError) in
      var outcomes: [ImportOutcome] = []
      for item in items { outcomes.append(try connection.samples.outcome(of: item).outcome) }
      return outcomes
    }
  }
}

extension SampleTable {
  fileprivate func save(_ item: ImportedItem) throws(StoreError) -> ImportOutcome {
    let (outcome, values) = try outcome(of: item)
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
      // Its workout came with it, but could not be stored.
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
    }
    return outcome
  }

  /// What becomes of an item, and all values of a series.
  fileprivate func outcome(
    of item: ImportedItem
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
    }
    let sync = SyncIdentity(identifier: item.identity.syncIdentifier, version: version)
    guard let earlier = try earlierVersion(of: sync, source: item.source) else {
      let outcome = try outcome(ofNew: item)
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

  private func workout(of route: ImportedRoute, _ source: SourceRevision) throws(StoreError) -> Int64? {
    try earlierVersion(of: SyncIdentity(identifier: route.workout.syncIdentifier, version: 0), source: source)?.id
  }

  /// What becomes of an item of which the store has no version; nil for a route without its workout.
  private func outcome(ofNew item: ImportedItem) throws(StoreError) -> CommitOutcome? {
    if try connection.changeList.wasDeleted(beginningWith: item.identity.bytes) { return .deletedBefore }
    guard case .route(let route) = item.content, try workout(of: route, item.source) == nil else { return .stored }
    if try connection.changeList.wasDeleted(beginningWith: route.workout.bytes) { return .deletedBefore }
    return route.comesWithWorkout ? .stored : nil
  }

  /// Whether a series of as many values is another one than the stored, by its figures: unpacking all would take longer than the import.
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

extension ImportedRoute {
  fileprivate func sample(of workout: UUID, _ identity: ImportIdentity) throws(WorkoutRouteError) -> NewSample {
    let version = Int64(locations.count)
    return try NewSample(
      WorkoutRoute(id: identity.id(version: version), of: workout, locations), device: device,
      sync: SyncIdentity(identifier: identity.syncIdentifier, version: version))
  }
}
