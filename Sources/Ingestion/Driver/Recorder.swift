import BlueZ
public import Captures
public import DBus
import FoundationEssentials
public import SeriesStore
import Timeline

/// The daemon: records the allowed sensors until it is asked to stop.
///
/// The recorder carries out and decides nothing: each event is passed to a value that decides, and the actions that the
/// value returns are done. ``Sensors`` have ``ConnectionPlan``, which decides which sensor to connect, and ``SensorRecording``: what an
/// event means for a sensor's session; ``OpenWorkouts`` how long a workout goes on and who learns of its end;
/// ``InsertedSeries`` what programs may insert; ``RecorderCondition`` what is wrong; ``CommitQueue`` which session is committed
/// when. ``BusKeeper``, ``StoreFollower`` and ``ClockKeeper`` keep to the bus, the store's file and the wall clock.
///
/// Everything happens on the loop's thread in the order in which it came. The way of a notification and of a lost link is in
/// `Recorder+Events.swift`.
public actor Recorder {
  nonisolated let loop: EventLoop
  let settings: RecorderSettings
  let clock: HostClock

  /// The store and the journal; set by `open()`, before anything uses them.
  package var files: OpenFiles?
  /// From the start of the recording to its end.
  var store: StoreFollower?
  var wallClock: ClockKeeper?
  var bus: BusKeeper?

  // The values that decide.
  var sensors: Sensors
  var workouts = OpenWorkouts()
  var series: InsertedSeries
  var condition = RecorderCondition()
  var commitQueue = CommitQueue()
  var requests = SessionRequests()
  var statusSchedule = StatusSchedule()

  // Work under way.
  var timer: (token: TimerToken, instant: BootInstant)?
  var commits: [UUID: Task<Void, Never>] = [:]
  /// The wait for the end of the recording.
  var stopRequest: CheckedContinuation<Void, Never>?

  nonisolated let observers = RecorderObservers()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  public init(_ settings: RecorderSettings, on loop: EventLoop, clock: HostClock = .system) {
    self.settings = settings
    self.loop = loop
    self.clock = clock
    series = InsertedSeries(limits: settings.clientData)
    sensors = Sensors(
      settings, boot: clock.boot, wallMinusBoot: clock.wallMinusBoot(),
      seed: UInt64(truncatingIfNeeded: clock.now().microseconds) ^ clock.boot.low)
  }

  deinit {
    // Of a recorder that never ran; else they ended with the recording.
    observers.finish()
  }

  /// Records until ``requestStop()``, then ends and commits every session.
  ///
  /// - Parameter ready: Called once when the store is locked for this recorder and the journal of an earlier run has been
  ///   read; the bus may still be missing, and is waited for.
  /// - Throws: ``RecorderFailure`` where it could not start, or left sessions that could not be committed.
  public func run(ready: @Sendable () -> Void) async throws(RecorderFailure) {
    defer {
      observers.finish()
      // Each of these holds the recorder, so neither the recorder nor the system's watch would ever be released.
      bus = nil
      store = nil
      wallClock = nil
    }
    publishStatus()
    let ended = try await open()
    loop.observeStalls { [weak self] since, until in
      self?.assumeIsolated { $0.stalled(since: since, until: until) }
    }
    if !isStopping { condition.phase = .running }
    ready()
    log(.notice, "started; sensors allowed: \(sensors.recordings.count)")
    // Beats of now are not to wait for the final passes of what has ended.
    for session in ended { commitSoon(session) }
    publishStatus()
    let bus = BusKeeper(
      settings, on: loop, report: { news in self.assumeIsolated { $0.busChanged(news) } },
      handle: { event in self.assumeIsolated { $0.handle(event) } })
    self.bus = bus
    if isStopping { await bus.stop() }
    let connection = Task(executorPreference: loop) { await bus.run() }
    if !isStopping { await withCheckedContinuation { stopRequest = $0 } }
    log(.notice, "stopping")
    publishStatus()
    await finish()
    loop.observeStalls(nil)
    await bus.leave()
    if await bus.isWaiting { connection.cancel() }
    await connection.value
    for (session, loss) in commitQueue.losses { log(loss.line(of: "session \(session.uuidString.lowercased())")) }
    files?.syncer.stop()
    await files?.store.close()
    if !commitQueue.waiting.isEmpty { throw .uncommitted(sessions: commitQueue.waiting.count) }
  }

  /// Asks for the end, from any thread: sessions end, are committed, and ``run(ready:)`` returns.
  public nonisolated func requestStop() {
    loop.execute { self.assumeIsolated { $0.stop() } }
  }

  var isStopping: Bool { condition.phase >= .stopping }

  /// The recorder's store, for who shares it; nil before the recorder is ready.
  package var openStore: HealthStore? { files?.store }

  private func stop() {
    guard !isStopping else { return }
    condition.phase = .stopping
    bus?.assumeIsolated { $0.stop() }
    stopRequest?.resume()
    stopRequest = nil
  }

  /// Ends every session and waits until all are committed, as far as they can be.
  private func finish() async {
    readLastEvents()
    let now = clock.now()
    followClock(at: now)
    var ended: [UUID] = []
    for index in sensors.recordings.indices {
      guard let ending = sensors.recordings[index].end(.shutdown, at: now) else { continue }
      end(ending, of: index)
      ended.append(ending.session)
    }
    ended += series.interruptAll()
    // Workouts that go on do so with the next recorder.
    for ending in workouts.endRecoveries(.shutdown, at: clock.now()) {
      perform(ending)
      ended.append(ending.workout.identifier)
    }
    await commitsEnded()
    let all = commitQueue.all() + ended
    for session in all where !workouts.isOver(session) { await commit(session) }
    for workout in all where workouts.isOver(workout) { await commit(workout) }
    for answer in workouts.finish() { answer.give() }
  }

  /// Reads the values that have arrived, which still belong to their session; later ones belong to none.
  private func readLastEvents() {
    bus?.assumeIsolated { $0.readWaitingValues() }
    condition.phase = .ended
  }

  func log(_ level: RecorderSettings.LogLevel, _ line: String) {
    settings.log(level, line)
  }

  func log(_ line: LogLine?) {
    if let line { settings.log(line.level, line.text) }
  }
}

/// Why a recorder could not start, or could not store what it recorded.
public enum RecorderFailure: Error, Sendable {
  case store(StoreError)
  case journal(JournalError)
  /// The kernel gave no descriptors or no thread.
  case system(DBusError)
  /// The folder of the store cannot be made: its path and the system's error number.
  case folder(path: String, errorNumber: Int32)
  /// Sessions that ended could not be committed; they are safe in the journal, and the next start commits them.
  case uncommitted(sessions: Int)
}
