public import FoundationEssentials
public import HealthModel
import Synchronization
public import Timeline

/// Series of other programs: in the journal before their insertion is answered, so that they outlive the program, the recorder
/// and, from the next sync on, the power.
extension Journal {
  /// Begins a series: writes its description and metadata, with one write.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the series is not known then, also where too many were begun.
  public func open(
    _ series: ClientSeries, metadata: Metadata = [:]
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.open(series, metadata: metadata)
    }
  }

  /// Appends values, heartbeats or the end of a series, with one write; with the end also its last metadata.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `notWritten`: nothing of this record is in the journal.
  public func append(
    _ record: ClientSeriesRecord, metadata: Metadata = [:], toSeries series: UUID
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(record, metadata: metadata, to: series)
    }
  }
}

/// Live workouts: each request is in the journal before it is answered, so that the workout outlives its program, the
/// recorder and, from the next sync on, the power.
extension Journal {
  /// Begins a workout: writes its description, its metadata and its first records, with one write.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the workout is not known then, also where too many were begun.
  public func open(
    _ workout: LiveWorkout, metadata: Metadata = [:], records: [WorkoutRecord]
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.open(workout, metadata: metadata, records)
    }
  }

  /// Appends records of a workout and metadata, all or nothing, with one write.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `notWritten`: nothing of this is in the journal.
  public func append(
    _ records: [WorkoutRecord], metadata: Metadata = [:], toWorkout workout: UUID
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(records, metadata: metadata, to: workout)
    }
  }

  /// The sessions of a sensor that the store is not known to have, open or not.
  public func uncommittedSessions(of sensor: SensorAddress) -> Set<UUID> {
    state.withLock { state in
      Set(state.sessions.values.lazy.filter { !$0.isCommitted && $0.header.sensor.address == sensor }.map(\.identifier))
    }
  }
}

extension JournalState {
  /// Adds a live workout without writing anything; one that is known is unchanged.
  mutating func register(_ found: WorkoutContents) {
    guard workouts[found.workout.identifier] == nil else { return }
    let new = JournalledWorkout(found.workout, metadata: found.metadata, slot: takeSlot())
    for record in found.records { new.took(record) }
    workouts[new.identifier] = new
  }

  /// Adds a live workout and writes its name and its first records.
  mutating func open(
    _ new: LiveWorkout, metadata: Metadata, _ records: [WorkoutRecord]
  ) throws(JournalError) {
    try checkSlots()
    var contents = WorkoutContents(new)
    contents.metadata = metadata
    let isNew = workouts[new.identifier] == nil
    register(contents)
    do { try append(records, to: new.identifier) } catch {
      if isNew { workouts[new.identifier] = nil }
      throw error
    }
  }

  /// Writes records of a live workout with one write, and its name if the segment does not have it yet.
  mutating func append(
    _ records: [WorkoutRecord], metadata: Metadata = [:], to id: UUID
  ) throws(JournalError) {
    guard let its = workouts[id], !its.isCommitted else { throw JournalError(.unknownSession, path: directory.path) }
    let number = writableSegment ?? nextNumber
    begin()
    if its.namedIn != number { name(its) }
    buffer.metadata(metadata, slot: its.slot)
    for record in records { buffer.workout(record, slot: its.slot) }
    try write(to: number)
    its.metadata.merge(metadata) { $1 }
    for record in records { its.took(record) }
    noteWritten(its, to: number)
  }

  mutating func name(_ its: JournalledWorkout) {
    buffer.workout(.begin(its.workout), slot: its.slot)
    buffer.metadata(its.metadata, slot: its.slot)
    if let boot = its.boot { buffer.workout(boot, slot: its.slot) }
    if let clock = its.clock { buffer.workout(clock, slot: its.slot) }
  }
}
