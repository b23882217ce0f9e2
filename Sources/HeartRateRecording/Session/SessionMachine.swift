public import GATTHeartRate
public import Sensors

/// The session of one sensor while it is recorded: when it begins and ends, and what it looks like now.
///
/// Causal, in constant memory however long a session is. What it says of beats is provisional: the truth is the
/// ``SessionTimeline`` of the same events.
///
/// A driver gives it every event of the sensor in order, also while no session is open, and calls
/// ``timeReached(_:)`` when ``deadline`` passes. After a crash it calls ``begin(at:)`` of a fresh machine with the
/// instant of the open session's first journalled event, feeds it those events, then the present boot and clock.
public struct SessionMachine: Sendable {
  /// What the sensor does now.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No session is open.
    case idle
    /// Measurements arrive.
    case measuring
    /// The link is up and nothing arrives.
    case silent
    /// The sensor says that it is off the skin, and sends no intervals.
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
  /// What the open session has seen, or the last one where none is open.
  public internal(set) var counts = SessionCounts()
  /// The last rate that was one (not 0), and when it arrived.
  public internal(set) var beatsPerMinute: UInt16?
  public internal(set) var rateInstant: BootInstant?
  public internal(set) var contact: HeartRateMeasurement.Contact?
  public internal(set) var lastDisconnectReason: String?

  /// How many events the open session has, those that it opened with included.
  var eventCount = 0
  var context = SessionContext()
  var live = LiveTimeline()
  var gaps = LiveGaps()
  /// The last measurement of the open session, or its beginning.
  var lastMeasurement: BootInstant?
  /// The last event of any kind. After a restart all instants are moved into the new boot's time.
  var lastInstant: BootInstant?
  /// When the recorder ran again that had not for a while: what has this instant waited, and is heard before limits are judged.
  var stallEnd: BootInstant?
  /// The link went down then and nothing has been measured since, even if it came up.
  var awaySince: BootInstant?
  /// The recorder or the machine was started anew within the open session, and its clock is not known yet.
  var isRestarting = false
  /// The last event's wall time before the machine was started anew, until the new boot's clock is known.
  var restartWall: Int64?
  /// The last session ended off the skin: the next one waits for a sign of it.
  var waitsForSkin = false

  public init(limits: SessionLimits = .standard) {
    self.limits = limits
  }

  /// Whether a session is open.
  public var isRecording: Bool { phase != .idle }

  /// Percent, the last that the sensor told.
  public var batteryPercent: UInt8? { context.batteryPercent }

  /// The beats that the last event brought; usually none, one or two. Provisional.
  public var beats: [LiveBeat] { live.beats }

  /// When something changes without an event: call ``timeReached(_:)`` then. Nil while nothing can.
  ///
  /// It moves on with each measurement. A timer need not follow: let it fire at the old deadline and set it anew.
  public var deadline: BootInstant? {
    guard let phaseSince, let lastMeasurement else { return nil }
    switch phase {
    case .idle: return nil
    case .measuring: return lastMeasurement.advanced(byMicroseconds: limits.silenceMicroseconds)
    case .silent:
      // A link that has just come up has had no time to say anything.
      return max(
        lastMeasurement.advanced(byMicroseconds: limits.offSkinMicroseconds),
        phaseSince.advanced(byMicroseconds: min(3 * limits.silenceMicroseconds, limits.offSkinMicroseconds)))
    case .contactLost: return phaseSince.advanced(byMicroseconds: limits.offSkinMicroseconds)
    case .linkLost: return phaseSince.advanced(byMicroseconds: limits.awayMicroseconds)
    }
  }

  /// What a session must open with so that its events stand for themselves: boot, clock, whether the link is up, and
  /// what the sensor has told so far. All at the instant of the session's beginning.
  public var preamble: [SensorEvent] {
    guard let sessionStart else { return [] }
    return context.events(at: sessionStart)
  }
}
