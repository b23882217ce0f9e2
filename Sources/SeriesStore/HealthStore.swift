public import FoundationEssentials
public import HealthModel

/// One file of health data: sessions, their heart rates and beats, and the sensors that may be recorded.
///
/// Opening happens on the caller's thread; everything after that on a thread of the store's own, since SQLite blocks.
/// That thread sleeps while there is nothing to do. Several stores, in one process or many, may have the same file open:
/// readers never wait for a writer, writers wait for each other for a few seconds, and one recorder at a time
/// (``Access/recording``) is let in.
public actor HealthStore {
  /// What a store is opened for.
  public enum Access: Hashable, Sendable {
    /// Nothing is written, and a missing file is an error.
    case reading
    /// For short changes beside a recorder; a missing file is made.
    case writing
    /// For the one recorder of this file, until the store is closed; a second gets ``StoreError/Code/locked``.
    case recording
  }

  private let executor: StoreExecutor
  private let path: String
  private let access: Access
  private let mode: UInt32
  /// Nil once closed, and after a reopening that failed.
  private var file: StoreFile?
  private var isClosed = false
  /// The live queries.
  nonisolated let listeners = ChangeListeners()
  /// The state of other connections' writes that the live queries know of.
  var knownDataVersion: Int64

  /// The store's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private init(
    _ file: sending StoreFile, access: Access, mode: UInt32, executor: StoreExecutor, dataVersion: Int64
  ) {
    knownDataVersion = dataVersion
    path = file.path
    self.access = access
    self.mode = mode
    self.executor = executor
    self.file = file
  }

  deinit {
    listeners.finish()
    executor.stop()
  }

  /// Opens the store at `path`, and makes it with `mode` where it is missing and `access` allows to write.
  ///
  /// The folder must exist. A file that is no store, or a newer one, is an error and stays untouched.
  public static func open(_ path: String, for access: Access, mode: UInt32 = 0o600) throws(StoreError) -> HealthStore {
    let file = try StoreFile(path, for: access, mode: mode)
    guard let executor = StoreExecutor() else {
      throw StoreError(.io, "\(path) cannot be opened: the system has no thread or descriptor left")
    }
    let version = try file.connection.integer("PRAGMA data_version")
    return HealthStore(file, access: access, mode: mode, executor: executor, dataVersion: version)
  }

  /// Closes the file and lets the recorder's lock go, for good; every later call is an error. Also happens with the last
  /// reference.
  public func close() {
    isClosed = true
    file = nil
    listeners.finish()
  }

  /// Whether the open file is not the one at its path any more: somebody deleted or replaced it.
  ///
  /// What is committed then goes into a file that nobody will ever read: ``reopen()`` first.
  public func hasVanished() throws(StoreError) -> Bool {
    try opened().connection.hasMoved
  }

  /// Closes the file and opens the one at the path, making it where it is missing, and verifies its structure.
  ///
  /// For after an error of the disk: what SQLite holds in memory need not be what is in the file.
  ///
  /// - Throws: As ``open(_:for:mode:)``; ``StoreError/Code/corrupt(object:)`` where the structure is damaged. No file is
  ///   open then, and this may be tried again. ``StoreError/Code/closed`` after ``close()``: who closed it counts on the
  ///   file, and the lock, being free.
  public func reopen() throws(StoreError) {
    guard !isClosed else { throw Self.closed }
    // First, since the recorder's lock is let go and taken again.
    file = nil
    let opened = try StoreFile(path, for: access, mode: mode)
    try opened.verifyStructure()
    knownDataVersion = try opened.connection.integer("PRAGMA data_version")
    file = opened
    listeners.signal()
  }

  private static var closed: StoreError { StoreError(.closed, "the store was closed before") }

  func opened() throws(StoreError) -> StoreFile {
    guard let file else { throw Self.closed }
    return file
  }

  /// Saves a session with everything in it in one transaction, once: see ``CommitOutcome``.
  ///
  /// When this returns `.stored` or `.replaced` it is on the disk. `restore` brings a deleted session back.
  public func commit(_ session: RecordedSession, restore: Bool = false) throws(StoreError) -> CommitOutcome {
    let outcome = try opened().commit(session, restore: restore)
    listeners.signal()
    return outcome
  }

  /// All sessions, oldest first; ``StoreError/Code/corrupt(object:)`` where one of them cannot be read.
  public func sessions() throws(StoreError) -> [SessionSummary] {
    let file = try opened()
    let (readable, damages) = try file.sessions()
    if let damage = damages.first { throw file.corrupt(damage.object) }
    return readable
  }

  /// All sessions that can be read, oldest first, and what is damaged of the others: a damaged session hides no other.
  public func readableSessions() throws(StoreError) -> (sessions: [SessionSummary], damages: [StoreDamage]) {
    let (readable, damages) = try opened().sessions()
    return (readable, damages)
  }

  /// The session whose identifier begins with `name` (upper or lower case, at least four digits), or for `last` the
  /// one that started last; ``StoreError/Code/notFound``, or ``StoreError/Code/ambiguous`` where several match.
  public func session(_ name: String) throws(StoreError) -> SessionSummary {
    try opened().session(named: name)
  }

  /// The sync version with which the session is in the store; nil where it is not.
  public func syncVersion(of session: UUID) throws(StoreError) -> Int64? {
    try opened().row(of: session)?.syncVersion
  }

  /// Whether the session is in the store, or was and has been deleted: either way it is over.
  public func knows(_ session: UUID) throws(StoreError) -> Bool {
    let file = try opened()
    if try file.row(of: session) != nil { return true }
    return try file.wasDeleted(session)
  }

  /// The rates of a session in the order in which they arrived.
  public func rates(of session: UUID) throws(StoreError) -> [HeartRateValue] {
    try opened().rates(of: session)
  }

  /// The beats of a session.
  public func beats(of session: UUID) throws(StoreError) -> HeartbeatSeries {
    try opened().beats(of: session)
  }

  /// The gaps of a session in order.
  public func gaps(of session: UUID) throws(StoreError) -> [RecordingGap] {
    try opened().gaps(of: session)
  }

  /// Deletes a session so that none of its values is left in the store's files; a tombstone stays.
  ///
  /// Where a reader holds on to the old state for more than ten seconds the session is deleted, its bytes may be left in
  /// the log, and the error says so (``StoreError/Code/locked``).
  public func delete(_ session: UUID) throws(StoreError) {
    let file = try opened()
    try file.delete(session)
    // Told when it is deleted, also where its bytes could not be erased yet.
    defer { listeners.signal() }
    try file.eraseFreeSpace()
  }

  /// Erases what an earlier deletion could not, because a reader held on to it or the power went; false where nothing
  /// was left to do.
  ///
  /// A recorder does that when it opens the store. The errors are those of ``delete(_:)``.
  @discardableResult
  public func finishErasing() throws(StoreError) -> Bool {
    let file = try opened()
    guard try file.isErasurePending() else { return false }
    try file.eraseFreeSpace()
    return true
  }

  /// The sensors that may be recorded, in the order in which they were added.
  public func allowedSensors() throws(StoreError) -> [AllowedSensor] {
    try opened().allowedSensors()
  }

  /// Adds a sensor, or gives the one with that address this name; false where nothing changed.
  @discardableResult
  public func allow(_ sensor: AllowedSensor) throws(StoreError) -> Bool {
    try opened().allow(sensor)
  }

  /// Names an allowed sensor; ``StoreError/Code/notFound`` where it is not allowed.
  public func renameSensor(_ address: String, to name: String?) throws(StoreError) {
    try opened().renameSensor(address, to: name)
  }

  /// Takes a sensor off the list; ``StoreError/Code/notFound`` where it is not there. Its sessions stay.
  public func removeSensor(_ address: String) throws(StoreError) {
    try opened().removeSensor(address)
  }

  /// A number that differs from its last value after another connection has written: cheap, no page is read.
  ///
  /// Watch the folder (the file and its `-wal`) and ask then; own writes do not change it.
  public func dataVersion() throws(StoreError) -> Int64 {
    try opened().connection.integer("PRAGMA data_version")
  }
}
