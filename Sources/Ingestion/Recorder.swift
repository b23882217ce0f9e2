import HeartRateRecording
import BlueZ
package import Captures
public import DBus
import FoundationEssentials
import Sensors
import SeriesStore

/// The daemon: records the allowed sensors until it is asked to stop.
///
/// Everything happens on the loop's thread in the order in which it came: bytes are stamped, journalled, and given to the
/// live session machine. When a session ends, ``SessionCommitter`` makes of its journal what is stored. The decisions
/// are made elsewhere: whom to connect by `Sensors`, when a session begins and ends by `HeartRateRecording`.
public actor Recorder {
  nonisolated let loop: EventLoop
  let settings: RecorderSettings
  let clock: HostClock

  // Set by `start()`, before anything uses them.
  var store: HealthStore?
  package var journal: Journal?
  var syncer: JournalSyncer?
  var committer: SessionCommitter?
  var storeWatch: StoreWatch?
  /// Runs while a store that was deleted or replaced is looked for.
  var storeTimer: TimerToken?
  /// What was at the store's path at the last look.
  var replacement: FileState?
  /// The store's last change whose deletions are erased from the journal and the kept captures; nil before the first look.
  var lastErasedChange: ChangeAnchor?

  var plan: ConnectionPlan
  var channels: [SensorAddress: SensorChannel] = [:]
  /// The beats of the open sessions; beside the channels, since these are copied for each event.
  var qualities: [SensorAddress: LiveQuality] = [:]
  /// The wall clock's lead over the boot clock that the open sessions know.
  var wallOffset: Int64

  var connection: Connection?
  var client: Client?
  var hasService = false
  var adapters: [AdapterIndex: Adapter] = [:]
  var busProblem: BusProblem? = nil
  var busWaiter: CheckedContinuation<Void, Never>?
  var isWaitingForBus = false

  var isStopping = false
  /// Whether what happens to sensors is recorded: until the sessions are ended for good.
  var takesEvents = true
  var stopWaiter: CheckedContinuation<Void, Never>?
  /// Ended sessions whose commit failed; they are in the journal.
  var uncommitted: [UUID] = []
  /// What the journal is owed of sessions that have ended.
  var endings: [UUID: JournalBacklog] = [:]
  /// Commits that are under way.
  var commits: [UUID: Task<Void, Never>] = [:]
  var retryAt: BootInstant?
  /// Why the last write to the journal failed, and why the last sync did.
  var journalProblem: JournalError?
  var syncProblem: JournalError?
  var storeProblem: String?
  /// Its disk failed, or its file is not the one at its path: it has to be opened anew.
  var isStoreDoubtful = false
  var hasStoreVanished = false

  /// While values that waited during a stall are told.
  var stall: Stall?

  var timer: TimerToken?
  var timerInstant: BootInstant?

  /// What the first client inherits.
  var inheritedLinks: OwnLinks?
  var toldLinks: OwnLinks?
  var toldStatus: RecorderStatus?
  var toldStatusAt = BootInstant(microseconds: 0)
  var statusTimer: TimerToken?
  var isReady = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  public init(_ settings: RecorderSettings, on loop: EventLoop, clock: HostClock = .system) {
    self.settings = settings
    self.loop = loop
    self.clock = clock
    wallOffset = clock.wallMinusBoot()
    inheritedLinks = settings.inheritedLinks
    plan = ConnectionPlan(seed: UInt64(truncatingIfNeeded: clock.now().microseconds) ^ clock.boot.low)
  }

  /// Records until ``requestStop()``, then ends and commits every session.
  ///
  /// - Parameter ready: Called once when the store is locked for this recorder and the journal of an earlier run has been
  ///   read; the bus may still be missing, and is waited for.
  /// - Throws: ``RecorderFailure`` where it could not start, or left sessions that could not be committed.
  public func run(ready: @Sendable () -> Void) async throws(RecorderFailure) {
    tellStatus()
    let ended = try await start()
    loop.observeStalls { [weak self] since, until in
      self?.assumeIsolated { $0.stalled(since: since, until: until) }
    }
    isReady = true
    ready()
    log(.notice, "started; sensors allowed: \(channels.count)")
    // Beats of now are not to wait for the final passes of what has ended.
    for session in ended { commitSoon(session) }
    tellStatus()
    let bus = Task(executorPreference: loop) { await self.keepBus() }
    if !isStopping { await withCheckedContinuation { stopWaiter = $0 } }
    log(.notice, "stopping")
    tellStatus()
    await finish()
    loop.observeStalls(nil)
    leaveBus()
    // Nobody waits seconds for a bus that is not wanted any more.
    if isWaitingForBus { bus.cancel() }
    await bus.value
    for (session, backlog) in endings {
      tellLoss(backlog, upTo: nil, of: "session \(session.uuidString.lowercased())")
    }
    syncer?.stop()
    await store?.close()
    if !uncommitted.isEmpty { throw .uncommitted(sessions: uncommitted.count) }
  }

  /// Asks for the end, from any thread: sessions end, are committed, and ``run(ready:)`` returns.
  public nonisolated func requestStop() {
    loop.execute { self.assumeIsolated { $0.stop() } }
  }

  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    stopWaiter?.resume()
    stopWaiter = nil
  }

  /// Ends every session and waits until all are committed, as far as they can be.
  private func finish() async {
    takeLastEvents()
    let now = clock.now()
    var ended: [UUID] = []
    for address in channels.keys.sorted() {
      guard let session = channels[address]?.session, var channel = channels[address] else { continue }
      if let end = channel.machine.end(.shutdown, at: now).end { close(&channel, end) }
      channels[address] = channel
      ended.append(session)
    }
    for commit in commits.values { await commit.value }
    let waiting = uncommitted
    uncommitted = []
    for session in waiting + ended { await commit(session) }
  }

  /// What has arrived still belongs to its session, what arrives from now on to none.
  private func takeLastEvents() {
    client?.assumeIsolated { $0.tellWaitingValues() }
    takesEvents = false
  }

  func log(_ level: RecorderSettings.LogLevel, _ line: String) {
    settings.log(level, line)
  }
}
