import FoundationEssentials
import HealthModel
import HeartRateRecording
import Sensors

extension SensorRecording {
  /// What observers get of the event that ``handle(_:at:session:)`` has just handled, in order; the end of a session apart.
  ///
  /// - Parameters:
  ///   - step: What it returned.
  ///   - before: The session's gaps before the event.
  ///   - offset: The wall clock's lead over the boot clock, in microseconds.
  /// - Returns: None where no session is open.
  func news(of step: Step, gapsBefore before: Int, wallMinusBoot offset: Int64) -> [RecorderEvent] {
    guard let session, let entry = step.entry, let now = lastInstant else { return [] }
    var news: [RecorderEvent] = []
    func add(_ kind: RecorderEvent.Kind, at instant: BootInstant) {
      news.append(RecorderEvent(kind, of: address, session: session.id, at: instant.microseconds &+ offset))
    }
    var known = before
    if case .beginning(_, let previous, _, _) = entry {
      known = 0
      add(.sessionBegan(linkedTo: previous), at: now)
    }
    // When a paused session goes on, `before` is the count of the program's session.
    if machine.counts.gaps > known, !entry.isContinuation { add(.gap(count: machine.counts.gaps), at: now) }
    if machine.bringsRate, let rate = machine.beatsPerMinute {
      add(.rate(beatsPerMinute: rate, contact: contact), at: now)
    }
    for event in step.heartEvents { add(.heartEvent(event.shifted(byMicroseconds: offset)), at: now) }
    for beat in machine.beats { add(.beat(rrTicks: beat.rrTicks, flags: beat.flags), at: beat.instant) }
    return news
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
