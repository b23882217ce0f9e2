package import HealthModel

/// What came in by a format that has intervals, and no place to say whose they are: a copy is known again by the intervals.
package struct IntervalCopy: Sendable {
  /// Those of the file, in milliseconds.
  private let intervals: [UInt32]
  private let format: ForeignFormat

  /// Fewer intervals have to be all that there are: these could begin like another heart's.
  package static let fewest = 32

  /// Nil for formats that say of what they are a copy.
  package init?(_ heartbeats: HeartbeatSeries, _ format: ForeignFormat) {
    // What is written here has whole milliseconds.
    guard format == .rr || format == .hrvlogger, heartbeats.timescale == 1000 else { return nil }
    intervals = heartbeats.beats.filter { !$0.flags.contains(.firstOfRun) }.map(\.rrTicks)
    self.format = format
  }

  /// Whether they are all of one length.
  package var isUniform: Bool { intervals.allSatisfy { $0 == intervals.first } }

  /// Whether they are what would be written of `recording`, or the beginning of it: a session that was still being recorded was shorter.
  package func isCopy(of recording: InterchangeRecording) -> Bool {
    var place = 0
    for beat in MeasuredBeats(recording, followsClock: format == .hrvlogger) {
      guard let interval = beat.interval else { continue }
      // As text that is no interval, and was left out.
      if format == .rr, interval < IntervalLimits.leastMilliseconds || interval > IntervalLimits.mostMilliseconds {
        continue
      }
      guard place < intervals.count else { return place >= Self.fewest }
      guard Int64(intervals[place]) == interval else { return false }
      place += 1
    }
    return place > 0 && place == intervals.count
  }
}
