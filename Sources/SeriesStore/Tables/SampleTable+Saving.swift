import FoundationEssentials
import HealthModel

extension SampleTable {
  /// Saves samples of one source; see ``HealthStore/save(_:as:)``.
  func save(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [CommitOutcome] {
    let row = try connection.provenance.row(of: source)
    var outcomes: [CommitOutcome] = []
    var numbers: [UUID: Int64] = [:]
    for sample in samples {
      let saved = try save(sample, source: source, row: row, beside: numbers)
      numbers[sample.id] = saved.number
      outcomes.append(saved.outcome)
    }
    return outcomes
  }

  /// Saves samples of one source; returns the identifiers under which they are in the store, in order.
  func identifiers(saving samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [UUID] {
    let row = try connection.provenance.row(of: source)
    var ids: [UUID] = []
    var numbers: [UUID: Int64] = [:]
    for sample in samples {
      // A sample that stays as it was has another identifier than the new one.
      let number = try save(sample, source: source, row: row, beside: numbers).number
      numbers[sample.id] = number
      ids.append(try uuid(of: number) ?? sample.id)
    }
    return ids
  }

  /// Saves one sample of the source in `row`. `numbers` has the numbers of the samples that were saved before it in the
  /// same call, by the identifiers of these samples.
  func save(
    _ sample: NewSample, source: SourceRevision, row: Int64, beside numbers: [UUID: Int64] = [:]
  ) throws(StoreError) -> (outcome: CommitOutcome, number: Int64) {
    var earlier: (id: Int64, version: Int64)?
    if let sync = sample.sync {
      earlier = try earlierVersion(of: sync, source: source)
      if let earlier, sync.version <= earlier.version { return (.unchanged, earlier.id) }
    }
    var routes: [Int64] = []
    if let earlier {
      let isPart = try !connection.associations.owners(ofPart: earlier.id).isEmpty
      guard !isPart || sample.content.parts.isEmpty else {
        throw StoreError(
          .invalid, "the sample \(sample.id.uuidString.lowercased()) has parts, and would be a part itself")
      }
      if sample.content is WorkoutContent { routes = try connection.associations.routes(of: earlier.id) }
      try delete(earlier.id, keepsAssociations: true)
    }
    guard try number(of: sample.id) == nil else {
      throw StoreError(.invalid, "the object \(sample.id.uuidString.lowercased()) is in the store already")
    }
    let device: Int64? = if let device = sample.device { try connection.provenance.row(of: device) } else { nil }
    let parts = try saveParts(of: sample, source: source, row: row)
    let id = try insert(
      sample.content,
      as: SampleRecord(
        uuid: sample.id, type: sample.type, start: sample.span.start, end: sample.span.end, sync: sample.sync),
      origin: SampleOrigin(session: nil, source: row, device: device))
    try connection.associations.insert(parts, of: id, as: .part)
    try collect(sample, as: id, beside: numbers, routes: routes)
    try connection.metadata.insert(sample.metadata, of: id)
    if let earlier { try connection.associations.replace(earlier.id, with: id) }
    try join(sample, as: id, source: source, beside: numbers)
    return (earlier == nil ? .stored : .replaced, id)
  }

  /// Associates the collected samples with a workout, and marks its figures to be computed. `routes` has the routes of
  /// the version that the workout replaces; they stay with the workout.
  private func collect(
    _ sample: NewSample, as id: Int64, beside numbers: [UUID: Int64], routes: [Int64]
  ) throws(StoreError) {
    guard sample.content is WorkoutContent else { return }
    var members: [Int64] = []
    var known: Set<Int64> = []
    for uuid in sample.content.collected {
      let found: Int64? = if let saved = numbers[uuid] { saved } else { try number(of: uuid) }
      guard let member = found else {
        throw StoreError(.notFound, "there is no sample \(uuid.uuidString.lowercased()) to be collected")
      }
      let row = try row(member)
      guard row?.type.kind != .workout else {
        throw StoreError(.invalid, "the workout \(uuid.uuidString.lowercased()) is not collected with another")
      }
      if let row, row.type.kind == .workoutRoute { try admit(row, uuid, to: id, over: sample.span) }
      if known.insert(member).inserted { members.append(member) }
    }
    try connection.associations.insert(members + routes.filter { !known.contains($0) }, of: id, as: .collected)
    connection.staleWorkouts.insert(id)
  }

  /// Throws unless a route may belong to that workout: the route belongs to no other workout, and no location lies
  /// outside of the workout's time.
  private func admit(_ route: SampleRow, _ uuid: UUID, to workout: Int64, over span: TimeSpan) throws(StoreError) {
    let name = uuid.uuidString.lowercased()
    guard try connection.associations.workouts(ofCollected: route.id).allSatisfy({ $0 == workout }) else {
      throw StoreError(.invalid, "the route \(name) belongs to another workout")
    }
    guard route.start >= span.start.microseconds, route.end <= span.end.microseconds else {
      throw StoreError(.invalid, "the route \(name) cannot be saved: \(WorkoutRouteError.outsideWorkout)")
    }
  }

  /// Associates a route with its workout, which the same program must have saved. The error is the same for a workout
  /// of another program and for a missing one, so that it reveals nothing.
  private func join(
    _ sample: NewSample, as id: Int64, source: SourceRevision, beside numbers: [UUID: Int64]
  ) throws(StoreError) {
    guard let uuid = sample.content.workout else { return }
    let found: Int64? = if let saved = numbers[uuid] { saved } else { try number(of: uuid) }
    guard let workout = found, let row = try row(workout), row.type.kind == .workout,
      try identifierOfSource(workout) == source.identifier,
      let span = TimeSpan(start: Timestamp(microseconds: row.start), end: Timestamp(microseconds: row.end))
    else {
      throw StoreError(
        .notFound, "there is no workout \(uuid.uuidString.lowercased()) that \(source.identifier) has saved")
    }
    let route = SampleRow(
      id: id, type: sample.type, start: sample.span.start.microseconds, end: sample.span.end.microseconds,
      figures: SampleFigures())
    let workouts = try connection.associations.workouts(ofCollected: id)
    // A later version of a route may belong to another workout.
    if !workouts.isEmpty, workouts != [workout] { try connection.associations.uncollect(id) }
    try admit(route, sample.id, to: workout, over: span)
    if workouts != [workout] { try connection.associations.collect([id], for: workout) }
  }

  /// The program that saved a sample.
  private func identifierOfSource(_ number: Int64) throws(StoreError) -> String? {
    var statement = try connection.prepare(
      "SELECT source.identifier FROM samples AS sample JOIN sources AS source ON source.id = sample.source WHERE sample.id = ?1"
    )
    try statement.bind(number, at: 1)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Saves the parts of a sample and returns their numbers in order. A part belongs to one whole, and whole and parts are
  /// different objects.
  private func saveParts(
    of sample: NewSample, source: SourceRevision, row: Int64
  ) throws(StoreError) -> [Int64] {
    let parts = sample.content.parts
    let identifiers = ([sample] + parts).compactMap(\.sync?.identifier)
    guard parts.isEmpty || Set(identifiers).count == identifiers.count else {
      throw StoreError(
        .invalid, "\(sample.id.uuidString.lowercased()) and its parts need a sync identifier each, or none")
    }
    var numbers: [Int64] = []
    for part in parts {
      let number = try save(part, source: source, row: row).number
      guard try connection.associations.owners(ofPart: number).isEmpty else {
        throw StoreError(
          .invalid, "the sample \(part.id.uuidString.lowercased()) is a part already, and belongs to one object only")
      }
      // The store may have the part under its sync identifier, with another role.
      guard try connection.associations.parts(of: number).isEmpty else {
        throw StoreError(
          .invalid, "the sample \(part.id.uuidString.lowercased()) has parts, and would be a part itself")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// The sample with that sync identifier by the same program, in any version of the program.
  func earlierVersion(
    of sync: SyncIdentity, source: SourceRevision
  ) throws(StoreError) -> (id: Int64, version: Int64)? {
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.sync_version FROM samples AS sample JOIN sources AS source ON source.id = sample.source
      WHERE sample.sync_identifier = ?1 AND source.identifier = ?2
      """)
    try statement.bind(sync.identifier, at: 1)
    try statement.bind(source.identifier, at: 2)
    return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
  }
}
