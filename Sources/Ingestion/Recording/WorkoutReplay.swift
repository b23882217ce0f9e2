import Captures
import FoundationEssentials
import HealthModel
import Timeline

/// A live workout as the calls in a journal make it. Pure: the same records give the same workout.
///
/// Calls have instants of the boot clock. The wall clock's last offset of each boot gives all of that boot's calls their dates, as
/// it does for a session's values: a clock that is set in between moves both together.
struct WorkoutReplay {
  /// The workout so far.
  private(set) var session: WorkoutSession
  /// The time of the last call.
  private(set) var latest: Timestamp?
  /// Calls that could not be repeated, because others before them are damaged, or a wrong clock put two boots on one another.
  private(set) var refused = 0

  /// Throws ``HealthModel/WorkoutError`` where there cannot be such a workout.
  init(_ contents: WorkoutContents) throws(WorkoutError) {
    session = try WorkoutSession(
      contents.workout.configuration.stored, id: contents.workout.identifier)
    var offsets = contents.offsets[...]
    var offset: Int64 = 0
    for record in contents.records {
      switch record {
      case .boot: offset = offsets.popFirst() ?? offset
      case .call(let call, let instant):
        let time = instant.timestamp(wallMinusBoot: offset)
        if session.start == nil, call != .start { try? perform(.start, at: time, wallMinusBoot: offset) }
        do { try perform(call, at: max(time, latest ?? time), wallMinusBoot: offset, isFitted: true) } catch {
          refused += 1
        }
      case .begin, .clock, .samples: break
      }
    }
  }

  /// Does what a call asks for, at a time that is not before the last one's. An event that is fitted was accepted once: it is moved to
  /// where the workout is now, where clocks have moved one boot against another since then.
  mutating func perform(
    _ call: WorkoutCall, at time: Timestamp, wallMinusBoot offset: Int64, isFitted: Bool = false
  ) throws(WorkoutError) {
    switch call {
    case .start: try session.startActivity(at: time)
    case .pause: try session.pause(at: time)
    case .resume: try session.resume(at: time)
    case .beginActivity(let identifier, let configuration, let metadata):
      try session.beginNewActivity(
        configuration.stored, at: time, metadata: metadata.stored, id: identifier)
    case .endActivity: try session.endCurrentActivity(on: time)
    case .event(let type, let start, let end, let metadata):
      guard
        let span = TimeSpan(
          start: start.timestamp(wallMinusBoot: offset), end: end.timestamp(wallMinusBoot: offset))
      else { throw .endsBeforeStart }
      try add(
        WorkoutEvent(
          WorkoutEventType(rawValue: type), over: span, metadata: metadata.stored),
        at: time, isFitted: isFitted)
    case .stop: try session.stopActivity(at: time)
    case .end: try session.end(at: time)
    }
    latest = time
  }

  private mutating func add(
    _ event: WorkoutEvent, at time: Timestamp, isFitted: Bool
  ) throws(WorkoutError) {
    guard isFitted, let start = session.start else { return try session.addEvent(event, at: time) }
    var event = event
    let first = min(max(event.span.start, start), time)
    event.span = TimeSpan(start: first, end: min(max(event.span.end, first), time)) ?? TimeSpan(at: time)
    do { try session.addEvent(event, at: time) } catch {
      guard error == .lapsOverlap else { throw error }
      event.span = TimeSpan(at: time)
      try session.addEvent(event, at: time)
    }
  }
}

extension WorkoutConfiguration {
  /// The configuration for the store: without a length in a unit that only a later version knows.
  fileprivate var stored: WorkoutConfiguration {
    var stored = self
    if lapLength?.unit.isKnown == false { stored.lapLength = nil }
    return stored
  }
}

extension WorkoutContents {
  /// The wall clock minus the boot clock, as it was known last in each boot.
  fileprivate var offsets: [Int64] {
    var offsets: [Int64] = []
    for record in records {
      switch record {
      case .boot: offsets.append(offsets.last ?? 0)
      case .clock(let offset, _):
        if !offsets.isEmpty { offsets[offsets.count - 1] = offset }
      case .begin, .call, .samples: break
      }
    }
    return offsets
  }
}

extension BootInstant {
  /// The wall time of this instant where the wall clock leads the boot clock by so many microseconds.
  func timestamp(wallMinusBoot offset: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds.addingSaturated(offset))
  }
}
