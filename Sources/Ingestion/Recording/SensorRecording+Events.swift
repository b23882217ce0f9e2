import Captures
import FoundationEssentials
import HealthModel
import Timeline

extension SensorRecording {
  /// The work that is left to do after an event, in this order.
  struct Step {
    /// The session that ended: write its end, then commit it.
    var ending: SessionEnding?
    /// The journal's record of the event for the paused session, before ``entry``.
    var aside: JournalEntry?
    /// The journal's record of the event.
    var entry: JournalEntry?
    /// Kinds of junk that the log has not named in this session.
    var defects: [PayloadDefect] = []
    /// Heart events that the event completes, in the time of the boot clock.
    var heartEvents: [HeartEvent] = []
    /// The gaps that the open session had before the event.
    var gapsBefore = 0
  }

  /// Handles an event of the sensor: its session begins, goes on or ends.
  ///
  /// The one way of every event, and for measurements the hot path: it makes no array and copies nothing.
  ///
  /// - Parameters:
  ///   - kind: The kind of event.
  ///   - instant: When. An instant before that of the last event is moved to that one. A clock that was set is a session's
  ///     own also where its limit has passed meanwhile: it is moved to the last event then, as the session ends before `instant`.
  ///   - identifier: Of the session that this may begin; asked for only then.
  /// - Returns: The work that is left to do.
  mutating func handle(
    _ kind: SensorEvent.Kind, at instant: BootInstant, session identifier: @autoclosure () -> UUID
  ) -> Step {
    var event = SensorEvent(kind, at: lastInstant.map { max(instant, $0) } ?? instant)
    if case .clock = kind, let lastInstant, let deadline, deadline <= event.instant { event.instant = lastInstant }
    lastInstant = event.instant
    let gaps = machine.counts.gaps
    let transition = machine.handle(event)
    let previous = (id: session?.id, request: session?.request)
    var step = Step(gapsBefore: gaps)
    if let end = transition.end { step.ending = close(end) }
    if transition.beginning != nil {
      // A request goes on in the session that follows one of the greatest length, with all its metadata and markers.
      let isRolled = transition.end?.reason == .rolled
      let request = isRolled ? previous.request : nil
      let next = open(OpenSession(identifier(), request: request))
      step.entry = .beginning(
        of: next, linkedTo: isRolled ? previous.id : nil, request: request, events: machine.preamble + [event])
    } else {
      step.entry = session?.entry(of: event)
    }
    if paused != nil { step.aside = entryOfPaused(event) }
    for beat in machine.beats { session?.quality.append(beat) }
    if machine.bringsRate, contact != false, let rate = machine.beatsPerMinute {
      if isExercising {
        session?.heartEvents.interrupt()
      } else {
        step.heartEvents = session?.heartEvents.add(rate, at: event.instant) ?? []
      }
    }
    if !machine.counts.defects.isEmpty { step.defects = newDefects() }
    return step
  }

  /// When something changes without an event; call ``timeReached(_:)`` then. Nil while nothing can.
  var deadline: BootInstant? { machine.deadline }

  /// The time is `now`: the session ends where one of its limits has passed.
  mutating func timeReached(_ now: BootInstant) -> SessionEnding? {
    guard let deadline, deadline <= now else { return nil }
    return machine.timeReached(now).end.flatMap { close($0) }
  }

  /// Ends the open session, if there is one.
  mutating func end(_ reason: SessionEndReason, at now: BootInstant) -> SessionEnding? {
    machine.end(reason, at: now).end.flatMap { close($0) }
  }

  /// A session begins; returns its identity.
  mutating func open(_ next: OpenSession) -> UUID {
    session = next
    session?.heartEvents = LiveHeartEvents(eventRules)
    lostValues = 0
    lostMicroseconds = 0
    return next.id
  }

  /// Closes the session; events that the journal refused go with its end. The paused session ends at the same time,
  /// unless the next session has the same request.
  mutating func close(_ end: SessionTransition.End) -> SessionEnding? {
    guard let session else { return nil }
    self.session = nil
    if end.reason != .rolled, let paused {
      endedPaused = SessionEnding(
        session: paused.session.id, reason: end.reason, instant: end.instant, refused: paused.session.backlog)
      self.paused = nil
    }
    return SessionEnding(session: session.id, reason: end.reason, instant: end.instant, refused: session.backlog)
  }

  private mutating func newDefects() -> [PayloadDefect] {
    guard let logged = session?.loggedDefects else { return [] }
    let found = PayloadDefect.allCases.filter { machine.counts.defects[$0] != nil && !logged.contains($0) }
    if !found.isEmpty { session?.loggedDefects.formUnion(found) }
    return found
  }
}

extension SensorRecording {
  /// The sessions with events that the journal refused: the open and the paused one at most.
  var owing: [UUID] {
    [paused?.session, session].compactMap { $0.flatMap { $0.backlog.isEmpty ? nil : $0.id } }
  }

