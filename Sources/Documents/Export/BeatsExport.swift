package import HealthModel

/// The beats of a session as CSV: `time,run,index,rr_ticks,preceded_by_gap,flags` (Documentation/command-line.md).
///
/// Bytes are appended to one array: no row makes a string of its own. A day is 100,000 beats and 5 MB.
package enum BeatsExport {
  package static let heading = "time,run,index,rr_ticks,preceded_by_gap,flags\n"

  /// The whole table.
  package static func csv(_ series: HeartbeatSeries) -> [UInt8] {
    var bytes = Array(heading.utf8)
    bytes.reserveCapacity(bytes.count + 52 * series.beats.count)
    var timestamps = TimestampWriter(fractionDigits: .six)
    let comma = UInt8(ascii: ",")
    for located in series.locatedBeats {
      timestamps.append(located.time.microseconds, to: &bytes)
      bytes.append(comma)
      TimestampWriter.append(located.run, digits: 1, to: &bytes)
      bytes.append(comma)
      TimestampWriter.append(located.index, digits: 1, to: &bytes)
      bytes.append(comma)
      TimestampWriter.append(Int(located.beat.rrTicks), digits: 1, to: &bytes)
      bytes.append(comma)
      bytes.append(located.beat.precededByGap ? UInt8(ascii: "1") : UInt8(ascii: "0"))
      bytes.append(comma)
      append(located.beat.flags, to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private static func append(_ flags: Heartbeat.Flags, to bytes: inout [UInt8]) {
    guard !flags.isEmpty else { return }
    var isFirst = true
    for (flag, name) in Heartbeat.Flags.named where flags.contains(flag) {
      if !isFirst { bytes.append(UInt8(ascii: "+")) }
      bytes.append(contentsOf: name.utf8)
      isFirst = false
    }
  }
}
