public import FoundationEssentials
import Glibc
public import HealthModel
import Synchronization
public import Timeline

/// The append-only log of all sensors, in segments: received data is here before anything is computed from it.
///
/// Records are those of a capture file (Documentation/capture-format.md). Several threads may call the journal; events
/// have the order of the calls. Appending makes one write(2) on the caller's thread and never syncs. ``sync()`` belongs
/// on another thread, since an SD card can stall for hundreds of milliseconds (``JournalSyncer``).
public final class Journal: Sendable {
  /// The folder of the segments.
  public let directory: String
  let state: Mutex<JournalState>
  /// Held by each sync, so that there is one at a time.
  let syncLock = Mutex(())

  private init(directory: String, state: consuming sending JournalState) {
    self.directory = directory
    self.state = Mutex(state)
  }

  /// Opens the journal in `directory`, creates the folder if it is missing, and recovers its content.
  ///
  /// Foreign files are renamed so that their name gives the reason; a segment that cannot be read now is read by a
  /// later start. Sessions that are not committed can be continued under their UUIDs. Writing begins in a new segment,
  /// since the old one's last record may be incomplete.
  ///
  /// - Throws: ``JournalError`` with `cannotOpen`, `cannotRead`, or `locked` where another process has it open.
  public static func open(
    directory path: String, configuration: JournalConfiguration = JournalConfiguration()
  ) throws(JournalError) -> (journal: Journal, recovered: JournalContents) {
    let directory: Directory
    let isOurs: Bool
    var foreignFolder: ForeignFile?
    do throws(SystemError) {
      (directory, foreignFolder) = try Self.openedFolder(path, mode: configuration.directoryMode)
      isOurs = try directory.lock()
    } catch {
      throw JournalError(.cannotOpen, errorNumber: error.number, path: path)
    }
    guard isOurs else { throw JournalError(.locked, path: path) }
    let scan: JournalScan
    do {
      scan = try JournalScan(directory, settingAside: true)
    } catch {
      throw JournalError(.cannotRead, errorNumber: error.number, path: path)
    }
    let state = JournalState(configuration: configuration, directory: directory, found: scan)
    var contents = scan.contents
    if let foreignFolder { contents.foreignFiles.append(foreignFolder) }
    return (Journal(directory: path, state: state), contents)
  }

  /// Opens the folder. One that is not a folder, or that may not be read and written, is set aside like an unreadable
  /// segment: new records matter more.
  private static func openedFolder(
    _ path: String, mode: UInt32
  ) throws(SystemError) -> (Directory, ForeignFile?) {
    let failure: SystemError
    do throws(SystemError) {
      let directory = try Directory.opened(path: path, creatingWith: mode)
      guard !directory.isUsable else { return (directory, nil) }
      failure = SystemError(EACCES)
    } catch {
      failure = error
    }
    guard failure.number == EACCES || failure.number == ENOTDIR, let slash = path.lastIndex(of: "/") else {
      throw failure
    }
    let name = String(path[path.index(after: slash)...])
    let parent: Directory
    do { parent = try Directory(path: slash == path.startIndex ? "/" : String(path[..<slash])) } catch { throw failure }
    guard parent.contains(name) else { throw failure }
    let newName = parent.freeName(SegmentName.aside(name, .unreadable(failure.number)))
    do { try parent.rename(name, to: newName) } catch { throw failure }
    return (
      try Directory.opened(path: path, creatingWith: mode),
      ForeignFile(name: name, reason: .unreadable(failure.number), setAsideAs: newName)
    )
  }

  /// Opens a session: writes its header and its first events, with one write.
  ///
  /// The first events are boot, clock and connection, so that instants have a meaning. A session that is already known
  /// keeps its header.
  ///
  /// - Throws: ``JournalError`` with `notWritten`. The session is known all the same, and its header is written with the
  ///   next event that succeeds.
  public func open(_ header: CaptureHeader, events: [SensorEvent]) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.open(.session(header), metadata: header.metadata, events)
    }
  }

  /// Appends one event to a session, with one write(2).
  ///
  /// - Throws: ``JournalError`` with `notWritten` if the disk is full or fails. The journal has been repaired, so that
  ///   later events are readable. The caller counts this event as lost (``SensorEvent/Kind/lost(values:reason:)``).
  public func append(_ event: SensorEvent, to session: UUID) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(CollectionOfOne(event), to: session)
    }
  }

  /// Appends several events to a session, all or none, with one write(2).
  ///
  /// - Throws: As for a single event.
  public func append(_ events: [SensorEvent], to session: UUID) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(events, to: session)
    }
  }

  /// Adds metadata to a session, open or not; the last value of a key counts.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `notWritten`; then it is written with the session's name in
  ///   the next segment.
  public func setMetadata(_ metadata: Metadata, of session: UUID) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.setMetadata(metadata, of: session)
    }
  }

  /// Records that the store has this session, series or workout for good; a later ``sync()`` deletes its segments.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the session is then committed again after a restart, which the store
  ///   recognises.
  public func commit(_ session: UUID) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.commit(session)
    }
  }

  /// Whether a sync has anything to do.
  var isDirty: Bool { state.withLock { $0.isDirty } }

  /// Sets `action`, which is called on the writing thread whenever a sync is needed, or needed sooner than before.
  func setOnDemand(_ action: (@Sendable (JournalState.SyncDemand) -> Void)?) {
    state.withLock { $0.onDemand = action }
  }

  /// Changes the state under the lock, then notifies the syncer if it has work.
  func change(_ body: (inout JournalState) throws(JournalError) -> Void) throws(JournalError) {
    var action: (@Sendable (JournalState.SyncDemand) -> Void)?
    var demand = JournalState.SyncDemand.none
    defer { action?(demand) }
    try state.withLock { state throws(JournalError) in
      let before = state.demand
      defer {
        demand = state.demand
        if demand.rawValue > before.rawValue { action = state.onDemand }
      }
      try body(&state)
    }
  }
}

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
      try state.open(.series(series), metadata: metadata, [ClientSeriesRecord]())
    }
  }

  /// Appends values, heartbeats or the end of a series, with one write; with the end also its last metadata.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `notWritten`: nothing of this record is in the journal.
  public func append(
    _ record: ClientSeriesRecord, metadata: Metadata = [:], toSeries series: UUID
  ) throws(JournalError) {
    try change { state throws(JournalError) in
      try state.append(CollectionOfOne(record), metadata: metadata, to: series)
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
      try state.open(.workout(workout), metadata: metadata, records)
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
      Set(
        state.objects.values.lazy.filter { !$0.isCommitted && $0.description.header?.sensor.address == sensor }.map(
          \.identifier))
    }
  }
}