  /// Gives `append` the events that the journal refused of the open or the paused session.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - instant: When what follows happened.
  ///   - append: Writes events of the session, all or none.
  /// - Returns: The events written; nil if none were missing.
  /// - Throws: The error of `append`; the rest is still missing.
  mutating func writeOwed(
    of id: UUID, before instant: BootInstant, _ append: ([SensorEvent]) throws(JournalError) -> Void
  ) throws(JournalError) -> JournalBacklog.Written? {
    guard owing.contains(id) else { return nil }
    let instant = laterThanLast(instant)
    let isPaused = paused?.session.id == id
    let result =
      try isPaused
      ? paused?.session.backlog.write(before: instant, append)
      : session?.backlog.write(before: instant, append)
    guard let result, result.loss.values > 0 else { return result }
    // The live values have to know of the loss, too. They have the event that follows it already.
    lastInstant = instant
    let loss = SensorEvent(.lost(values: result.loss.values, reason: result.reason), at: instant)
    if isPaused {
      _ = paused?.machine.handle(loss)
      paused?.lostValues += result.loss.values
      paused?.lostMicroseconds += result.loss.microseconds
    } else {
      _ = machine.handle(loss)
      count(result.loss)
    }
    return result
  }

  /// The journal has nothing of what it was given: it is written when it works again, values as far as there is `room` for
  /// them, in bytes.
  mutating func journalRefused(_ entry: JournalEntry, _ code: JournalError.Code, room: Int) {
    if paused?.session.id == entry.session {
      paused?.session.backlog.append(entry.events, refused: code, room: room)
    } else {
      session?.backlog.append(entry.events, refused: code, room: room)
    }
  }

  /// The end of a session is in the journal, or refused: this is what is lost of it. The counts stay until the next begins.
  mutating func ended(with loss: JournalLoss) {
    if session == nil { count(loss) }
  }

  private mutating func count(_ loss: JournalLoss) {
    lostValues += loss.values
    lostMicroseconds += loss.microseconds
  }
}

/// Links, and why no values come. Each input returns what happened to the session by it, to be handled in this order, and
/// what the log says first.
extension SensorRecording {
  /// The consequences of a change of the link.
  struct LinkChange: Hashable {
    var line: LogLine?
    var events: [SensorEvent.Kind] = []
  }

  /// Values that stopped on a link that is up, for longer than this, are a gap as a lost link is. Microseconds.
  static let greatestSilence: Int64 = 1_500_000

  /// A link is recorded from now on, unless another one of the same sensor is.
  mutating func linkUp(over adapter: AdapterIndex) -> LinkChange? {
    guard case .down = link else { return nil }
    link = .up(over: adapter, silentSince: nil)
    let events: [SensorEvent.Kind] = [.connected] + (signal.map { [.signal(dBm: $0)] } ?? [])
    signal = nil
    return LinkChange(line: LogLine(.info, "\(address): linked over \(adapter)"), events: events)
  }

  /// A link over `adapter` is gone. Nil where it was not the recorded one.
  mutating func linkDown(over adapter: AdapterIndex, reason: String?) -> LinkChange? {
    guard self.adapter == adapter else { return nil }
    link = .down(lostOver: adapter)
    return LinkChange(
      line: LogLine(.info, "\(address): link lost\(reason.map { " (\($0))" } ?? "")"),
      events: [.disconnected(reason: reason)])
  }

  /// BlueZ reports the reason of a loss after the loss. Nil where it is another link's.
  mutating func linkDownReason(_ reason: String, over adapter: AdapterIndex) -> LinkChange? {
    guard case .down(adapter) = link else { return nil }
    link = .down(lostOver: nil)
    return LinkChange(
      line: LogLine(.info, "\(address): the link was lost for this reason: \(reason)"),
      events: [.disconnected(reason: reason)])
  }

  /// bluetoothd or the bus is gone, and with it the link or the attempt at one. Nil where there was no link.
  mutating func serviceGone(_ reason: String) -> LinkChange? {
    connecting(false)
    guard case .up = link else { return nil }
    link = .down(lostOver: nil)
    return LinkChange(events: [.disconnected(reason: reason)])
  }

  /// The values stopped although the link is up.
  mutating func unsubscribed(at now: BootInstant) {
    if case .up(let adapter, _) = link { link = .up(over: adapter, silentSince: now) }
  }

  /// Values come from now on.
  mutating func subscribed(at now: BootInstant) -> LinkChange {
    var change = LinkChange()
    if problem != nil { change.line = LogLine(.notice, "\(address): values come now") }
    problem = nil
    guard case .up(let adapter, let since?) = link else { return change }
    link = .up(over: adapter, silentSince: nil)
    if now.microseconds(since: since) > Self.greatestSilence {
      change.events = [.disconnected(reason: "not subscribed"), .connected]
    }
    return change
  }

  /// Records why no values come; the reason stays in the status until they do. The log gets one line on it.
  mutating func valuesMissing(because problem: String) -> LogLine? {
    guard self.problem != problem else { return nil }
    self.problem = problem
    return LogLine(.warning, "\(address): \(problem)")
  }

  /// Records the battery's level. The log gets one line when it is low, and another only after it was changed.
  mutating func battery(_ percent: UInt8) -> LogLine? {
    let isLow = percent <= SensorEvent.lowBatteryPercent
    let isNews = isLow && !isLowBatteryLogged
    if isLow || percent > 2 * SensorEvent.lowBatteryPercent { isLowBatteryLogged = isLow }
    return isNews ? LogLine(.warning, "\(address): its battery is low (\(percent) %)") : nil
  }
}
