import FoundationEssentials
import Glibc
import HealthModel
import Timeline

/// The mutable state of a journal, guarded by its lock.
struct JournalState: ~Copyable {
  let configuration: JournalConfiguration
  var directory: Directory
  /// Sessions, series and workouts opened here or found when the journal was opened, until their segments are deleted.
  var objects: [UUID: JournalledObject] = [:]
  var committed: Set<UUID> = []
  /// In ascending order; the current one is last.
  var segments: [Segment] = []
  var current: Current?
  var nextNumber = 1
  private var nextSlot = 1
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

  /// Adds a session, a series or a workout without writing anything; one that is known is unchanged.
  @discardableResult
  mutating func register(_ name: JournalledObject.Name, metadata: Metadata) -> JournalledObject {
    if let known = objects[name.identifier] { return known }
    defer { nextSlot += 1 }
    let new = JournalledObject(name, metadata: metadata, slot: nextSlot)
    objects[name.identifier] = new
    return new
  }

  /// Adds an object, and writes its name and its first records with one write.
  ///
  /// A session always begins, and stays known where nothing could be written. Programs have half of the slots for the rest.
  mutating func open(
    _ name: JournalledObject.Name, metadata: Metadata, _ records: [some JournalledRecord]
  ) throws(JournalError) {
    let isNew = objects[name.identifier] == nil
    guard name.header != nil || nextSlot <= RecordLine.greatestSlot / 2 else {
      throw JournalError(.notWritten, errorNumber: ENFILE, path: directory.path)
    }
    register(name, metadata: metadata)
    do { try append(records, to: name.identifier) } catch {
      if isNew, name.header == nil { objects[name.identifier] = nil }
      throw error
    }
  }

  /// Writes records and metadata of an object with one write, and its name if the segment does not have it yet.
  mutating func append<Record: JournalledRecord>(
    _ records: some Collection<Record>, metadata: Metadata = [:], to id: UUID
  ) throws(JournalError) {
    guard let object = objects[id], !object.isCommitted, Record.belong(to: object.description) else {
      throw JournalError(.unknownSession, path: directory.path)
    }
    let number = writableSegment ?? nextNumber
    begin()
    let instant = records.first?.continuation
    if object.namedIn != number { name(object, at: instant) }
    buffer.metadata(metadata, slot: object.slot)
    for record in records { record.append(to: &buffer, slot: object.slot) }
    try write(to: number)
    object.metadata.merge(metadata) { $1 }
    for record in records { record.update(object) }
    object.isOpened = true
    if object.namedIn != number {
      object.namedIn = number
      segments[segments.count - 1].sessions.insert(id)
    }
    if object.batchNumber != batchNumber {
      object.batchNumber = batchNumber
      unsynced.insert(id, at: instant)
    }
  }

  /// Writes metadata of a session; where that fails, the session's next name has them.
  mutating func setMetadata(_ metadata: Metadata, of id: UUID) throws(JournalError) {
    let session = objects[id].flatMap { $0.isCommitted || $0.description.header == nil ? nil : $0 }
    session?.metadata.merge(metadata) { $1 }
    let isNamed = session?.namedIn == writableSegment ?? nextNumber
    try append([SensorEvent](), metadata: isNamed ? metadata : [:], to: id)
  }

  /// Appends the name of an object; that of a session continues it at `instant`.
  private mutating func name(_ object: JournalledObject, at instant: BootInstant? = nil) {
    switch object.name {
    case .session(let header):
      var resumption = object.resumption
      resumption.instant = instant
      buffer.session(header, slot: object.slot, resumption: object.isOpened ? resumption : nil)
    case .series(let series):
      buffer.series(.begin(series), slot: object.slot)
      buffer.metadata(object.metadata, slot: object.slot)
    case .workout(let workout):
      buffer.workout(.begin(workout), slot: object.slot)
      buffer.metadata(object.metadata, slot: object.slot)
      for record in object.context { buffer.workout(record, slot: object.slot) }
    }
  }

  /// Writes that the store has a session, a series or a workout.
  mutating func commit(_ id: UUID) throws(JournalError) {
    guard let object = objects[id] else { throw JournalError(.unknownSession, path: directory.path) }
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
      if let object = objects[id] { name(object, at: isBeginningLost ? syncing.firstInstants[id] : nil) }
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

  private mutating func begin() {
    buffer.removeAll()
    if writableSegment == nil { buffer.header(.journal) }
  }

  private mutating func write(to number: Int) throws(JournalError) {
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
