import FoundationEssentials
import Glibc
import HealthModel
import Timeline

/// The mutable state of a journal, guarded by its lock.
struct JournalState: ~Copyable {
  let configuration: JournalConfiguration
  var directory: Directory
  /// Sessions opened here or found when the journal was opened, until their segments are deleted.
  var sessions: [UUID: JournalledSession] = [:]
  /// The series of clients, for the same time.
  var series: [UUID: JournalledSeries] = [:]
  /// The live workouts, for the same time.
  var workouts: [UUID: JournalledWorkout] = [:]
  var committed: Set<UUID> = []
  /// In ascending order; the current one is last.
  var segments: [Segment] = []
  var current: Current?
  var nextNumber = 1
  private(set) var nextSlot = 1
  var buffer = RecordBuffer()

  /// Records written since the last sync began.
  var unsynced = UnsyncedRecords()
  /// Counts the batches of unsynced records, so that a session is added once to each.
  private var batchNumber = 0
  /// Records that the sync in progress is to cover.
  var syncing = UnsyncedRecords()
  /// Segments that were left with unsynced records; those of this run are still open.
  var unsyncedSegments: [UnsyncedSegment] = []
  /// Segments among which somebody has deleted some, still open, until their records are written again.
  var deleted: [UnsyncedSegment] = []
  var isDirectoryDirty = false
  /// Whether a sync has anything to do.
  var isDirty = false
  /// Whether the records in ``syncing`` have to be written again, because their sync failed.
  var needsRewriting = false
  /// The number of times that records have been written again.
  var rewritings = 0
  /// Called when a sync is needed, or needed sooner than before.
  var onDemand: (@Sendable (SyncDemand) -> Void)?

  init(configuration: JournalConfiguration, directory: Directory) {
    self.configuration = configuration
    self.directory = directory
  }

  struct Segment {
    let number: Int
    var sessions: Set<UUID>
    var isDamaged = false
  }

  struct Current {
    let number: Int
    let file: OpenFile
    /// The length of complete records, in bytes.
    var length: Int
  }

  struct UnsyncedSegment {
    let number: Int
    let file: OpenFile?
    /// Bytes written to it; 0 for a segment found when the journal was opened.
    var length = 0
  }

  /// A segment that somebody else truncated.
  struct Shortened {
    var number: Int
    /// The bytes that were written, and the bytes that are left: the beginning, and what was appended after the cut.
    var length: Int
    var size: Int
  }

  /// Whether somebody truncated or deleted a segment that no sync has covered.
  var isUnsyncedDamaged: Bool {
    let current = current.map { UnsyncedSegment(number: $0.number, file: $0.file, length: $0.length) }
    return (unsyncedSegments + [current].compactMap(\.self)).contains { segment in
      guard let status = try? segment.file?.status() else { return false }
      return status.st_size < segment.length || status.st_nlink == 0
    }
  }

  /// When the next sync has to begin.
  enum SyncDemand: Int {
    /// Nothing needs a sync.
    case none
    /// Early enough to cover a record within the interval.
    case inTime
    /// Now: more bytes are unsynced than should stay in memory.
    case atOnce
  }

  var demand: SyncDemand {
    guard isDirty else { return .none }
    return unsynced.bytes.count < configuration.urgentUnsyncedBytes ? .inTime : .atOnce
  }

  /// Adds a session without writing anything; one that is known is unchanged.
  mutating func register(
    _ header: CaptureHeader, isOpened: Bool = false, resumption: RecordBuffer.Resumption = .init()
  ) {
    guard sessions[header.session] == nil else { return }
    sessions[header.session] = JournalledSession(
      header: header, slot: takeSlot(), isOpened: isOpened, resumption: resumption)
  }

  /// Writes events of a session with one write, and its name if the segment does not have it yet.
  mutating func append(_ events: some Collection<SensorEvent>, to id: UUID) throws(JournalError) {
    guard let session = sessions[id], !session.isCommitted else {
      throw JournalError(.unknownSession, path: directory.path)
    }
    let number = writableSegment ?? nextNumber
    begin()
    if session.namedIn != number { name(session, at: events.first?.instant) }
    for event in events {
      buffer.event(event, slot: session.slot)
    }
    try write(to: number)
    for event in events {
      session.resumption.update(with: event)
    }
    session.isOpened = true
    noteWritten(session, to: number, at: events.first?.instant)
  }

