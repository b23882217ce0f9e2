import FoundationEssentials
import Glibc
import Sensors

/// Everything of a journal that changes, guarded by its lock.
struct JournalState: ~Copyable {
  let configuration: JournalConfiguration
  var directory: Directory
  /// Those opened here or found at the start, until their segments are gone.
  var sessions: [UUID: JournalledSession] = [:]
  var committed: Set<UUID> = []
  /// In ascending order, the current one last.
  var segments: [Segment] = []
  var current: Current?
  var nextNumber = 1
  private var nextSlot = 1
  private var buffer = RecordBuffer()

  /// Written since the last sync began.
  var tail = JournalTail()
  /// Counts the tails, so that a session is noted once in each.
  private var tailNumber = 0
  /// Written before, and covered by the sync that is under way.
  var pending = JournalTail()
  /// Segments that were left with records that no sync has covered: those of this run are still open.
  var unsynced: [Unsynced] = []
  var isDirectoryDirty = false
  /// Whether a sync has anything to do.
  var isDirty = false
  /// Whether the pending records have to be written again, since a sync of them failed.
  var needsRewriting = false
  /// How often that was begun.
  var rewritings = 0
  /// Called when a sync is wanted, or wanted sooner than before.
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
    /// Bytes of whole records.
    var length: Int
  }

  struct Unsynced {
    let number: Int
    let file: OpenFile?
    /// Bytes that were written to it; 0 for one that was found at the start.
    var length = 0
  }

  /// A segment that somebody else cut.
  struct Shortened {
    var number: Int
    /// Bytes that were written, and that are left: the beginning, and what came after the cut.
    var length: Int
    var size: Int
  }

  /// Whether somebody cut the current segment.
  var isCurrentShortened: Bool {
    guard let current, let status = try? current.file.status() else { return false }
    return status.st_size < current.length
  }

  /// When the next sync is to begin.
  enum SyncDemand: Int {
    /// There is nothing to do.
    case none
    /// So that a record is covered within the interval.
    case inTime
    /// More waits for it than is to be kept in memory.
    case atOnce
  }

  var demand: SyncDemand {
    guard isDirty else { return .none }
    return tail.bytes.count < configuration.urgentTailBytes ? .inTime : .atOnce
  }

  /// Makes a session known without writing anything; one that is known stays as it is.
  mutating func register(
    _ header: CaptureHeader, isOpened: Bool = false, resumption: RecordBuffer.Resumption = .init()
  ) {
    guard sessions[header.session] == nil else { return }
    sessions[header.session] = JournalledSession(
      header: header, slot: nextSlot, isOpened: isOpened, resumption: resumption)
    nextSlot += 1
  }

  /// Writes events of a session, and its name where the segment does not have it yet, with one write.
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
      session.resumption.take(event)
    }
    noteWritten(session, to: number, at: events.first?.instant)
  }

  /// Notes that a segment has records of a session now, its name among them, the first event at this instant.
  private mutating func noteWritten(_ session: JournalledSession, to number: Int, at instant: BootInstant? = nil) {
    let id = session.header.session
    session.isOpened = true
    if session.namedIn != number {
      session.namedIn = number
      segments[segments.count - 1].sessions.insert(id)
    }
    if session.tailNumber != tailNumber {
      session.tailNumber = tailNumber
      tail.insert(id, at: instant)
    }
  }

  /// Writes more of a session's metadata, and its name where the segment does not have it yet, with one write.
  mutating func setMetadata(
    _ metadata: [String: CaptureMetadataValue], of id: UUID
  ) throws(JournalError) {
    guard let session = sessions[id], !session.isCommitted else {
      throw JournalError(.unknownSession, path: directory.path)
    }
    session.header.metadata.merge(metadata) { $1 }
    let number = writableSegment ?? nextNumber
    begin()
    if session.namedIn == number { buffer.metadata(metadata, slot: session.slot) } else { name(session, at: nil) }
    try write(to: number)
    noteWritten(session, to: number)
  }

  /// Writes that the store has a session.
  mutating func commit(_ id: UUID) throws(JournalError) {
    guard let session = sessions[id] else { throw JournalError(.unknownSession, path: directory.path) }
    guard !session.isCommitted else { return }
    let number = writableSegment ?? nextNumber
    begin()
    buffer.committed(id)
    try write(to: number)
    session.isCommitted = true
    committed.insert(id)
  }

  /// The records of a segment that holds `pending` again; where the beginning of what they go on with may be lost, each
  /// session is named with what its events need.
  mutating func rewriting(from start: JournalTail.Position, isBeginningLost: Bool) -> [UInt8] {
    buffer.removeAll()
    buffer.header(.journal)
    buffer.rewrites(segment: start.segment, offset: start.offset)
    for id in pending.sessions {
      guard let session = sessions[id] else { continue }
      name(session, at: isBeginningLost ? pending.firstInstants[id] : nil)
    }
    return buffer.copy() + pending.bytes
  }

  /// Gives the tail to the sync that begins now.
  mutating func takeTail() {
    if pending.start == nil {
      swap(&pending, &tail)
    } else {
      pending.append(tail, limit: configuration.keptTailBytes)
    }
    tail.removeAll()
    tailNumber += 1
  }

  /// Leaves the current segment, so that the next record begins a new one.
  mutating func leaveCurrent() {
    guard let current else { return }
    unsynced.append(Unsynced(number: current.number, file: current.file, length: current.length))
    self.current = nil
  }

  /// The segment that takes the next record, if it is not a new one.
  private var writableSegment: Int? {
    guard let current, current.length < configuration.segmentBytes else { return nil }
    return current.number
  }

  private mutating func begin() {
    buffer.removeAll()
    if writableSegment == nil { buffer.header(.journal) }
  }

  private mutating func name(_ session: JournalledSession, at instant: BootInstant?) {
    guard session.isOpened else { return buffer.session(session.header, slot: session.slot) }
    var resumption = session.resumption
    resumption.instant = instant
    buffer.session(session.header, slot: session.slot, resumption: resumption)
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
        unsafe tail.append(
          UnsafeBufferPointer(rebasing: bytes[skipped...]), count: buffer.eventCount,
          at: JournalTail.Position(segment: number, offset: segment.length + skipped),
          limit: configuration.keptTailBytes)
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

  /// Takes back the part of a record that was written, so that what follows is readable.
  private mutating func repair(_ segment: Current, after failure: SystemError) {
    guard segment.length > 0 else {
      // It is new and holds nothing: the next attempt makes it again under the same number.
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
        // Somebody deleted the folder: make it again rather than lose what comes.
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
