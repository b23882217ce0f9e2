import FoundationEssentials
import Glibc
import Sensors

/// Everything of a journal that changes, guarded by its lock.
struct JournalState {
  let configuration: JournalConfiguration
  var directory: Directory
  /// Those opened here or found at the start, until their segments are gone.
  var sessions: [UUID: Session] = [:]
  var committed: Set<UUID> = []
  /// In ascending order, the current one last.
  var segments: [Segment] = []
  var current: Current?
  var nextNumber = 1
  private var nextSlot = 1
  private var buffer = RecordBuffer()

  /// Written since the last sync began.
  var tail = JournalTail()
  /// Written before, and covered by the sync that is under way.
  var pending = JournalTail()
  /// Segments that were left with records that no sync has covered: those of this run are still open.
  var unsynced: [Unsynced] = []
  var isDirectoryDirty = false
  /// Whether a sync has anything to do.
  var isDirty = false
  /// Whether the pending records have to be written again, since a sync of them failed.
  var needsRewriting = false
  /// Called when the journal becomes dirty.
  var onDirty: (@Sendable () -> Void)?

  init(configuration: JournalConfiguration, directory: Directory) {
    self.configuration = configuration
    self.directory = directory
  }

  struct Session {
    var header: CaptureHeader
    var slot: Int
    /// Whether its opening record was written.
    var isOpened: Bool
    var resumption = RecordBuffer.Resumption()
    /// The segment that names it last.
    var namedIn: Int?
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
  }

  /// Makes a session known without writing anything; one that is known stays as it is.
  mutating func register(_ header: CaptureHeader, isOpened: Bool = false, resumption: RecordBuffer.Resumption = .init())
  {
    guard sessions[header.session] == nil else { return }
    sessions[header.session] = Session(
      header: header, slot: nextSlot, isOpened: isOpened, resumption: resumption)
    nextSlot += 1
  }

  /// Writes events of a session, and its name where the segment does not have it yet, with one write.
  mutating func append(_ events: some Collection<SensorEvent>, to id: UUID) throws(JournalError) {
    guard var session = sessions[id], !committed.contains(id) else {
      throw JournalError(.unknownSession, path: directory.path)
    }
    let number = writableSegment ?? nextNumber
    begin()
    if session.namedIn != number {
      name(session, at: events.first?.instant)
    }
    for event in events {
      buffer.event(event, slot: session.slot)
      session.resumption.take(event)
    }
    try write(session: id, to: number)
    session.isOpened = true
    session.namedIn = number
    sessions[id] = session
    if let last = segments.indices.last { segments[last].sessions.insert(id) }
  }

  /// Writes that the store has a session.
  mutating func commit(_ id: UUID) throws(JournalError) {
    guard sessions[id] != nil else { throw JournalError(.unknownSession, path: directory.path) }
    guard !committed.contains(id) else { return }
    let number = writableSegment ?? nextNumber
    begin()
    buffer.committed(id)
    try write(session: nil, to: number)
    committed.insert(id)
  }

  /// The records of a segment that holds `pending` again.
  mutating func rewriting(from start: JournalTail.Position) -> [UInt8] {
    buffer.removeAll()
    buffer.header(.journal)
    buffer.rewrites(segment: start.segment, offset: start.offset)
    for id in pending.sessions {
      guard let session = sessions[id] else { continue }
      name(session, at: nil)
    }
    buffer.append(pending.bytes)
    defer { buffer.removeAll() }
    return buffer.bytes
  }

  /// Leaves the current segment, so that the next record begins a new one.
  mutating func leaveCurrent() {
    guard let current else { return }
    unsynced.append(Unsynced(number: current.number, file: current.file))
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

  private mutating func name(_ session: Session, at instant: BootInstant?) {
    guard session.isOpened else { return buffer.session(session.header, slot: session.slot) }
    var resumption = session.resumption
    resumption.instant = instant
    buffer.session(session.header, slot: session.slot, resumption: resumption)
  }

  private mutating func write(session: UUID?, to number: Int) throws(JournalError) {
    if current?.number != number { try startSegment(number) }
    guard let segment = current else { throw JournalError(.notWritten, path: directory.path) }
    let count = buffer.bytes.count
    let failure: SystemError
    do {
      let written = try segment.file.write(buffer.bytes)
      if written == count {
        let skipped = segment.length == 0 ? TextHeader.length : 0
        tail.append(
          buffer.bytes[skipped...], count: buffer.eventCount, session: session,
          at: JournalTail.Position(segment: number, offset: segment.length + skipped),
          limit: configuration.keptTailBytes)
        current?.length += count
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