  /// Records that a segment now has records of a session, series or workout, including its name; `instant` is that of
  /// the first event.
  mutating func noteWritten(_ object: some JournalledObject, to number: Int, at instant: BootInstant? = nil) {
    if object.namedIn != number {
      object.namedIn = number
      segments[segments.count - 1].sessions.insert(object.identifier)
    }
    if object.batchNumber != batchNumber {
      object.batchNumber = batchNumber
      unsynced.insert(object.identifier, at: instant)
    }
  }

  /// Adds a client's series without writing anything; one that is known is unchanged.
  mutating func register(_ new: ClientSeries, metadata: Metadata) {
    guard series[new.identifier] == nil else { return }
    series[new.identifier] = JournalledSeries(new, metadata: metadata, slot: takeSlot())
  }

  /// Throws an error where programs have used up their half of the slots: the other half is for sessions, which must
  /// always begin.
  func checkSlots() throws(JournalError) {
    guard nextSlot <= RecordLine.greatestSlot / 2 else {
      throw JournalError(.notWritten, errorNumber: ENFILE, path: directory.path)
    }
  }

  /// Reserves the next slot of this run.
  mutating func takeSlot() -> Int {
    defer { nextSlot += 1 }
    return nextSlot
  }

  /// Adds a client's series and writes its name.
  mutating func open(_ new: ClientSeries, metadata: Metadata) throws(JournalError) {
    try checkSlots()
    let isNew = series[new.identifier] == nil
    register(new, metadata: metadata)
    do { try append(nil, to: new.identifier) } catch {
      if isNew { series[new.identifier] = nil }
      throw error
    }
  }

  /// Writes a record of a client's series with one write, and its name if the segment does not have it yet; nil for the name
  /// alone.
  mutating func append(
    _ record: ClientSeriesRecord?, metadata: Metadata = [:], to id: UUID
  ) throws(JournalError) {
    guard let its = series[id], !its.isCommitted else { throw JournalError(.unknownSession, path: directory.path) }
    let number = writableSegment ?? nextNumber
    begin()
    if its.namedIn != number { name(its) }
    buffer.metadata(metadata, slot: its.slot)
    if let record { buffer.series(record, slot: its.slot) }
    try write(to: number)
    its.metadata.merge(metadata) { $1 }
    noteWritten(its, to: number)
  }

  private mutating func name(_ its: JournalledSeries) {
    buffer.series(.begin(its.series), slot: its.slot)
    buffer.metadata(its.metadata, slot: its.slot)
  }

  /// Writes metadata of a session with one write, and its name if the segment does not have it yet.
  mutating func setMetadata(
    _ metadata: Metadata, of id: UUID
  ) throws(JournalError) {
    guard let session = sessions[id], !session.isCommitted else {
      throw JournalError(.unknownSession, path: directory.path)
    }
    session.header.metadata.merge(metadata) { $1 }
    let number = writableSegment ?? nextNumber
    begin()
    if session.namedIn == number { buffer.metadata(metadata, slot: session.slot) } else { name(session, at: nil) }
    try write(to: number)
    session.isOpened = true
    noteWritten(session, to: number)
  }

  /// The session, series or workout with this identifier.
  func object(_ id: UUID) -> (any JournalledObject)? { sessions[id] ?? series[id] ?? workouts[id] }

  /// Writes that the store has a session, a series or a workout.
  mutating func commit(_ id: UUID) throws(JournalError) {
    guard let object = object(id) else { throw JournalError(.unknownSession, path: directory.path) }
    guard !object.isCommitted else { return }
    let number = writableSegment ?? nextNumber
    begin()
    buffer.committed(id)
    try write(to: number)
    object.isCommitted = true
    committed.insert(id)
  }

