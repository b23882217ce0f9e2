import FoundationEssentials
import HealthModel

/// Dates stored sessions anew, with the workouts that collected their values: stores a later version of each, within a transaction.
///
/// Sessions and workouts keep their identifiers; their samples get others. All distances in time stay.
struct Dating {
  let connection: Connection
  /// The distance in microseconds, rounded to whole milliseconds: the precision of rates, which else could lie outside of their session.
  let shift: Int64
  let belief: ClockBelief
  /// The lead of the clock that dates them now; nil where a person does.
  let lead: Int64?
  private(set) var outcome = DatingOutcome()

  init(_ connection: Connection, by microseconds: Int64, as belief: ClockBelief, lead: Int64?) {
    self.connection = connection
    let rest = microseconds % 1_000
    shift = microseconds - rest + (rest >= 500 ? 1_000 : rest < -500 ? -1_000 : 0)
    self.belief = belief
    self.lead = lead
    outcome.shift = shift
  }

  /// Moves the sessions and workouts with these identifiers; those that are not in the store are skipped.
  mutating func perform(_ objects: [UUID]) throws(StoreError) {
    var sessions: [Int64] = []
    var workouts: [Int64] = []
    for object in objects {
      if let row = try connection.sessions.row(of: object)?.id {
        sessions.append(row)
        workouts += try connection.associations.collectors(ofSession: row).map(\.owner)
      } else if let number = try connection.samples.number(of: object) {
        workouts.append(number)
      }
    }
    // Decided before any object gets another row.
    var movable: [Int64] = []
    for workout in Set(workouts).sorted() {
      if try isMovable(workout, with: Set(sessions)) {
        movable.append(workout)
      } else if let id = try connection.samples.uuid(of: workout) {
        try doubt(workout)
        outcome.staying.append(id)
      }
    }
    for session in sessions { try move(session: session) }
    for workout in movable { try move(workout: workout) }
  }

  private func moved(_ clock: RecordedClock?) -> RecordedClock {
    var clock = clock ?? RecordedClock(boot: nil, lead: nil, belief: .notKnown, isDoubtful: false)
    clock.lead = lead ?? clock.lead.map { $0 &+ shift }
    clock.belief = belief
    clock.isDoubtful = false
    clock.dating += 1
    clock.shift &+= shift
    return clock
  }

  private mutating func move(session row: Int64) throws(StoreError) {
    let table = connection.sessions
    guard let summary = try table.summary(ofRow: row).first else { throw connection.corrupt("session row \(row)") }
    let id = summary.id
    let stored = RecordedSession(
      id: id, syncVersion: summary.syncVersion, device: summary.device, source: summary.source, start: summary.start,
      end: summary.end, endReason: summary.endReason, metadata: summary.metadata, rates: try table.rates(of: id),
      heartbeats: try table.beats(of: id), gaps: try table.gaps(of: id), markers: try table.markers(of: id),
      coverage: summary.coverage, variability: summary.variability, quality: summary.quality)
    let session: RecordedSession
    do throws(SeriesError) { session = try stored.moved(by: shift) } catch {
      throw connection.corrupt(SessionTable.name(of: id))
    }
    try SessionTable.validate(session)
    let events = try table.events(ofRow: row).compactMap(\.event).map { event in
      var event = event
      event.span = event.span.moved(by: shift)
      return event
    }
    let clock = moved(try connection.clocks.clock(of: row))
    let collectors = try connection.associations.collectors(ofSession: row)
    _ = try table.deleteContents(of: row)
    let number = try table.insert(session, events, dating: clock.dating)
    try connection.clocks.set(clock, of: number)
    try connection.associations.collect(fromSession: number, for: collectors)
    outcome.sessions.append(id)
  }
}

