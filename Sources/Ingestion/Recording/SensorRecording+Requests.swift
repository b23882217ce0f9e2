import Captures
import FoundationEssentials
import HealthModel
import Timeline

/// Sessions on request: a game's, for instance. The strap is recorded all the time; a request only sets where a program's session begins
/// and ends, so no value is lost between one session and the next.
extension SensorRecording {
  /// The request for the open session; nil without an open session, or if it began by itself.
  var request: OpenRequest? {
    get { session?.request }
    set { session?.request = newValue }
  }

  /// Whether the sensor measures: also right after the beginning or the end of a session, before its next value.
  func isMeasuring(at now: BootInstant) -> Bool {
    if machine.phase == .measuring || request != nil { return true }
    guard machine.phase == .silent, contact != false, let last = machine.rateInstant else { return false }
    return now.microseconds(since: last) < machine.limits.silenceMicroseconds
  }

  /// Begins a session on request; the new one is linked to the one that is open.
  ///
  /// - Parameters:
  ///   - identifier: The new session's.
  ///   - request: The request, with its metadata.
  ///   - now: The instant of the request; one before the last event counts as the last event's.
  ///   - pauses: Whether the open session goes on after the new one. Otherwise the open session ends and is stored, for a workout to collect.
  /// - Returns: The work that is left to do; nil if a requested session is open already, and nothing has changed.
  mutating func begin(
    _ identifier: UUID, _ request: OpenRequest, at now: BootInstant, pauses: Bool = true
  ) -> Step? {
    guard self.request == nil else { return nil }
    let next = OpenSession(identifier, request: request)
    let instant = laterThanLast(now)
    var pausing = machine
    // A limit of the open session may have passed since its last event.
    guard pauses, let own = session, pausing.handle(SensorEvent(.paused, at: instant)).end == nil else {
      return split(at: now, .request, next: next)
    }
    lastInstant = instant
    paused = PausedSession(
      session: own, machine: pausing, lostValues: lostValues, lostMicroseconds: lostMicroseconds)
    var step = Step(aside: own.entry(of: SensorEvent(.paused, at: instant)), gapsBefore: machine.counts.gaps)
    _ = machine.end(.request, at: instant)
    _ = machine.begin(at: instant)
    step.entry = .beginning(of: open(next), linkedTo: own.id, request: request, events: machine.preamble)
    return step
  }

  /// Ends the requested session. The paused session goes on. If no session is paused, and the sensor is linked and on
  /// the skin, the next session begins at once and is linked to the requested one; a session that no value follows is
  /// stored nowhere.
  ///
  /// - Parameters:
  ///   - reason: `request` or `clientGone`.
  ///   - now: The instant of the end.
  ///   - identifier: The identifier of the session that may follow.
  /// - Returns: The work that is left to do; nil if no requested session is open.
  mutating func endRequested(
    _ reason: SessionEndReason, at now: BootInstant, next identifier: @autoclosure () -> UUID
  ) -> Step? {
    guard request != nil else { return nil }
    guard let own = paused else { return divide(reason, at: now, next: identifier()) }
    paused = nil
    let instant = laterThanLast(now)
    lastInstant = instant
    var step = Step(gapsBefore: machine.counts.gaps)
    step.ending = end(reason, at: instant)
    let last = machine
    (session, machine, lostValues, lostMicroseconds) = (
      own.session, own.machine, own.lostValues, own.lostMicroseconds
    )
    let event = SensorEvent(.continued, at: instant)
    _ = machine.handle(event)
    machine.adoptValue(of: last)
    session?.heartEvents.interrupt()
    step.entry = own.session.entry(of: event)
    return step
  }

  /// Hands an event of the sensor to the paused session.
  ///
  /// - Returns: The entry of the paused session; nil where the event belongs to the open session alone.
  mutating func entryOfPaused(_ event: SensorEvent) -> JournalEntry? {
    switch event.kind {
    case .measurement, .lost, .stalled, .marker, .paused, .continued, .ended: return nil
    case .boot, .clock, .connected, .disconnected, .battery, .location, .information, .signal: break
    }
    _ = paused?.machine.handle(event)
    return paused?.session.entry(of: event)
  }

  /// Ends the open session, requested or not, and a paused one; the next session begins at once if the sensor is linked and on the skin.
  mutating func divide(
    _ reason: SessionEndReason, at now: BootInstant, next identifier: @autoclosure () -> UUID
  ) -> Step? {
    guard session != nil else { return nil }
    guard machine.phase == .measuring || machine.phase == .silent else {
      return Step(ending: end(reason, at: laterThanLast(now)))
    }
    return split(at: now, reason, next: OpenSession(identifier()))
  }

  /// Ends the open session, and begins the next one, linked to it.
  private mutating func split(at now: BootInstant, _ reason: SessionEndReason, next: OpenSession) -> Step {
    let instant = laterThanLast(now)
    lastInstant = instant
    let previous = session?.id
    var step = Step(gapsBefore: machine.counts.gaps)
    step.ending = end(reason, at: instant)
    _ = machine.begin(at: instant)
    step.entry = .beginning(
      of: open(next), linkedTo: previous, request: next.request, events: machine.preamble)
    return step
  }

  func laterThanLast(_ now: BootInstant) -> BootInstant {
    lastInstant.map { max(now, $0) } ?? now
  }
}

extension SensorRecordings {
  /// The sensors that are measuring.
  func measuring(at now: BootInstant) -> [SensorAddress] {
    indices.filter { self[$0].isMeasuring(at: now) }.map { self[$0].address }
  }

  /// The sensor of which something is asked: the one that was named, or the one that is measuring.
  func requested(_ sensor: SensorAddress?, at now: BootInstant) throws(SessionRequestFailure) -> SensorAddress {
    if let sensor {
      guard index(of: sensor) != nil else { throw .unknownSensor(sensor) }
      return sensor
    }
    let measuring = measuring(at: now)
    guard let first = measuring.first else { throw .noneMeasuring(addresses) }
    guard measuring.count == 1 else { throw .severalMeasuring(measuring) }
    return first
  }

  /// The sensor of the open session of a request.
  func index(ofRequest request: UUID) -> Int? {
    indices.first { self[$0].request?.request.identifier == request }
  }
}

/// The request for the open session, with its metadata.
struct OpenRequest: Hashable, Sendable {
  let request: SessionRequest
  var metadata: Metadata
  /// The number of its markers.
  var markers = 0
}

extension OpenRequest {
  /// Reads the request for a session in the journal; nil if there was no request.
  init?(_ capture: Capture) {
    guard let request = capture.header.request else { return nil }
    self.init(
      request: request, metadata: capture.header.metadata.filter { !ReservedMetadata.all.contains($0.key) },
      markers: capture.log.count { if case .marker = $0.kind { true } else { false } })
  }
}

/// A session that has ended, whose end the journal does not have yet. An ended session no longer belongs to a sensor.
struct SessionEnding: Hashable, Sendable {
  let session: UUID
  let reason: SessionEndReason
  let instant: BootInstant
  /// Events of the session that the journal does not have, the end the last.
  let backlog: JournalBacklog

  /// The end of a session, behind the events of the session that the journal has refused before.
  init(session: UUID, reason: SessionEndReason, instant: BootInstant, refused: JournalBacklog = JournalBacklog()) {
    self.session = session
    self.reason = reason
    self.instant = instant
    var backlog = refused
    backlog.append(SensorEvent(.ended(reason), at: instant), refused: .notWritten, room: .max)
    self.backlog = backlog
  }
}
