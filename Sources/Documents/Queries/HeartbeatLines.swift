package import HealthModel

/// Beats as lines of JSON, one a beat: `{"timeMicroseconds","run","index","rrTicks","timescale","precededByGap","flags"}`.
///
/// RR intervals are in ticks, of which `timescale` are a second. Lines are appended part by part, so that a day of beats takes the
/// memory of a part.
package struct HeartbeatLines {
  private var beats: HeartbeatSeries.LocatedBeats
  private let timescale: JSONValue

  /// Lines of all beats of a series.
  package init(_ series: HeartbeatSeries) {
    beats = series.locatedBeats
    timescale = .integer(Int64(series.timescale))
  }

  /// Appends the lines of the next beats.
  ///
  /// - Returns: Whether there may be more.
  package mutating func append(_ count: Int, to bytes: inout [UInt8]) -> Bool {
    for _ in 0..<count {
      guard let located = beats.next() else { return false }
      let line: JSONValue = [
        "timeMicroseconds": .integer(located.time.microseconds), "run": .integer(Int64(located.run)),
        "index": .integer(Int64(located.index)), "rrTicks": .integer(Int64(located.beat.rrTicks)),
        "timescale": timescale, "precededByGap": .bool(located.beat.precededByGap),
        "flags": .array(located.beat.flags.names.map { .string($0) }),
      ]
      line.appendLine(to: &bytes)
    }
    return true
  }
}
