public import HealthModel

/// A file of health data: samples of many kinds, and the history of changes.
///
/// The store is opened on the caller's thread; everything else runs on the store's own thread, since SQLite blocks. That
/// thread sleeps while there is nothing to do. Several stores, in one process or many, may have the same file open: readers
/// never wait for a writer, and writers wait for each other for some seconds.
public actor HealthStore {
  /// The purpose for which a store is opened.
  public struct Access: Hashable, Sendable {
    private enum Kind { case reading, writing, recording }

    private let kind: Kind

    /// For reading only; a missing file is an error.
    public static let reading = Access(kind: .reading)
    /// For changes, also by several writers at a time; a missing file is created.
    public static let writing = Access(kind: .writing)
    /// For the daemon, the one recorder of this file, until the store is closed; a second recorder gets
    /// ``StoreError/Code/locked``.
    package static let recording = Access(kind: .recording)
  }

  private let executor: StoreExecutor
  nonisolated let path: String
  nonisolated let access: Access
  private let mode: UInt32
  nonisolated let types: QuantityTypeRegistry
  nonisolated let limit: WorkLimit
  /// Nil once closed, and after reopening has failed.
  private var file: StoreFile?
  private var isClosed = false
  /// The error because of which the store is no longer open, if it was not closed.
  private(set) var failure: StoreError?
  /// Nil if not requested, and once closed.
  private(set) var observation: StoreObservation?
  /// The live queries.
  nonisolated let listeners = ChangeListeners()
  /// The number of the last change announced to the live queries; without meaning while there are none.
  private var announcedChange: Int64 = 0
  /// The state of other connections' writes announced to live queries.
  var knownDataVersion: Int64

  /// The store's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private init(
    _ file: sending StoreFile, access: Access, mode: UInt32, limit: WorkLimit, executor: StoreExecutor,
    observation: StoreObservation?, dataVersion: Int64
  ) {
    self.limit = limit
    knownDataVersion = dataVersion
    self.observation = observation
    path = file.path
    types = file.types
    self.access = access
    self.mode = mode
    self.executor = executor
    self.file = file
  }

  deinit {
    listeners.finish()
    executor.stop()
  }

  /// Opens the store at `path`, or creates it where it is missing and `access` permits writing.
  ///
  /// With `observing`, live queries see the commits of every other connection, in this process or another, as soon as they
  /// are visible; nothing polls. A reader also switches to a file that replaces this one, and waits for a new file if this
  /// one was deleted. A commit of a writer that was then killed is seen with the next commit, or when the next writer opens
  /// the file.
  ///
  /// The file may come from anybody. Views and triggers of the file never run, a file with a declaration that no
  /// version of this program writes is refused, and the size of the file limits the work for answers.
  ///
  /// - Parameters:
  ///   - path: The path of the file. The folder must exist.
  ///   - access: The purpose.
  ///   - mode: The permissions of a new file.
  ///   - types: The program's own quantity types beside the library's; types of other programs are as the file
  ///     describes them.
  ///   - observing: Whether live queries see the commits of other connections. A program that opens the store without
  ///     it may ask for changes itself (``noticeChanges()``).
  ///   - limit: Whether the limit of work holds for each answer or, with ``WorkLimit/inAll``, for all answers together.
  /// - Returns: The open store.
  /// - Throws: ``StoreError/Code/missing`` for a reader without a file; ``StoreError/Code/notADatabase``,
  ///   ``StoreError/Code/newerVersion(found:supported:)`` or ``StoreError/Code/olderVersion(found:supported:)`` for a file
  ///   that is not a store of this version, which stays untouched; ``StoreError/Code/foreignDeclaration``; ``StoreError/Code/cannotObserve`` if the system has no watch
  ///   left.
  public static func open(
    _ path: String, for access: Access, mode: UInt32 = 0o600, types: QuantityTypeRegistry = .standard,
    observing: Bool = false, limit: WorkLimit = .each
  ) throws(StoreError) -> HealthStore {
    let file = try StoreFile(path, for: access, mode: mode, types: types, limit: limit)
    let observation = observing ? try StoreObservation(file.place) : nil
    // After the observation has begun: every write from now on touches a watched file.
    let dataVersion = try file.connection.dataVersion()
    guard let executor = StoreExecutor(), executor.start() else { throw exhausted(path) }
    let store = HealthStore(
      file, access: access, mode: mode, limit: limit, executor: executor, observation: observation,
      dataVersion: dataVersion)
    if let observation {
      executor.observe(observation) { [weak store] in store?.assumeIsolated { $0.fileWasTouched() } }
    }
    return store
  }

  /// Opens the store like ``open(_:for:mode:types:observing:limit:)``, without its thread: calls wait until ``start()``.
  ///
  /// For a process that is about to lose the right to open files: the store needs no other files than those that are
  /// open now, until it is closed.
  package static func openAtRest(
    _ path: String, for access: Access, mode: UInt32 = 0o600, limit: WorkLimit = .each
  ) throws(StoreError) -> HealthStore {
    let file = try StoreFile(path, for: access, mode: mode, limit: limit)
    try file.needNoMoreFiles()
    let dataVersion = try file.connection.dataVersion()
    guard let executor = StoreExecutor() else { throw exhausted(path) }
    return HealthStore(
      file, access: access, mode: mode, limit: limit, executor: executor, observation: nil, dataVersion: dataVersion)
  }

  /// Starts the thread of a store that was opened at rest; to be called once.
  package nonisolated func start() throws(StoreError) {
    guard executor.start() else { throw Self.exhausted(path) }
  }

  private static func exhausted(_ path: String) -> StoreError {
    StoreError(.io, "\(path) cannot be opened: the system has no thread or descriptor left")
  }

  /// Closes the file permanently and releases a recorder's lock; later calls throw ``StoreError/Code/closed``.
  ///
  /// The release of the last reference closes the file as well.
  public func close() {
    isClosed = true
    file = nil
    observation = nil
    executor.endObservation()
    listeners.finish()
  }

  /// Whether the open file is no longer the one at its path, because somebody deleted or replaced it.
  ///
  /// Commits would then go to a file that nobody will ever read: call ``reopen()`` first.
  public func hasVanished() throws(StoreError) -> Bool {
    try opened().connection.hasMoved
  }

  /// Closes the file, opens or creates the one at the path, and verifies the structure of its pages.
  ///
  /// For use after a disk error: the pages that SQLite has in memory may differ from those of the file.
  ///
  /// - Throws: The errors of ``open(_:for:mode:types:observing:limit:)``, and ``StoreError/Code/corrupt(object:)`` if
  ///   the structure is damaged: then no file is open, and this call may be repeated. ``StoreError/Code/closed`` after
  ///   ``close()``, whose caller relies on file and lock being free.
  public func reopen() throws(StoreError) {
    guard !isClosed else { throw Self.closed }
    // First, since the recorder's lock is released and acquired again.
    file = nil
    let opened = try StoreFile(path, for: access, mode: mode, types: types, limit: limit)
    try opened.verifyStructure()
    try observation?.watchFile()
    try adopt(opened)
  }

  /// Switches to another file, or to another state of it.
  func adopt(_ opened: StoreFile) throws(StoreError) {
    knownDataVersion = try opened.connection.dataVersion()
    if listeners.count > 0 { announcedChange = try opened.connection.changeList.last() }
    file = opened
    failure = nil
    listeners.signalOpening()
  }

  /// Goes on with another connection to the same state of the same file.
  func resume(_ opened: StoreFile) throws(StoreError) {
    knownDataVersion = try opened.connection.dataVersion()
    (file, failure) = (opened, nil)
    notifyListeners()
  }

  /// Makes every call throw `error` until the store is reopened.
  func fail(_ error: StoreError) {
    file = nil
    failure = error
  }

  /// A stream that is signalled for each later change for which `isConcerned` is true.
  ///
  /// The number of the last change is looked up for the first listener, not at opening: opening a file costs the same
  /// however long its history is.
  package func changeSignals(_ isConcerned: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<Void> {
    if listeners.count == 0, let last = try? file?.connection.changeList.last() { announcedChange = last }
    return listeners.signals(isConcerned)
  }

  /// Wakes the live queries that are concerned by the changes since the last call.
  func notifyListeners() {
    guard let file, listeners.count > 0 else { return }
    do throws(StoreError) {
      let announced = announcedChange
      let (last, changes) = try file.read { (connection) throws(StoreError) in
        let last = try connection.changeList.last()
        return (
          last, last > announced ? try ChangeReader(connection: connection).kinds(after: announced, to: last) : []
        )
      }
      announcedChange = last
      listeners.signal(changes)
    } catch {
      // Their next answers report the error.
      listeners.signalAll()
    }
  }

  private static var closed: StoreError { StoreError(.closed, "the store was closed before") }

  func opened() throws(StoreError) -> StoreFile {
    guard let file else { throw failure ?? Self.closed }
    return file
  }
}
