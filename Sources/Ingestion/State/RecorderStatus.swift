public import Timeline

/// The present status of a recorder: the answer to `sensord status`.
///
/// A value without clocks in it: ages are for the reader to work out, so that stale is shown as stale.
public struct RecorderStatus: Hashable, Sendable {
  public var state: RecorderState
  /// The problem and its remedy, in one line; nil if nothing is wrong.
  public var problem: String?
  /// The allowed sensors, by address.
  public var sensors: [SensorStatus]
  /// Values that the journal refused and that are in memory only, of all sensors; a kill loses them.
  public var valuesInMemory = 0
  /// Stored sessions and workouts whose dates are in doubt, since the clock was not set.
  public var doubtful = 0

  public init(state: RecorderState, problem: String?, sensors: [SensorStatus]) {
    self.state = state
    self.problem = problem
    self.sensors = sensors
  }
}

/// The one thing that matters most about a recorder; the raw values are those of the status file.
public enum RecorderState: String, Hashable, Sendable, CaseIterable {
  /// The journal of an earlier run is being read.
  case starting
  /// No message bus answers.
  case noBus
  /// The bus is there, bluetoothd is not.
  case noBluetoothService
  /// The bus refuses to let this user talk to bluetoothd.
  case noPermission
  /// bluetoothd has no adapter.
  case noAdapter
  /// There is an adapter, and it is switched off.
  case adapterOff
  /// Nobody has added a sensor.
  case noSensorAllowed
  /// Waiting for an allowed sensor.
  case searching
  /// At least one session is open.
  case recording
  /// Sessions are being ended and committed.
  case stopping
}

/// One allowed sensor as the recorder sees it.
public struct SensorStatus: Hashable, Sendable {
  /// The raw values are those of the status file.
  public enum State: String, Hashable, Sendable, CaseIterable {
    case absent, connecting, linked, measuring, silent, contactLost, linkLost
  }

  public var address: SensorAddress
  public var name: String?
  public var state: State
  /// Since when, in microseconds since 1970 (UTC).
  public var since: Int64
  /// The open session's UUID and its start, in microseconds since 1970 (UTC).
  public var session: String?
  public var sessionStart: Int64?
  /// The last rate, and when it arrived in microseconds since 1970 (UTC).
  public var beatsPerMinute: UInt16?
  public var rateAt: Int64?
  /// Nil if the sensor does not report it.
  public var contact: Bool?
  /// Percent.
  public var battery: UInt8?
  /// Counts of the open session.
  public var notifications: Int
  public var beats: Int
  /// Gaps of the open session so far: of a sensor without intervals as many as will be stored, of beats provisional.
  public var gaps: Int
  /// The number of times that the link was lost.
  public var losses: Int
  /// Notifications that were no heart rate measurement.
  public var junk: Int
  /// Values that neither the journal nor the memory could store, and for how long, in microseconds.
  public var lostValues: Int
  public var lostMicroseconds: Int64
  /// The quality of the open session's beats so far; nil before the first judgement, and while no session is open.
  public var provisional: ProvisionalQuality?
  public var lastDisconnectReason: String?
  /// Why no values come although the sensor is there, and what to do about it, in one line; nil where nothing is wrong.
  public var problem: String?
  /// A near sensor with the same full name that is not listed: perhaps this one, with another address. Nil unless this one is away.
  public var namesake: SensorAddress?
  /// When the next connection attempt is due, in microseconds since 1970 (UTC).
  public var nextTry: Int64?

  public init(address: SensorAddress, name: String?, state: State, since: Int64) {
    self.address = address
    self.name = name
    self.state = state
    self.since = since
    notifications = 0
    beats = 0
    gaps = 0
    losses = 0
    junk = 0
    lostValues = 0
    lostMicroseconds = 0
  }
}

/// Decides when a status is published: a change of state at once, new values at most once a second. Pure.
struct StatusSchedule {
  /// A decision about a status.
  enum Decision: Hashable {
    /// The status is the one that was published last.
    case unchanged
    case publish
    /// Values alone have changed: publish what holds at ``StatusSchedule/nextAt``.
    case wait
  }

  private var published: RecorderStatus?
  private var publishedAt = BootInstant(microseconds: 0)
  /// New values wait for ``nextAt``.
  private var isWaiting = false

  /// Microseconds.
  static let interval: Int64 = 1_000_000

  /// When new values are published at the earliest.
  var nextAt: BootInstant { publishedAt.advanced(byMicroseconds: Self.interval) }

  /// Whether new values are published too.
  func isDue(at now: BootInstant) -> Bool {
    now.microseconds(since: publishedAt) >= Self.interval
  }

  mutating func decide(_ status: RecorderStatus, at now: BootInstant) -> Decision {
    guard status != published else { return .unchanged }
    guard isDue(at: now) || published.map({ !status.hasSameStates(as: $0) }) ?? true else { return .wait }
    published = status
    publishedAt = now
    return .publish
  }

  /// New values wait until they may be published; returns when, unless others wait already.
  mutating func wait() -> BootInstant? {
    guard !isWaiting else { return nil }
    isWaiting = true
    return nextAt
  }

  /// The time has come for what waited.
  mutating func waited() {
    isWaiting = false
  }

  /// Somebody has joined who knows no status: the next one is published whatever it is.
  mutating func forget() {
    published = nil
  }
}

extension RecorderStatus {
  /// Whether two statuses differ in values only.
  fileprivate func hasSameStates(as other: RecorderStatus) -> Bool {
    state == other.state && problem == other.problem && sensors.count == other.sensors.count
      && zip(sensors, other.sensors).allSatisfy { first, second in
        first.address == second.address && first.state == second.state && first.session == second.session
          && first.problem == second.problem && first.namesake == second.namesake
      }
  }
}
