public import FoundationEssentials
public import HealthModel
public import Sensors

/// Something that happens in a recorder, as its observers get it. Its values are provisional: what is stored comes from the
/// final pass over the session's events.
public struct RecorderEvent: Hashable, Sendable {
  public var kind: Kind
  /// The sensor that it is about; nil where it is about the recorder.
  public var sensor: SensorAddress?
  /// The session of that sensor that it belongs to; nil where none is open.
  public var session: UUID?
  /// When it happened, in microseconds since 1970 (UTC).
  public var time: Int64

  public init(_ kind: Kind, of sensor: SensorAddress? = nil, session: UUID? = nil, at time: Int64) {
    self.kind = kind
    self.sensor = sensor
    self.session = session
    self.time = time
  }

  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// A session began. `linkedTo` is the one that it goes on from, which had reached its greatest length.
    case sessionBegan(linkedTo: UUID?)
    case sessionEnded(SessionEndReason)
    /// A notification as it was sent: its rate in beats per minute, 0 where the sensor has none, its RR intervals in
    /// 1/1024 s, oldest first, and whether the sensor is on the skin; nil where it does not say.
    case measurement(beatsPerMinute: UInt16, rrTicks: [UInt16], contact: Bool?)
    /// The rate of a notification, in beats per minute (never 0), and whether the sensor is on the skin; nil where it does
    /// not say.
    case rate(beatsPerMinute: UInt16, contact: Bool?)
    /// A beat at about ``RecorderEvent/time``: the interval that ended with it, in 1/1024 s, and what is doubtful about it.
    case beat(rrTicks: UInt16, flags: Heartbeat.Flags)
    /// The rates of an open session completed an event; whether one is stored is known only at the session's end.
    case heartEvent(HeartEvent)
    /// Beats, or rates of a sensor without beats, are missing: so many gaps the session has now.
    case gap(count: Int)
    /// What the sensor does has changed.
    case state(SensorStatus.State)
    /// Values arrived that the journal could not take: how many, and for how long, in microseconds.
    case lost(values: Int, microseconds: Int64)
    /// What the recorder does now: at each change of state, and at most once a second for new values.
    case status(RecorderStatus)
    /// Another process has changed the store.
    case storeChanged
    /// The observer was too slow: so many events, the oldest that waited for it, are gone.
    case missed(Int)
  }
}

extension RecorderEvent {
  /// Kinds of events that an observer wants; nothing is worked out that nobody wants.
  public struct Interests: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Beginnings and ends of sessions, changes of state, and losses.
    public static let sessions = Interests(rawValue: 1)
    /// Rates, beats and gaps.
    public static let values = Interests(rawValue: 2)
    /// The whole status.
    public static let status = Interests(rawValue: 4)
    /// Notifications as they were sent.
    public static let measurements = Interests(rawValue: 8)
    /// Changes of the store by other processes.
    public static let store = Interests(rawValue: 16)
    /// Heart events.
    public static let heartEvents = Interests(rawValue: 32)
  }
}

extension RecorderEvent.Kind {
  /// The interest that it is for; ``RecorderEvent/Kind/missed(_:)`` is for all.
  var interest: RecorderEvent.Interests {
    switch self {
    case .sessionBegan, .sessionEnded, .state, .lost: .sessions
    case .rate, .beat, .gap: .values
    case .status: .status
    case .measurement: .measurements
    case .storeChanged: .store
    case .heartEvent: .heartEvents
    case .missed: [.sessions, .values, .status, .measurements, .store, .heartEvents]
    }
  }
}