extension JournalState {
  /// The state after opening: the sessions that were found continue in a new segment.
  fileprivate init(configuration: JournalConfiguration, directory: Directory, found scan: JournalScan) {
    self.init(configuration: configuration, directory: directory)
    nextNumber = scan.greatestNumber + 1
    for found in scan.reader.sessions {
      let session = register(.session(found.header), metadata: found.header.metadata)
      session.isOpened = true
      session.resumption = found.resumption
    }
    for found in scan.reader.series { register(.series(found.series), metadata: found.metadata) }
    for found in scan.reader.workouts {
      let workout = register(.workout(found.workout), metadata: found.metadata)
      for record in found.records { record.update(workout) }
    }
    let named = scan.segments.reduce(into: Set<UUID>()) { $0.formUnion($1.summary.sessions) }
    committed = scan.reader.committed.intersection(named)
    for id in committed { objects[id]?.isCommitted = true }
    for found in scan.segments {
      segments.append(
        Segment(number: found.number, sessions: found.summary.sessions, isDamaged: found.summary.isDamaged))
      // A recorder that was killed may have left records that no sync has covered.
      unsyncedSegments.append(UnsyncedSegment(number: found.number, file: nil))
    }
    // Nor need it have synced the folder, and without their names the segments are lost.
    isDirectoryDirty = !segments.isEmpty || scan.foreignFiles.contains { $0.setAsideAs != nil }
    isDirty = isDirectoryDirty
  }
}

/// The file layout and limits of a journal.
public struct JournalConfiguration: Hashable, Sendable {
  /// Permissions of the folder, if the journal creates it.
  public var directoryMode: UInt32
  /// Permissions of the segments.
  public var fileMode: UInt32
  /// A segment of this many bytes is followed by a new one.
  public var segmentBytes: Int
  /// The most bytes of records not yet synced that are kept in memory, to be written again if the sync fails.
  public var keptUnsyncedBytes: Int
  /// When this many bytes are not yet synced, a sync begins at once: a flood must not accumulate in memory for a whole
  /// interval.
  public var urgentUnsyncedBytes: Int

  /// The default is for a person's journal: files 0600, folder 0700. The service uses 0640 and 0750.
  public init(
    directoryMode: UInt32 = 0o700, fileMode: UInt32 = 0o600, segmentBytes: Int = 1 << 20,
    keptUnsyncedBytes: Int = 4 << 20,
    urgentUnsyncedBytes: Int = 1 << 19
  ) {
    self.directoryMode = directoryMode
    self.fileMode = fileMode
    self.segmentBytes = segmentBytes
    self.keptUnsyncedBytes = keptUnsyncedBytes
    self.urgentUnsyncedBytes = urgentUnsyncedBytes
  }
}

/// The reason for which an operation of the journal failed. Holds no health data.
public struct JournalError: Error, Hashable, Sendable {
  public var code: Code
  /// The system's error number, if a system call failed.
  public var errorNumber: Int32?
  /// The folder or file.
  public var path: String
  /// Records that were written but that a power cut could now lose, after a failed sync.
  public var recordsAtRisk: Int

  public init(_ code: Code, errorNumber: Int32? = nil, path: String, recordsAtRisk: Int = 0) {
    self.code = code
    self.errorNumber = errorNumber
    self.path = path
    self.recordsAtRisk = recordsAtRisk
  }

  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The folder could not be created or opened.
    case cannotOpen
    /// Another recorder has this journal open.
    case locked
    /// The folder or a segment could not be read.
    case cannotRead
    /// The events of this call were not written. Earlier ones are, and the next call may succeed.
    case notWritten
    /// The sync failed, but everything that it should have covered was written again and synced: nothing is lost.
    case rewritten
    /// The sync failed, and so did writing again; see ``JournalError/recordsAtRisk``. The next sync tries again.
    case notSynced
    /// Somebody deleted segments or the folder. What open descriptors have was written again; older segments are lost.
    case segmentsVanished
    /// The session was never opened here, or is already committed.
    case unknownSession
    /// Segments that are no longer needed could not be deleted; the next sync tries again.
    case notPruned
  }
}

extension JournalError: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    let what =
      switch code {
      case .cannotOpen: "the journal cannot be opened"
      case .locked: "another recorder uses this journal"
      case .cannotRead: "the journal cannot be read"
      case .notWritten: "values could not be written to the journal"
      case .rewritten: "a sync of the journal failed; its records were written again"
      case .notSynced: "a sync of the journal failed; \(recordsAtRisk) records may be lost at a power cut"
      case .segmentsVanished: "segments of the journal were deleted or cut by somebody else"
      case .unknownSession: "the session is not open in this journal"
      case .notPruned: "old segments of the journal cannot be deleted"
      }
    return "\(path): \(what)" + (errorNumber.map { ": \(SystemError.text($0))" } ?? "")
  }
}
