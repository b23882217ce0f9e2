package import HealthModel

/// Beats as lines of JSON, one a beat: `{"timeMicroseconds","run","index","rrTicks","timescale","precededByGap","flags"}`.
///
/// RR intervals are in ticks, of which `timescale` are a second.
package enum HeartbeatLines {
  /// Appends all beats of a series.
  package static func append(_ series: HeartbeatSeries, to bytes: inout [UInt8]) {
    let timescale = JSONValue.integer(Int64(series.timescale))
    series.forEachBeat { located in
      let line: JSONValue = [
        "timeMicroseconds": .integer(located.time.microseconds), "run": .integer(Int64(located.run)),
        "index": .integer(Int64(located.index)), "rrTicks": .integer(Int64(located.beat.rrTicks)),
        "timescale": timescale, "precededByGap": .bool(located.beat.precededByGap),
        "flags": .array(located.beat.flags.names.map { .string($0) }),
      ]
      line.write(to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
  }
}
