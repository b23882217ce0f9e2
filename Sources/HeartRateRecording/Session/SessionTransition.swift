public import Sensors

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
