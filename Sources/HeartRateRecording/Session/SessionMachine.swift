public import GATTHeartRate
public import Sensors

/// The session of one sensor while it is recorded: when it begins and ends, and what it looks like now.
///
/// Causal, in constant memory however long a session is. What it says of beats is provisional: the truth is the
/// ``SessionTimeline`` of the same events.
///
/// A driver gives it every event of the sensor in order, before it writes the event to the journal, and calls
/// ``timeReached(_:)`` when ``deadline`` passes. After a crash it feeds the journalled events of the open session to a
/// fresh machine, and goes on.
public struct SessionMachine: Sendable {
  /// What the sensor does now.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No session is open.
    case idle
    /// Measurements arrive.
    case measuring
    /// The link is up and nothing arrives.
    case silent
    /// Measurements arrive and say that the sensor is off the skin.
    case contactLost
    /// The link is down.
    case linkLost
  }

  public let limits: SessionLimits
  public private(set) var phase: Phase = .idle
  /// Since when the phase has lasted.
  public private(set) var phaseSince: BootInstant?
  /// When the open session began.
  public private(set) var sessionStart: BootInstant?
  /// When something changes without an event: call ``timeReached(_:)`` then. Nil while nothing can.
  public private(set) var deadline: BootInstant?
  public private(set) var counts = SessionCounts()
  /// The last rate that was one (not 0), and when it arrived.
  public private(set) var beatsPerMinute: UInt16?
  public private(set) var rateInstant: BootInstant?
  public private(set) var contact: HeartRateMeasurement.Contact?
  /// Percent.
  public private(set) var batteryPercent: UInt8?
  public private(set) var lastDisconnectReason: String?
  /// The beats that the last event brought; usually none, one or two. Provisional.
  public private(set) var beats: [LiveBeat] = []

  public init(limits: SessionLimits = .standard) {
    self.limits = limits
  }

  /// Whether a session is open.
  public var isRecording: Bool { phase != .idle }

  /// Takes the sensor's next event. Instants must not decrease within one boot.
  public mutating func handle(_ event: SensorEvent) -> SessionTransition {
    .none
  }

  /// Tells that the time is `instant` now. Does nothing before ``deadline``.
  public mutating func timeReached(_ instant: BootInstant) -> SessionTransition {
    .none
  }

  /// Begins a session before the first measurement, because somebody asked for it. Does nothing while one is open.
  public mutating func begin(at instant: BootInstant) -> SessionTransition {
    .none
  }

  /// Ends the open session, if there is one, for `reason`: `request` or `shutdown`.
  public mutating func end(_ reason: SessionEndReason, at instant: BootInstant) -> SessionTransition {
    .none
  }

  /// What a session must open with so that its events stand for themselves: boot, clock, whether the link is up, and
  /// what the sensor has told so far. All at the instant of the session's beginning.
  public var preamble: [SensorEvent] { [] }
}