// Workouts.
extension Dating {
  /// Whether a workout can be moved: all samples that it collected belong to these sessions, or were computed with the workout. Other
  /// samples were given by programs, with dates of their own, which stay.
  private func isMovable(_ workout: Int64, with sessions: Set<Int64>) throws(StoreError) -> Bool {
    guard try connection.clocks.clock(of: workout) != nil, let id = try connection.samples.uuid(of: workout) else {
      return false
    }
    let computed = Self.computed(of: id)
    var statement = try connection.prepare(
      """
      SELECT sample.session, sample.sync_identifier FROM associations JOIN samples AS sample ON sample.id = member
      WHERE owner = ?1 AND role = ?2
      """)
    try statement.bind(workout, at: 1)
    try statement.bind(AssociationTable.Role.collected.rawValue, at: 2)
    while try statement.step() {
      if let session = statement.optionalInteger(0) {
        guard sessions.contains(session) else { return false }
      } else {
        guard let name = statement.text(1), computed.contains(name) else { return false }
      }
    }
    // Attachments belong to the row of the workout, and would be lost with it.
    return try connection.attachments.all(of: workout, object: id).isEmpty
  }

  /// The sync identifiers of the samples that the recorder computes with a workout.
  private static func computed(of workout: UUID) -> Set<String> {
    Set([workout.energySample, workout.recoverySample].map { $0.uuidString.lowercased() })
  }

  /// Marks the dates of a workout that stays as doubtful.
  private func doubt(_ workout: Int64) throws(StoreError) {
    guard var clock = try connection.clocks.clock(of: workout), !clock.isDoubtful else { return }
    clock.isDoubtful = true
    try connection.clocks.set(clock, of: workout)
  }

  private mutating func move(workout number: Int64) throws(StoreError) {
    guard let id = try connection.samples.uuid(of: number),
      let found = try connection.workouts.workout(number, id: id), found.isWhole
    else { throw connection.samples.corrupt(number) }
    let clock = moved(try connection.clocks.clock(of: number))
    for member in try members(of: number) { try moveComputed(member, of: id, dating: clock.dating) }
    let members = try members(of: number)
    let (origin, sync) = try provenance(of: number)
    let metadata = try connection.metadata.values(of: number)
    let workout = found.workout.moved(by: shift)
    // Replaced and not deleted: its identity stays, as a session's does.
    try connection.samples.delete(number, keepsAssociations: true, isReplaced: true)
    let row = try connection.samples.insert(
      WorkoutContent(workout: workout, collected: []),
      as: SampleRecord(
        uuid: id, type: .workout, start: workout.start, end: workout.end, sync: sync), origin: origin)
    try connection.associations.insert(members, of: row, as: .collected)
    connection.staleWorkouts.insert(row)
    try connection.metadata.insert(metadata, of: row)
    try connection.associations.replace(number, with: row)
    try connection.clocks.set(clock, of: row)
    outcome.workouts.append(id)
  }

  private func members(of workout: Int64) throws(StoreError) -> [Int64] {
    var statement = try connection.prepare(
      "SELECT member FROM associations WHERE owner = ?1 AND role = ?2 ORDER BY position")
    try statement.bind(workout, at: 1)
    try statement.bind(AssociationTable.Role.collected.rawValue, at: 2)
    var members: [Int64] = []
    while try statement.step() { members.append(statement.integer(0)) }
    return members
  }

  /// The session, source and device of a sample, and the sync identity of its next version.
  private func provenance(of number: Int64) throws(StoreError) -> (SampleOrigin, SyncIdentity?) {
    var statement = try connection.prepare(
      "SELECT session, source, device, sync_identifier, sync_version FROM samples WHERE id = ?1")
    try statement.bind(number, at: 1)
    guard try statement.step() else { throw connection.samples.corrupt(number) }
    let version = statement.integer(4)
    return (
      SampleOrigin(
        session: statement.optionalInteger(0), source: statement.integer(1), device: statement.optionalInteger(2)),
      statement.text(3).map { SyncIdentity(identifier: $0, version: version + 1) }
    )
  }

