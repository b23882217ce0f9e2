import FoundationEssentials
import HeartRateRecording
import Sensors

extension SensorRecording {
  /// Goes on with a session that the journal holds unfinished: the one of a recorder that was killed, say.
  ///
  /// - Parameters:
  ///   - id: The session's identity.
  ///   - request: The request for it; nil if it began by itself.
  ///   - log: Its events in the journal.
  ///   - present: The boot that holds now.
  /// - Returns: False where another session is open, or the limits that hold now ended this one within what it has: then
  ///   nothing is changed.
  mutating func resume(
    _ id: UUID, request: OpenRequest? = nil, from log: SensorEventLog, boot present: BootIdentifier
  ) -> Bool {
    guard session == nil, let (open, resumed) = replay(id, request: request, log, boot: present) else { return false }
    machine = resumed
    session = open
    session?.heartEvents = LiveHeartEvents(eventRules)
    lostValues = resumed.counts.lostValues
    lostMicroseconds = Self.lostMicroseconds(log)
    return true
  }

  /// Goes on with a session that a program's session has paused, which is open again.
  ///
  /// - Parameters:
  ///   - id: The identity of the paused session.
  ///   - log: Its events in the journal.
  ///   - boot: The boot that holds now.
  ///   - present: The events about the present; they are written to the journal.
  /// - Returns: False where no program's session is open: then nothing is changed.
  mutating func resumePaused(
    _ id: UUID, from log: SensorEventLog, boot: BootIdentifier, _ present: [SensorEvent]
  ) -> Bool {
    guard request != nil, paused == nil,
      var (open, resumed) = replay(id, request: nil, log, boot: boot)
    else { return false }
    open.heartEvents = LiveHeartEvents(eventRules)
    for event in present { _ = resumed.handle(event) }
    paused = PausedSession(
      session: open, machine: resumed, lostValues: resumed.counts.lostValues,
      lostMicroseconds: Self.lostMicroseconds(log))
    return true
  }

  /// The session and its state after the events of a log; nil where they end it.
  private func replay(
    _ id: UUID, request: OpenRequest?, _ log: SensorEventLog, boot present: BootIdentifier
  ) -> (OpenSession, SessionMachine)? {
    var resumed = SessionMachine(limits: machine.limits)
    // As it began: the measurement that did it may be the one that a full disk refused.
    if let first = log.first { _ = resumed.begin(at: first.instant) }
    var open = OpenSession(id, request: request)
    var boot: BootIdentifier?
    for event in log {
      _ = resumed.handle(event)
      if case .boot(let identifier) = event.kind {
        if boot ?? identifier != identifier { open.quality.restart() }
        boot = identifier
      }
      for beat in resumed.beats { open.quality.append(beat) }
    }
    guard resumed.isRecording else { return nil }
    if boot != present { open.quality.restart() }
    return (open, resumed)
  }

  /// The resumed session learns of the present boot and its clock, which the journal was given before.
  ///
  /// - Returns: Its end, where too much time has passed meanwhile.
  mutating func adopt(_ present: [SensorEvent]) -> SessionEnding? {
    var over: SessionTransition.End?
    for event in present {
      lastInstant = event.instant
      let end = machine.handle(event).end
      over = over ?? end
    }
    return over.flatMap { close($0) }
  }

  /// The time in which values were lost according to the events: each time since the measurement or the loss before.
  private static func lostMicroseconds(_ log: SensorEventLog) -> Int64 {
    var total: Int64 = 0
    var previous: BootInstant?
    for event in log {
      switch event.kind {
      case .measurement: previous = event.instant
      case .boot: previous = nil
      case .lost:
        total += previous.map { max(0, event.instant.microseconds(since: $0)) } ?? 0
        previous = event.instant
      default: break
      }
    }
    return total
  }
}
