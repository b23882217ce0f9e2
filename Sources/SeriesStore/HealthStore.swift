public import HealthModel

/// One file of health data: samples of many kinds, and the changes that brought them.
///
/// Opening happens on the caller's thread; everything after that on a thread of the store's own, since SQLite blocks.
/// That thread sleeps while there is nothing to do. Several stores, in one process or many, may have the same file open:
/// readers never wait for a writer, writers wait for each other for a few seconds.
public actor HealthStore {
  /// What a store is opened for.
  public struct Access: Hashable, Sendable {
    private enum Kind { case reading, writing, recording }

    private let kind: Kind

    /// Nothing is written, and a missing file is an error.
    public static let reading = Access(kind: .reading)
    /// For changes, of several writers at a time; a missing file is made.
    public static let writing = Access(kind: .writing)
    /// For the one recorder of this file, until the store is closed; a second gets ``StoreError/Code/locked``. The daemon's alone.
    package static let recording = Access(kind: .recording)
  }

  private let executor: StoreExecutor
  nonisolated let path: String
  nonisolated let access: Access
  private let mode: UInt32
  nonisolated let types: QuantityTypeRegistry
  /// Nil once closed, and after a reopening that failed.
  private var file: StoreFile?
  private var isClosed = false
  /// Why nothing is open any more, where it was not closed.
  private var failure: StoreError?
  /// Nil where nobody asked for it, and once closed.
  private(set) var observation: StoreObservation?
  /// The live queries.
  nonisolated let listeners = ChangeListeners()
  /// The last change that they know of; says nothing while there are none.
  private var toldChange: Int64 = 0
  /// The state of other connections' writes that the live queries know of.
  var knownDataVersion: Int64

  /// The store's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private init(
    _ file: sending StoreFile, access: Access, mode: UInt32, executor: StoreExecutor, observation: StoreObservation?,
    dataVersion: Int64
  ) {
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

  /// Opens the store at `path`, and makes it with `mode` where it is missing and `access` allows to write.
  ///
  /// The folder must exist. A file that is no store, or a newer one, is an error and stays untouched. `types` has the
  /// program's own quantity types beside the library's; those of other programs are what the file says of them.
  ///
  /// With `observing` the live queries see what every other connection commits, in this process or another, as soon as it can be
  /// seen; nothing polls. A reader also goes on with a file that is put in the place of this one, and waits for one where it was
  /// deleted. What a writer committed when it was killed is seen with the next commit, or when the next writer opens the file.
  ///
  /// - Throws: ``StoreError/Code/cannotObserve`` where the system has no watch left. Without `observing` all else works then, and a
  ///   program may ask for changes (``noticeChanges()``) when it likes.
  public static func open(
    _ path: String, for access: Access, mode: UInt32 = 0o600, types: QuantityTypeRegistry = .standard,
    observing: Bool = false
  ) throws(StoreError) -> HealthStore {
    let file = try StoreFile(path, for: access, mode: mode, types: types)
    let observation = observing ? try StoreObservation(file.place) : nil
    // Behind the observation: what is written from now on touches the file when it is watched.
    let dataVersion = try file.connection.dataVersion()
    guard let executor = StoreExecutor() else {
      throw StoreError(.io, "\(path) cannot be opened: the system has no thread or descriptor left")
    }
    let store = HealthStore(
      file, access: access, mode: mode, executor: executor, observation: observation, dataVersion: dataVersion)
    if let observation {
      executor.observe(observation) { [weak store] in store?.assumeIsolated { $0.fileWasTouched() } }
    }
    return store
  }

  /// Closes the file for good, and lets a recorder's lock go; every later call is an error. Also happens with the last
  /// reference.
  public func close() {
    isClosed = true
    file = nil
    observation = nil
    executor.endObservation()
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
  /// - Throws: As ``open(_:for:mode:types:observing:)``; ``StoreError/Code/corrupt(object:)`` where the structure is damaged. No file is
  ///   open then, and this may be tried again. ``StoreError/Code/closed`` after ``close()``: who closed it counts on the
  ///   file, and the lock, being free.
  public func reopen() throws(StoreError) {
    guard !isClosed else { throw Self.closed }
    // First, since the recorder's lock is let go and taken again.
    file = nil
    let opened = try StoreFile(path, for: access, mode: mode, types: types)
    try opened.verifyStructure()
    try observation?.watchFile()
    try adopt(opened)
  }

  /// Goes on with another file, or another state of it, than was open before.
  func adopt(_ opened: StoreFile) throws(StoreError) {
    knownDataVersion = try opened.connection.dataVersion()
    if listeners.count > 0 { toldChange = try opened.connection.changeList.last() }
    file = opened
    failure = nil
    listeners.signalOpening()
  }

  /// Nothing is answered any more but `error`, until the store is opened again.
  func fail(_ error: StoreError) {
    file = nil
    failure = error
  }

  /// Signals of the changes from now on that `isConcerned` says yes to.
  ///
  /// The last change is looked up for the first who listens, not when the file is opened: how long the history is costs an
  /// opening nothing.
  func changeSignals(_ isConcerned: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<Void> {
    if listeners.count == 0, let last = try? file?.connection.changeList.last() { toldChange = last }
    return listeners.signals(isConcerned)
  }

  /// Signals what was saved and deleted since the last call to the live queries that it concerns.
  func signalChanges() {
    guard let file, listeners.count > 0 else { return }
    do throws(StoreError) {
      let told = toldChange
      let (last, changes) = try file.read { (connection) throws(StoreError) in
        let last = try connection.changeList.last()
        return (last, last > told ? try ChangeReader(connection: connection).kinds(after: told, to: last) : [])
      }
      toldChange = last
      listeners.signal(changes)
    } catch {
      // Let their answers say what is wrong.
      listeners.signalAll()
    }
  }

  private static var closed: StoreError { StoreError(.closed, "the store was closed before") }

  func opened() throws(StoreError) -> StoreFile {
    guard let file else { throw failure ?? Self.closed }
    return file
  }
}