  /// Moves a sample of a workout if the recorder computed it, an energy or a recovery. Those of sessions were moved with the sessions.
  private func moveComputed(_ number: Int64, of workout: UUID, dating: Int64) throws(StoreError) {
    let (origin, sync) = try provenance(of: number)
    guard origin.session == nil, let sync, Self.computed(of: workout).contains(sync.identifier) else { return }
    guard let id = try connection.samples.uuid(of: number), let row = try connection.samples.row(number),
      let type = row.type.quantityType
    else { throw connection.samples.corrupt(number) }
    let chunk = try connection.quantitySeries.quantities(
      of: number, count: row.figures.count, object: "sample \(id.uuidString.lowercased())")
    var packer = QuantityPacker()
    var chunks: [QuantityPacker.Packed] = []
    for index in chunk.times.indices {
      let start = chunk.times[index] &+ shift
      let length = chunk.durations.isEmpty ? 0 : chunk.durations[index]
      let item = QuantityPacker.Item(value: chunk.values[index], start: start, end: start &+ length)
      if let packed = packer.add(item) { chunks.append(packed) }
    }
    if let packed = packer.finish() { chunks.append(packed) }
    let metadata = try connection.metadata.values(of: number)
    try connection.samples.delete(number, keepsAssociations: true)
    let moved = try connection.samples.insert(
      QuantityContent(chunks: chunks, type: type),
      as: SampleRecord(
        uuid: id.derived(part: 1, version: dating), type: row.type,
        start: Timestamp(microseconds: row.start &+ shift), end: Timestamp(microseconds: row.end &+ shift), sync: sync),
      origin: origin)
    try connection.metadata.insert(metadata, of: moved)
    try connection.associations.replace(number, with: moved)
  }
}

extension RecordedSession {
  /// The same session at another time. Metadata stay as a program gave them, even dates.
  ///
  /// - Throws: ``SeriesError`` where the beats are damaged and make no series.
  func moved(by microseconds: Int64) throws(SeriesError) -> RecordedSession {
    var moved = self
    moved.start = start.advanced(byMicroseconds: microseconds)
    moved.end = end.advanced(byMicroseconds: microseconds)
    for index in moved.rates.indices {
      moved.rates[index].time = moved.rates[index].time.advanced(byMicroseconds: microseconds)
    }
    for index in moved.gaps.indices {
      moved.gaps[index].start = moved.gaps[index].start.advanced(byMicroseconds: microseconds)
      moved.gaps[index].end = moved.gaps[index].end.advanced(byMicroseconds: microseconds)
    }
    for index in moved.markers.indices {
      moved.markers[index].time = moved.markers[index].time.advanced(byMicroseconds: microseconds)
    }
    moved.heartbeats = try heartbeats.moved(by: microseconds)
    return moved
  }
}

extension HeartbeatSeries {
  fileprivate func moved(by microseconds: Int64) throws(SeriesError) -> HeartbeatSeries {
    try HeartbeatSeries(
      timescale: timescale,
      runs: runs.map { run in
        var run = run
        run.map.anchor = run.map.anchor.advanced(byMicroseconds: microseconds)
        return run
      }, beats: beats, start: start?.advanced(byMicroseconds: microseconds))
  }
}

extension TimeSpan {
  /// The same length at another time.
  func moved(by microseconds: Int64) -> TimeSpan {
    let start = start.advanced(byMicroseconds: microseconds)
    return TimeSpan(start: start, end: end.advanced(byMicroseconds: microseconds)) ?? TimeSpan(at: start)
  }
}

extension Workout {
  /// The same workout at another time, with the figures that it has.
  func moved(by microseconds: Int64) -> Workout {
    Workout(
      id: id, configuration, over: span.moved(by: microseconds), events: events.moved(by: microseconds),
      activities: activities.map { activity in
        var activity = activity
        activity.span = activity.span.moved(by: microseconds)
        activity.events = activity.events.moved(by: microseconds)
        return activity
      }, metadata: metadata, allStatistics: allStatistics)
  }
}

extension [WorkoutEvent] {
  fileprivate func moved(by microseconds: Int64) -> [WorkoutEvent] {
    map { event in
      var event = event
      event.span = event.span.moved(by: microseconds)
      return event
    }
  }
}
