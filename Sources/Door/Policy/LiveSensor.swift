import HealthModel
import Timeline

/// A sensor as live subscribers see it: its state, and whether its last value is recent enough for that.
struct LiveSensor {
  /// The time after a beat that was due, after which a sensor is stale.
  static let patience: Int64 = 3_000_000

  /// As the recorder sees it; never stale.
  private(set) var recorded: SentState
  private(set) var isStale = false
  /// When it becomes stale; nil where nothing is due.
  private(set) var staleAt: BootInstant?

  init(_ state: SentState) {
    recorded = state
  }

  /// The state that is reported to subscribers.
  var state: SentState { isStale ? .stale : recorded }

  /// The recorder sees it so from now on.
  mutating func change(to state: SentState) {
    recorded = state
    isStale = false
    if state != .measuring { staleAt = nil }
  }

  /// A value arrived at `now`; the next beat is due one interval later.
  mutating func measured(beatsPerMinute: UInt16, rrTicks: [UInt16], at now: BootInstant) {
    isStale = false
    let interval: Int64 =
      if let last = rrTicks.last {
        Int64(last) * 1_000_000 / 1024
      } else if beatsPerMinute > 0 {
        60_000_000 / Int64(beatsPerMinute)
      } else {
        1_000_000
      }
    staleAt = now.advanced(byMicroseconds: interval + Self.patience)
  }

  /// Whether it has become stale by `now`.
  mutating func becomesStale(by now: BootInstant) -> Bool {
    guard let instant = staleAt, instant <= now else { return false }
    staleAt = nil
    guard recorded == .measuring else { return false }
    isStale = true
    return true
  }
}

/// The live values that one client wants, and may have.
struct LiveSubscription {
  /// Nil for all.
  let sensors: Set<SensorAddress>?
  /// Permissions by the owner to read rates, and intervals.
  var readsRates: Bool
  var readsBeats: Bool
  /// Kinds of heart events.
  var readsEvents: Set<HeartEvent.Kind>
  private(set) var sequence: UInt64 = 0
  /// Values that it did not get since the last that it got.
  private var missed: UInt64 = 0

  init(sensors: Set<SensorAddress>?, readsRates: Bool, readsBeats: Bool, readsEvents: Set<HeartEvent.Kind> = []) {
    self.sensors = sensors
    self.readsRates = readsRates
    self.readsBeats = readsBeats
    self.readsEvents = readsEvents
  }

  /// Whether such an event of a sensor is for it.
  func covers(_ kind: HeartEvent.Kind, of sensor: SensorAddress) -> Bool {
    readsEvents.contains(kind) && sensors?.contains(sensor) != false
  }

  /// Whether anything that it may read can come.
  var readsAnything: Bool { readsRates || readsBeats || !readsEvents.isEmpty }

  /// Whether values and states of a sensor are for it.
  func covers(_ sensor: SensorAddress) -> Bool {
    (readsRates || readsBeats) && sensors?.contains(sensor) != false
  }

  /// A value that is for it, as it gets it.
  mutating func next(_ value: SentMeasurement) -> SentMeasurement {
    sequence += 1
    defer { missed = 0 }
    var own = value
    own.sequence = sequence
    own.missed = missed
    if !readsRates { own.beatsPerMinute = 0 }
    if !readsBeats { own.rrTicks = [] }
    return own
  }

  /// So many values do not reach it.
  mutating func lost(_ count: Int) {
    guard readsRates || readsBeats else { return }
    sequence += UInt64(count)
    missed += UInt64(count)
  }
}

/// A measure of whether a connection reads the messages that are sent to it. Unread messages stay in the memory of the
/// bus.
///
/// An answer to a ping shows that the connection reads: everything that was sent before is read then. One ping is under
/// way at most.
struct Reception {
  private let limits: ClientLimits
  /// Bytes that were sent and that it has not shown to have read.
  private(set) var unread = 0
  /// The answer to a ping is overdue.
  private(set) var isPaused = false
  /// A sensor's state was not sent while it did not read.
  var lacksStates = false
  /// The time of the last message from it; nil before its first call.
  private var heard: BootInstant?
  /// The time since which an answer is missing.
  private var owes: BootInstant?
  /// The ping that is under way: the bytes that were unread when it was sent.
  private var questioned: Int?
  private var lastPing: BootInstant?

  init(_ limits: ClientLimits) {
    self.limits = limits
  }

  /// Finds out whether an answer is overdue at `now`.
  mutating func update(at now: BootInstant) {
    if let owes, now.microseconds(since: owes) >= limits.patience { isPaused = true }
  }

  /// So many bytes are sent to it.
  mutating func sent(_ bytes: Int) {
    unread += bytes
  }

  /// Whether it has to be asked at `now`; then the ping is under way.
  mutating func asks(at now: BootInstant) -> Bool {
    guard questioned == nil else { return false }
    // If the bus did not deliver a ping, the next one waits as long.
    let isSilent = [heard, lastPing].allSatisfy { $0.map { now.microseconds(since: $0) >= limits.silence } ?? true }
    guard isSilent || (owes == nil && unread >= limits.unquestionedBytes) else { return false }
    questioned = unread
    lastPing = now
    if owes == nil { owes = now }
    return true
  }

  /// Receives a call at `now`, which shows that the client lives. Whether the client reads is not known, so an answer
  /// that is missing stays missing.
  ///
  /// - Returns: Whether it was paused.
  mutating func called(at now: BootInstant) -> Bool {
    heard = now
    owes = questioned == nil ? nil : now
    defer { isPaused = false }
    return isPaused
  }

  /// Receives the answer to the ping.
  ///
  /// - Returns: Whether it was paused, or lacked states.
  mutating func answered(at now: BootInstant) -> Bool {
    unread -= questioned ?? 0
    questioned = nil
    owes = nil
    heard = now
    defer { (isPaused, lacksStates) = (false, false) }
    return isPaused || lacksStates
  }

  /// The bus did not deliver the ping, or lost the answer: nothing is known, and it is asked again.
  mutating func pingFailed() {
    questioned = nil
  }
}

/// The unread bytes in the bus, by client and by user: all connections of one may have more than a single connection,
/// but not as much as the sum of their limits.
struct UnsentBacklog {
  private let limits: ClientLimits
  /// Nil while so little waits that nobody can have too much.
  private var ofClients: [ClientIdentity: Int]?
  private var ofUsers: [UInt32: Int] = [:]

  init(_ clients: some Collection<ConnectedClient>, _ limits: ClientLimits) {
    self.limits = limits
    guard clients.reduce(0, { $0 + $1.reception.unread }) >= min(limits.unreadBytesOfClient, limits.unreadBytesOfUser)
    else { return }
    ofClients = [:]
    for client in clients { count(client.reception.unread, for: client) }
  }

  /// Whether a client may be sent more.
  func mayGrow(_ client: ConnectedClient) -> Bool {
    guard !client.reception.isPaused, client.reception.unread < limits.unreadBytes else { return false }
    return ofClients?[client.identity] ?? 0 < limits.unreadBytesOfClient
      && ofUsers[client.uid] ?? 0 < limits.unreadBytesOfUser
  }

  /// Adds bytes that are sent to a client.
  mutating func add(_ bytes: Int, for client: ConnectedClient) {
    if ofClients != nil { count(bytes, for: client) }
  }

  private mutating func count(_ bytes: Int, for client: ConnectedClient) {
    ofClients?[client.identity, default: 0] += bytes
    ofUsers[client.uid, default: 0] += bytes
  }
}
