public import GATTHeartRate
public import HealthModel
public import Sensors

/// The recording state of one sensor: when its session begins and ends, and its provisional values meanwhile.
///
/// The machine looks at past events only, and its memory is constant however long a session is. The beats that are
/// stored come from the ``SessionTimeline`` of the same events.
///
/// A driver passes every event of the sensor in order, also while no session is open, and calls ``timeReached(_:)`` when
/// ``deadline`` passes. After a crash it calls ``begin(at:)`` of a new machine with the instant of the open session's first
/// journalled event, then passes the journalled events, then the present boot and clock.
public struct SessionMachine: Sendable {
  /// The present state of the sensor.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No session is open.
    case idle
    /// Measurements arrive.
    case measuring
    /// The link is up and nothing arrives.
    case silent
    /// The sensor reports that it is off the skin, and sends no intervals.
    case contactLost
    /// The link is down.
    case linkLost
  }

  public let limits: SessionLimits
  public internal(set) var phase: Phase = .idle
  /// The beginning of the phase; nil while idle.
  public internal(set) var phaseSince: BootInstant?
  /// The beginning of the open session.
  public internal(set) var sessionStart: BootInstant?
  /// Counts of the open session; where none is open, of the last one.
  public internal(set) var counts = SessionCounts()
  /// The last rate that is a heart rate (not 0), and its arrival.
  public internal(set) var beatsPerMinute: UInt16?
  public internal(set) var rateInstant: BootInstant?
  /// Whether the last event brought that rate. Another event may have the same instant.
  public internal(set) var bringsRate = false
  public internal(set) var contact: HeartRateMeasurement.Contact?
  public internal(set) var lastDisconnectReason: String?

  /// Events of the open session, including those that it opened with.
  var eventCount = 0
  var context = SessionContext()
  var live = LiveTimeline()
  var gaps = LiveGaps()
  /// The last measurement of the open session, or the session's beginning.
  var lastMeasurement: BootInstant?
  /// The last event of any kind. After a reboot all instants are moved into the new boot's time.
  var lastInstant: BootInstant?
  /// The end of the last stall of the recorder. Events with this instant waited meanwhile; limits are judged after them.
  var stallEnd: BootInstant?
  /// The instant at which the link went down, if nothing has been measured since, even if the link came up again.
  var awaySince: BootInstant?
  /// Whether the recorder or the machine was restarted within the open session, and the new boot's clock is not known
  /// yet.
  var isRestarting = false
  /// The wall time of the last event before a reboot, until the new boot's clock is known.
  var restartWall: Int64?
  /// Whether a program's session has the values of the sensor; this session goes on afterwards.
  var isPaused = false
  /// Whether the next session begins only with skin contact, because the last one ended off the skin.
  var waitsForSkin = false

  public init(limits: SessionLimits = .standard) {
    self.limits = limits
  }

  /// Whether a session is open.
  public var isRecording: Bool { phase != .idle }

  /// Battery level in percent, as last reported by the sensor.
  public var batteryPercent: UInt8? { context.batteryPercent }

  /// The beats of the last event; usually none, one or two. Provisional.
  public var beats: [LiveBeat] { live.beats }

  /// The instant at which ``timeReached(_:)`` must be called next, because something changes without an event. Nil if
  /// nothing can.
  ///
  /// The deadline moves with each measurement. A timer need not follow: it may fire at the old deadline and be set anew
  /// then.
  public var deadline: BootInstant? {
    guard !isPaused, let phaseSince, let lastMeasurement else { return nil }
    switch phase {
    case .idle: return nil
    case .measuring: return lastMeasurement.advanced(byMicroseconds: limits.silenceMicroseconds)
    case .silent:
      // A link that has just come up gets the full time to deliver a value.
      return max(
        lastMeasurement.advanced(byMicroseconds: limits.offSkinMicroseconds),
        phaseSince.advanced(byMicroseconds: min(3 * limits.silenceMicroseconds, limits.offSkinMicroseconds)))
    case .contactLost: return phaseSince.advanced(byMicroseconds: limits.offSkinMicroseconds)
    case .linkLost: return phaseSince.advanced(byMicroseconds: limits.awayMicroseconds)
    }
  }

  /// Adopts what another machine of the same sensor knows of its last value.
  public mutating func adoptValue(of other: SessionMachine) {
    beatsPerMinute = other.beatsPerMinute
    rateInstant = other.rateInstant
    contact = other.contact
  }

  /// The events with which a session must open, so that its events can be understood by themselves: boot, clock, whether
  /// the link is up, and the sensor's known properties. All have the instant of the session's beginning.
  public var preamble: [SensorEvent] {
    guard let sessionStart else { return [] }
    return context.events(at: sessionStart)
  }
}

/// The effect of an event, or of passing time, on the session of a sensor.
///
/// Both parts can be set: at its maximum length a session ends and a linked one begins; an event after a passed limit ends
/// the old session and may begin a new one. The end comes first. The event itself belongs to the session that began, else
/// to the one that is open, else to none.
public struct SessionTransition: Hashable, Sendable {
  public struct End: Hashable, Sendable {
    public var reason: SessionEndReason
    public var instant: BootInstant

