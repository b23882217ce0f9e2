public import FoundationEssentials
import GATTHeartRate
public import HealthModel
public import Timeline

/// Something that happens in a recorder, as its observers get it. Its values are provisional: what is stored comes from the
/// final pass over the session's events.
public struct RecorderEvent: Hashable, Sendable {
  public var kind: Kind
  /// The sensor that it is about; nil where it is about the recorder.
  public var sensor: SensorAddress?
  /// The session of that sensor that it belongs to; nil between sessions.
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
    /// 1/1024 s, oldest first, and whether the sensor is on the skin; nil if the sensor does not report it.
    case measurement(beatsPerMinute: UInt16, rrTicks: [UInt16], contact: Bool?)
    /// The rate of a notification, in beats per minute (never 0), and whether the sensor is on the skin; nil if the
    /// sensor does not report it.
    case rate(beatsPerMinute: UInt16, contact: Bool?)
    /// A beat at about ``RecorderEvent/time``: the interval that ended with it, in 1/1024 s, and what is doubtful about it.
    case beat(rrTicks: UInt16, flags: Heartbeat.Flags)
    /// The rates of an open session completed an event; whether one is stored is known only at the session's end.
    case heartEvent(HeartEvent)
    /// Beats, or rates of a sensor without beats, are missing: so many gaps the session has now.
    case gap(count: Int)
    /// The sensor's state has changed.
    case state(SensorStatus.State)
    /// Values arrived that the journal could not store: their number, and for how long, in microseconds.
    case lost(values: Int, microseconds: Int64)
    /// The recorder's status: at each change of state, and at most once a second for new values.
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

extension SensorRecording {
  /// Returns the events for observers that follow from the one that ``handle(_:at:session:)`` has just handled, in
  /// order, without the end of a session.
  ///
  /// - Parameters:
  ///   - step: The step that was returned then.
  ///   - offset: The wall clock's lead over the boot clock, in microseconds.
  /// - Returns: The events; empty if no session is open.
  func news(of step: Step, wallMinusBoot offset: Int64) -> [RecorderEvent] {
    guard let session, let entry = step.entry, let now = lastInstant else { return [] }
    var news: [RecorderEvent] = []
    func add(_ kind: RecorderEvent.Kind, at instant: BootInstant) {
      news.append(RecorderEvent(kind, of: address, session: session.id, at: instant.microseconds &+ offset))
    }
    var known = step.gapsBefore
    if case .beginning(_, let previous, _, _) = entry {
      known = 0
      add(.sessionBegan(linkedTo: previous), at: now)
    }
    // When a paused session goes on, the count before is the count of the program's session.
    if machine.counts.gaps > known, !entry.isContinuation { add(.gap(count: machine.counts.gaps), at: now) }
    if machine.bringsRate, let rate = machine.beatsPerMinute {
      add(.rate(beatsPerMinute: rate, contact: contact), at: now)
    }
    for event in step.heartEvents { add(.heartEvent(event.shifted(byMicroseconds: offset)), at: now) }
    for beat in machine.beats { add(.beat(rrTicks: beat.rrTicks, flags: beat.flags), at: beat.instant) }
    return news
  }

  /// A notification of the open session as it was sent; nil if it is no measurement.
  func measurement(_ bytes: [UInt8], wallMinusBoot offset: Int64) -> RecorderEvent? {
    guard let session = session?.id, let instant = lastInstant, let value = try? HeartRateMeasurement(decoding: bytes)
    else { return nil }
    let contact: Bool? =
      switch value.contact {
      case .detected: true
      case .notDetected: false
      case .notSupported: nil
      }
    return RecorderEvent(
      .measurement(beatsPerMinute: value.beatsPerMinute, rrTicks: value.rrTicks, contact: contact),
      of: address, session: session, at: instant.microseconds &+ offset)
  }

  /// The end of a session of the sensor.
  func news(of ending: SessionEnding, wallMinusBoot offset: Int64) -> RecorderEvent {
    RecorderEvent(
      .sessionEnded(ending.reason), of: address, session: ending.session, at: ending.instant.microseconds &+ offset)
  }

  /// A loss of values in a session of the sensor; nil without one. `wall` is the wall clock's time.
  func news(of loss: JournalLoss, session: UUID, at wall: Int64) -> RecorderEvent? {
    guard loss.values > 0 else { return nil }
    return RecorderEvent(
      .lost(values: loss.values, microseconds: loss.microseconds), of: address, session: session, at: wall)
  }
}

extension HeartEvent {
  /// The same on a clock that leads by so much.
  fileprivate func shifted(byMicroseconds offset: Int64) -> HeartEvent {
    var event = self
    let start = span.start.advanced(byMicroseconds: offset)
    event.span = TimeSpan(start: start, end: span.end.advanced(byMicroseconds: offset)) ?? TimeSpan(at: start)
    return event
  }
}

extension JournalEntry {
  /// Whether a paused session goes on with it.
  fileprivate var isContinuation: Bool {
    if case .continued? = events.last?.kind { true } else { false }
  }
}

/// Looks for low and high rates in an open session, to report them at once. Provisional: what is stored comes from the
/// final pass. Constant memory.
///
/// Irregular rhythms are not looked for: which intervals are between normal beats is known only by what follows.
struct LiveHeartEvents {
  private var low: HeartRateEventDetector?
  private var high: HeartRateEventDetector?

  init(_ rules: HeartEventRules) {
    low = rules.low.map { HeartRateEventDetector(.low, threshold: $0) }
    high = rules.high.map { HeartRateEventDetector(.high, threshold: $0) }
  }

  /// A rate arrived from the skin.
  ///
  /// - Returns: The events that it completes, in the time of the boot clock.
  mutating func add(_ beatsPerMinute: UInt16, at instant: BootInstant) -> [HeartEvent] {
    let time = Timestamp(microseconds: instant.microseconds)
    // No array without an event: this is done for each notification.
    var events: [HeartEvent] = []
    if let event = low?.add(Double(beatsPerMinute), at: time) { events.append(event) }
    if let event = high?.add(Double(beatsPerMinute), at: time) { events.append(event) }
    return events
  }

  /// Separates the values so far from those to come: they are not of one stretch.
  mutating func interrupt() {
    low?.interrupt()
    high?.interrupt()
  }
}