  /// The content of a segment that repeats the records in ``syncing``. If the beginning of what they continue may be lost,
  /// each session is named with the context that its events need.
  mutating func rewriting(from start: UnsyncedRecords.Position, isBeginningLost: Bool) -> [UInt8] {
    buffer.removeAll()
    buffer.header(.journal)
    buffer.rewrites(segment: start.segment, offset: start.offset)
    for id in syncing.sessions {
      if let session = sessions[id] { name(session, at: isBeginningLost ? syncing.firstInstants[id] : nil) }
      if let its = series[id] { name(its) }
      if let workout = workouts[id] { name(workout) }
    }
    return buffer.copy() + syncing.bytes
  }

  /// Hands the unsynced records to the sync that begins now.
  mutating func moveToSyncing() {
    if syncing.start == nil {
      swap(&syncing, &unsynced)
    } else {
      syncing.append(unsynced, limit: configuration.keptUnsyncedBytes)
    }
    unsynced.removeAll()
    batchNumber += 1
  }

  /// Closes the current segment, so that the next record begins a new one.
  mutating func leaveCurrent() {
    guard let current else { return }
    unsyncedSegments.append(UnsyncedSegment(number: current.number, file: current.file, length: current.length))
    self.current = nil
  }

  /// The segment for the next record, if it does not need a new one.
  var writableSegment: Int? {
    guard let current, current.length < configuration.segmentBytes else { return nil }
    return current.number
  }

  mutating func begin() {
    buffer.removeAll()
    if writableSegment == nil { buffer.header(.journal) }
  }

  private mutating func name(_ session: JournalledSession, at instant: BootInstant?) {
    guard session.isOpened else { return buffer.session(session.header, slot: session.slot) }
    var resumption = session.resumption
    resumption.instant = instant
    buffer.session(session.header, slot: session.slot, resumption: resumption)
  }

  mutating func write(to number: Int) throws(JournalError) {
    if current?.number != number { try startSegment(number) }
    guard let segment = current else { throw JournalError(.notWritten, path: directory.path) }
    let bytes = unsafe buffer.bytes.buffer
    let failure: SystemError
    do {
      let written = try unsafe segment.file.write(bytes)
      if written == bytes.count {
        let skipped = segment.length == 0 ? TextHeader.length : 0
        unsafe unsynced.append(
          UnsafeBufferPointer(rebasing: bytes[skipped...]), count: buffer.eventCount,
          at: UnsyncedRecords.Position(segment: number, offset: segment.length + skipped),
          limit: configuration.keptUnsyncedBytes)
        current?.length += written
        isDirty = true
        return
      }
      failure = SystemError(ENOSPC)
    } catch {
      failure = error
    }
    repair(segment, after: failure)
    throw JournalError(
      .notWritten, errorNumber: failure.number, path: "\(directory.path)/\(SegmentName.name(number))")
  }

  /// Removes the part of a record that was written, so that what follows is readable.
  private mutating func repair(_ segment: Current, after failure: SystemError) {
    guard segment.length > 0 else {
      // The segment is new and empty: the next attempt creates it again with the same number.
      current = nil
      segments.removeLast()
      nextNumber = segment.number
      try? directory.remove(SegmentName.name(segment.number))
      return
    }
    let isFull = failure.number == ENOSPC || failure.number == EDQUOT
    if (try? segment.file.truncate(to: segment.length)) == nil || !isFull { leaveCurrent() }
  }

  private mutating func startSegment(_ number: Int) throws(JournalError) {
    leaveCurrent()
    let name = SegmentName.name(number)
    let file: OpenFile
    do throws(SystemError) {
      do throws(SystemError) {
        file = try directory.create(name, mode: configuration.fileMode)
      } catch {
        // Somebody deleted the folder: it is created again, so that later records are kept.
        guard error.number == ENOENT else { throw error }
        try reopenDirectory()
        file = try directory.create(name, mode: configuration.fileMode)
      }
    } catch {
      throw JournalError(.notWritten, errorNumber: error.number, path: "\(directory.path)/\(name)")
    }
    current = Current(number: number, file: file, length: 0)
    segments.append(Segment(number: number, sessions: []))
    nextNumber = number + 1
    isDirectoryDirty = true
  }

  mutating func reopenDirectory() throws(SystemError) {
    let made = try Directory.opened(path: directory.path, creatingWith: configuration.directoryMode)
    guard try made.lock() else { throw SystemError(EWOULDBLOCK) }
    directory = made
  }
}
