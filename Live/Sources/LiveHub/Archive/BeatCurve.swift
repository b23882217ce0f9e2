import Glibc
package import HealthModel

/// The intervals of a recording as a screen can show them: for each column the smallest and the greatest. Nothing reaches across a gap.
package struct BeatCurve: Hashable, Sendable, Encodable {
  /// A column of a stretch.
  struct Point: Hashable, Sendable, Encodable {
    /// The first beat, in milliseconds of 1970.
    var time: Int64
    /// The smallest interval in it, in milliseconds.
    var lowest: Double
    /// The greatest interval in it, in milliseconds.
    var highest: Double

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(time)
      try container.encode(lowest)
      try container.encode(highest)
    }
  }

  /// A time without beats between two stretches, in milliseconds of 1970.
  struct Gap: Hashable, Sendable, Encodable {
    var start: Int64
    var end: Int64

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(start)
      try container.encode(end)
    }
  }

  /// The time of the first beat, in milliseconds of 1970.
  var start: Int64
  /// The time of the last beat.
  var end: Int64
  /// All beats, drawn or not.
  var beats: Int
  /// The number of beats without a usable interval: flagged, or behind a time of which nothing is known.
  var unused: Int
  var stretches: [[Point]]
  var gaps: [Gap]

  /// The curve of a series; nil without beats.
  ///
  /// An interval that no figure counts is not drawn, so that an artefact does not flatten the rest; the stretch goes on behind it.
  package init?(_ series: HeartbeatSeries, columns: Int = 1200) {
    guard columns > 0, let bounds = series.bounds else { return nil }
    start = bounds.start.milliseconds
    end = bounds.end.milliseconds
    beats = series.beats.count
    unused = 0
    stretches = []
    gaps = []
    let (whole, rest) = bounds.end.microseconds(since: bounds.start).quotientAndRemainder(dividingBy: Int64(columns))
    let width = max(1, rest > 0 ? whole + 1 : whole)
    var column: Int64 = -1
    var previous: Timestamp?
    for located in series.locatedBeats {
      let isBreak = located.index == 0 || located.beat.precededByGap
      if isBreak {
        if let previous { gaps.append(Gap(start: previous.milliseconds, end: located.time.milliseconds)) }
        stretches.append([])
        column = -1
      }
      previous = located.time
      guard !isBreak, located.beat.flags.isEmpty else {
        unused += 1
        continue
      }
      let interval = (Double(located.beat.rrTicks) / Double(series.timescale) * 10_000).rounded() / 10
      let own = located.time.microseconds(since: bounds.start) / width
      let last = stretches[stretches.count - 1].count - 1
      if own == column, last >= 0 {
        let point = stretches[stretches.count - 1][last]
        stretches[stretches.count - 1][last].lowest = min(point.lowest, interval)
        stretches[stretches.count - 1][last].highest = max(point.highest, interval)
      } else {
        stretches[stretches.count - 1].append(
          Point(time: located.time.milliseconds, lowest: interval, highest: interval))
        column = own
      }
    }
    stretches.removeAll(where: \.isEmpty)
  }
}

extension Timestamp {
  /// Milliseconds of 1970.
  var milliseconds: Int64 { flooredToMilliseconds.microseconds / 1000 }
}