    public init(reason: SessionEndReason, instant: BootInstant) {
      self.reason = reason
      self.instant = instant
    }
  }

  public struct Beginning: Hashable, Sendable {
    public var instant: BootInstant
    /// Whether it continues the session that ended in the same step.
    public var isLinked: Bool

    public init(instant: BootInstant, isLinked: Bool) {
      self.instant = instant
      self.isLinked = isLinked
    }
  }

  /// The open session ended.
  public var end: End?
  /// A session began: open it, then write ``SessionMachine/preamble`` and the event to it.
  public var beginning: Beginning?

  public init(end: End? = nil, beginning: Beginning? = nil) {
    self.end = end
    self.beginning = beginning
  }

  /// Nothing ended and nothing began.
  public static let none = SessionTransition()
}

/// The limits at which a session ends by itself.
public struct SessionLimits: Hashable, Sendable {
  /// The longest time for which the link may be down, in microseconds.
  public var awayMicroseconds: Int64
  /// The longest time for which the sensor may be off the skin, or silent, in microseconds.
  public var offSkinMicroseconds: Int64
  /// The maximum length of a session, in microseconds; a linked session follows.
  public var lengthMicroseconds: Int64
  /// The maximum number of events of a session; a linked session follows. A strap that sends one value a second makes
  /// 90,000 a day. A session is assembled in memory (150 MB for half a million events), which a device that floods must not
  /// exhaust.
  public var eventCount: Int
  /// After this time without a measurement, in microseconds, a sensor counts as silent.
  public var silenceMicroseconds: Int64

  public init(
    awayMicroseconds: Int64 = 300_000_000, offSkinMicroseconds: Int64 = 300_000_000,
    lengthMicroseconds: Int64 = 86_400_000_000, eventCount: Int = 500_000, silenceMicroseconds: Int64 = 10_000_000
  ) {
    self.awayMicroseconds = awayMicroseconds
    self.offSkinMicroseconds = offSkinMicroseconds
    self.lengthMicroseconds = lengthMicroseconds
    self.eventCount = eventCount
    self.silenceMicroseconds = silenceMicroseconds
  }

  /// Five minutes away, five minutes off the skin, 24 hours, half a million events.
  public static let standard = SessionLimits()
}

/// The counts of an open session so far.
public struct SessionCounts: Hashable, Sendable {
  /// Measurements, whatever they contained.
  public var notifications = 0
  /// Intervals received; each ends at a beat.
  public var beats = 0
  /// Runs begun.
  public var runs = 0
  /// Gaps between beats or, where there are no beats, between rates: provisional.
  public var gaps = 0
  /// Losses of the link.
  public var linkLosses = 0
  /// Values that were received and then lost by the recorder itself.
  public var lostValues = 0
  /// The number of measurements with each defect; a measurement can have several.
  public var defects: [PayloadDefect: Int64] = [:]

  public init() {}
}

/// The known state of a sensor, with or without an open session. A session opens with it.
struct SessionContext: Sendable {
  var boot: BootIdentifier?
  /// Wall clock minus boot clock; nil until it is known for the present boot.
  var clockOffset: Int64?
  var isLinked = false
  var information: [DeviceInformationField: String] = [:]
  var batteryPercent: UInt8?
  var location: UInt8?
  /// dBm, of the present link.
  var signal: Int16?

  mutating func update(with event: SensorEvent) {
    switch event.kind {
    case .boot(let identifier):
      if identifier != boot { clockOffset = nil }
      boot = identifier
      isLinked = false
      signal = nil
    case .clock(let offset): clockOffset = offset
    case .connected, .measurement: isLinked = true
    case .disconnected:
      isLinked = false
      signal = nil
    case .battery(let percent): batteryPercent = percent
    case .location(let value): location = value
    case .information(let field, let text): information[field] = text
    case .signal(let decibels): signal = decibels
    case .lost, .stalled, .marker, .paused, .continued, .ended: break
    }
  }

  /// The events that give a new session this context, in a fixed order.
  func events(at instant: BootInstant) -> [SensorEvent] {
    var events: [SensorEvent] = []
    if let boot { events.append(SensorEvent(.boot(boot), at: instant)) }
    if let clockOffset { events.append(SensorEvent(.clock(wallMinusBootMicroseconds: clockOffset), at: instant)) }
    if isLinked { events.append(SensorEvent(.connected, at: instant)) }
    for field in DeviceInformationField.allCases {
      if let text = information[field] { events.append(SensorEvent(.information(field, text), at: instant)) }
    }
    if let location { events.append(SensorEvent(.location(location), at: instant)) }
    if let batteryPercent { events.append(SensorEvent(.battery(percent: batteryPercent), at: instant)) }
    if let signal { events.append(SensorEvent(.signal(dBm: signal), at: instant)) }
    return events
  }
}
