public import GATTHeartRate
public import Sensors

/// The recording state of one sensor: when its session begins and ends, and its provisional values meanwhile.
///
/// It looks at past events only, and its memory is constant however long a session is. The beats that are stored come from
/// the ``SessionTimeline`` of the same events.
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
  /// Since when the phase has lasted; nil while idle.
  public internal(set) var phaseSince: BootInstant?
  /// When the open session began.
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
  /// When the link went down, if nothing has been measured since, even if the link came up again.
  var awaySince: BootInstant?
  /// The recorder or the machine was restarted within the open session, and the new boot's clock is not known yet.
  var isRestarting = false
  /// The wall time of the last event before a reboot, until the new boot's clock is known.
  var restartWall: Int64?
  /// A program's session has the values of the sensor; this session goes on afterwards.
  var isPaused = false
  /// The last session ended off the skin: the next one begins only with skin contact.
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

  /// When ``timeReached(_:)`` must be called next, because something changes without an event. Nil if nothing can.
  ///
  /// It moves with each measurement. A timer need not follow: it may fire at the old deadline and be set anew then.
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
