import RecorderBus
package import DBus
package import HealthModel
package import Ingestion
import SeriesStore
import Synchronization
import Timeline

/// The door of a running recorder: `org.sensord` on a message bus, for other programs.
///
/// The door has a connection and a thread of its own, so that no flood of calls delays a heartbeat.
/// ``Clients/ClientRegistry`` decides what a client may have; the door decides nothing. While no client is connected
/// the door reads nothing; while nobody subscribes it receives no values from the recorder.
package actor Door {
  package nonisolated let loop: EventLoop
  /// Whether the loop's thread was started.
  private nonisolated let isStarted = Atomic<Bool>(false)
  let recorder: Recorder
  nonisolated let settings: DoorSettings
  var registry: ClientRegistry

  /// Nil while there is no bus.
  var connection: Connection?
  /// The end of the bus is waited for.
  var busEnd: CheckedContinuation<Void, Never>?
  var isClosing = false
  /// The last line about the bus; the same line is not logged twice in a row.
  var lastProblem = ""
  /// The number of times that the bus has not let this user own the name.
  var denials = 0

  /// Calls of connections that are not known yet, or whose grants have not been read.
  var arrivals: Arrivals
  /// Whether the grants are those of the store.
  var hasGrants = false
  /// Why they could not be read the last time; nil where they could.
  var grantsProblem: StoreError?
  var isReadingLater = false
  /// Calls that wait for the owner.
  var requests: [UInt64: ClientCall] = [:]
  var lastRequest: UInt64 = 0
  /// Calls that are answered when something is stored, each with the timer that answers it before.
  var waiting: [UInt64: (call: Message, timer: TimerToken)] = [:]
  var lastWaiting: UInt64 = 0

  /// The tasks that follow the recorder's values, and its store.
  var values: Task<Void, Never>?
  var storeChanges: Task<Void, Never>?
  /// The recorder's status of a moment ago, and the closures that wait for the next one.
  var status: (value: RecorderStatus, at: BootInstant)?
  var statusWaiters: [@Sendable (RecorderStatus) -> Void] = []
  /// Answers of queries that are being sent.
  var answers: [UInt64: (pipe: AnswerSender, reading: ClientReading)] = [:]
  /// The tasks that follow changes of the store for the connections that observe them.
  var observers: [String: ChangeObserver] = [:]
  /// Calls of `Observe` that are answered when changes are followed.
  var observeCalls: [String: [ClientCall]] = [:]
  /// The state of the registry that answers and observers are for.
  var seenRevision = 0
  var timer: (token: TimerToken, instant: BootInstant)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// A door that is shut until ``open()``.
  ///
  /// - Throws: ``DBus/DBusError`` where the system has no descriptors left.
  package init(_ settings: DoorSettings, of recorder: Recorder) throws(DBusError) {
    self.settings = settings
    self.recorder = recorder
    loop = try EventLoop()
    arrivals = Arrivals(settings.limits)
    registry = ClientRegistry(
      owners: settings.owners, inAdvance: settings.inAdvance, limits: settings.limits,
      isType: { SampleType(identifier: $0) != nil })
  }

  /// Goes to the bus, and back to it whenever it has gone, until ``close()``; from any thread, once the recorder is ready.
  ///
  /// The thread is started here, when the process has blocked the signals that it waits for: one that did not block them would
  /// be killed by them.
  package nonisolated func open() {
    do throws(DBusError) {
      try loop.startThread(named: "door")
      isStarted.store(true, ordering: .sequentiallyConsistent)
      loop.execute { AnswerSender.blockSignal() }
      Task(executorPreference: loop) {
        await self.adoptSessions()
        await self.adoptWorkouts()
        await self.keepBus()
      }
    } catch {
      settings.log(.warning, "closed to other programs: \(error.description)")
    }
  }

  /// Tells subscribers that the recorder ends; from any thread.
  package nonisolated func recorderStops() {
    loop.execute {
      self.assumeIsolated { $0.perform($0.registry.recorderStops()) }
    }
  }

  /// Leaves the bus, and ends the thread.
  package nonisolated func close() async {
    guard isStarted.load(ordering: .sequentiallyConsistent) else { return }
    await leave()
    loop.stop()
  }

  private func leave() async {
    isClosing = true
    values?.cancel()
    storeChanges?.cancel()
    for answer in answers.values { answer.pipe.cut() }
    for observer in observers.values { observer.task?.cancel() }
    if let connection {
      // When the bus has answered it has everything that was sent before.
      _ = try? await connection.call(
        .call(
          "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
          member: "ReleaseName", body: [.string(ClientInterfaces.busName)]), timeout: .seconds(1))
      await connection.close()
    }
    connection = nil
    busEnd?.resume()
    busEnd = nil
  }

  var now: BootInstant { BootInstant(microseconds: BootClock.now()) }

  /// Applies the consequences that every change of the clients may have: whether the recorder and its store are
  /// followed, and the next timer.
  func settle() {
    followValues()
    followStore()
    if registry.revision != seenRevision {
      seenRevision = registry.revision
      cutAnswers()
      followChanges()
    }
    armTimer()
  }

  func armTimer() {
    guard let deadline = registry.deadline else { return }
    if let timer {
      // The timer may fire too early, and is set anew then: values move the deadline all the time.
      guard deadline < timer.instant else { return }
      loop.cancel(timer.token)
    }
    let token = loop.schedule(at: deadline.microseconds) { [weak self] in
      self?.assumeIsolated {
        $0.timer = nil
        $0.perform($0.registry.timeReached($0.now))
        $0.armTimer()
      }
    }
    timer = (token, deadline)
  }
}

/// Everything that a ``Door`` is given from outside.
package struct DoorSettings: Sendable {
  /// The bus on which it owns its name.
  package var bus: BusAddress
  /// The owners of the recorder.
  package var owners: Owners
  /// The configuration's decisions about clients.
  package var inAdvance: [Grant]
  package var limits = ClientLimits()
  /// The version of the program.
  package var version: String
  /// Called on the door's thread, with one line each, never with health data or a client's text in it.
  package var log: @Sendable (RecorderSettings.LogLevel, String) -> Void

  package init(
    bus: BusAddress, owners: Owners, inAdvance: [Grant] = [], version: String,
    log: @escaping @Sendable (RecorderSettings.LogLevel, String) -> Void = { _, _ in }
  ) {
    self.bus = bus
    self.owners = owners
    self.inAdvance = inAdvance
    self.version = version
    self.log = log
  }
}
