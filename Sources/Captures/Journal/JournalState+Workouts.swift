import FoundationEssentials

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
    _ new: LiveWorkout, metadata: [String: CaptureMetadataValue], _ records: [WorkoutRecord]
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
    _ records: [WorkoutRecord], metadata: [String: CaptureMetadataValue] = [:], to id: UUID
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
