public import Sensors

/// What an event or the passing of time does to the session of a sensor.
///
/// Both can be set: a session that reached its greatest length ends and a linked one begins, and an event that comes
/// after a limit has passed ends the old session and may begin a new one. The end comes first. The event itself belongs
/// to the session that began, else to the one that is open, else to none.
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
    /// Whether it goes on where the session that ended in the same step stopped.
    public var isLinked: Bool

    public init(instant: BootInstant, isLinked: Bool) {
      self.instant = instant
      self.isLinked = isLinked
    }
  }

  /// The open session ended.
  public var end: End?
  /// A session began. Open it, write ``SessionMachine/preamble`` to it, then the event.
  public var beginning: Beginning?

  public init(end: End? = nil, beginning: Beginning? = nil) {
    self.end = end
    self.beginning = beginning
  }

  /// Nothing ended and nothing began.
  public static let none = SessionTransition()
}
