import Sensors

/// When a session begins and ends, in microseconds since 1970 (UTC).
struct SessionBounds {
  /// The earlier of the first notification and the first beat; the first event where there is neither.
  let start: Int64
  let end: Int64
  /// How long its own time is, without pauses, in microseconds.
  let length: Double

  init(_ columns: TimelineCollector, _ assembly: SessionAssembly?, _ pauses: SessionPauses) {
    let firstEvent = columns.firstEvent.map(columns.wall) ?? 0
    let first = columns.firstNotification.map(columns.wall) ?? firstEvent
    let last = columns.lastNotification.map(columns.wall) ?? first
    start = min(first, assembly?.placement.wall.first ?? first)
    switch columns.endReason {
    // Here somebody decided when the session ends; otherwise it ended when the sensor fell silent.
    case .request, .clientGone, .shutdown, .rolled: end = max(last, columns.end.map(columns.wall) ?? last)
    case .away, .offSkin, .captureEnd, .recovered, nil: end = last
    }
    length = Double(end - start) - pauses.microseconds(from: start, to: end)
  }
}
