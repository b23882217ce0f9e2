import Captures
import FoundationEssentials
import HeartRateRecording
import Sensors

/// Sessions on request: a game's, for instance. The strap is recorded all the time; a request says where one session ends and
/// the next begins, and no value is lost between them.
extension SensorRecording {
  /// The request for the open session; nil where none is open, or it began by itself.
  var request: OpenRequest? {
    get { session?.request }
    set { session?.request = newValue }
  }

  /// Begins a session on request. One that is open ends, and the new one is linked to it.
  ///
  /// - Parameters:
  ///   - identifier: The new session's.
  ///   - request: Who asks for it, and what is said of it.
  ///   - now: When. An instant before that of the last event is moved to that one.
  /// - Returns: What is left to do; nil where a requested session is open already, and nothing has changed.
  mutating func begin(
    _ identifier: UUID, _ request: OpenRequest, at now: BootInstant
  ) -> Step? {
    guard self.request == nil else { return nil }
    return split(at: now, .request, next: OpenSession(identifier, request: request))
  }

  /// Ends the requested session. While the sensor is linked and on the skin, the next session begins at once and is linked to it;
  /// one that no value follows is stored nowhere.
  ///
  /// - Parameters:
  ///   - reason: `request` or `clientGone`.
  ///   - now: When.
  ///   - identifier: That of the session which may follow.
  /// - Returns: What is left to do; nil where no requested session is open.
  mutating func endRequested(
    _ reason: SessionEndReason, at now: BootInstant, next identifier: @autoclosure () -> UUID
  ) -> Step? {
    request == nil ? nil : divide(reason, at: now, next: identifier())
  }

  /// The same for an open session that somebody asked for or that began by itself.
  mutating func divide(
    _ reason: SessionEndReason, at now: BootInstant, next identifier: @autoclosure () -> UUID
  ) -> Step? {
    guard session != nil else { return nil }
    guard machine.phase == .measuring || machine.phase == .silent else {
      return Step(ending: end(reason, at: laterThanLast(now)))
    }
    return split(at: now, reason, next: OpenSession(identifier()))
  }

  private mutating func split(at now: BootInstant, _ reason: SessionEndReason, next: OpenSession) -> Step {
    let instant = laterThanLast(now)
    lastInstant = instant
    let previous = session?.id
    var step = Step(ending: end(reason, at: instant))
    _ = machine.begin(at: instant)
    step.entry = .beginning(
      of: open(next), linkedTo: previous, request: next.request, events: machine.preamble)
    return step
  }

  func laterThanLast(_ now: BootInstant) -> BootInstant {
    lastInstant.map { max(now, $0) } ?? now
  }
}
