package import HealthModel
import Support

/// The exports of a session, each a CSV table. Other programs request them by the raw values.
package enum ExportFormat: String, Hashable, Sendable, CaseIterable {
  /// ``BeatsExport``.
  case beats
  /// ``RatesExport``.
  case rates
}

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
      bytes.append(decimal: located.run)
      bytes.append(comma)
      bytes.append(decimal: located.index)
      bytes.append(comma)
      bytes.append(decimal: Int(located.beat.rrTicks))
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

/// The heart rates of a session as CSV: `time,bpm,contact,energy_kj,preceded_by_gap` (Documentation/command-line.md); unknown
/// energy is empty.
package enum RatesExport {
  package static let heading = "time,bpm,contact,energy_kj,preceded_by_gap\n"

  /// The whole table; `gaps` are all of the session in order. A rate is preceded by the gaps that ended since the rate before.
  package static func csv(_ rates: [HeartRateValue], gaps: [RecordingGap]) -> [UInt8] {
    var bytes = Array(heading.utf8)
    bytes.reserveCapacity(bytes.count + 46 * rates.count)
    var left = gaps[...]
    var timestamps = TimestampWriter(fractionDigits: .three)
    let comma = UInt8(ascii: ",")
    for rate in rates {
      timestamps.append(rate.time.microseconds, to: &bytes)
      bytes.append(comma)
      bytes.append(decimal: Int(rate.beatsPerMinute))
      bytes.append(comma)
      bytes.append(contentsOf: name(of: rate.contact).utf8)
      bytes.append(comma)
      if let energy = rate.energyKilojoules { bytes.append(decimal: Int(energy)) }
      bytes.append(comma)
      // Stored rates have lost their microseconds.
      let ended = left.prefix { $0.end.flooredToMilliseconds <= rate.time }.count
      left.removeFirst(ended)
      bytes.append(ended > 0 ? UInt8(ascii: "1") : UInt8(ascii: "0"))
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private static func name(of contact: SensorContact) -> String {
    switch contact {
    case .notSupported: "notSupported"
    case .notDetected: "notDetected"
    case .detected: "detected"
    }
  }
}

/// Appends times as `YYYY-MM-DDThh:mm:ss.ffffffZ` at the speed of a large export.
///
/// Neighbouring rows share their second nearly always, so the first 19 characters are kept and only the fraction is
/// written anew.
package struct TimestampWriter {
  package enum FractionDigits: Int {
    case three = 3
    case six = 6
  }

  private let fractionDigits: FractionDigits
  private var second: Int64 = .min
  private var prefix: [UInt8] = []

  package init(fractionDigits: FractionDigits) {
    self.fractionDigits = fractionDigits
  }

  /// Appends `microseconds` since 1970 (UTC); digits that are not shown are cut, not rounded.
  package mutating func append(_ microseconds: Int64, to bytes: inout [UInt8]) {
    var (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if fraction < 0 {
      second -= 1
      fraction += 1_000_000
    }
    if second != self.second {
      self.second = second
      // All but the zone's letter.
      prefix = Timestamp(microseconds: microseconds).iso8601(fractionDigits: 0).utf8.dropLast() + [UInt8(ascii: ".")]
    }
    bytes.append(contentsOf: prefix)
    switch fractionDigits {
    case .three: bytes.append(decimal: Int(fraction / 1_000), digits: 3)
    case .six: bytes.append(decimal: Int(fraction), digits: 6)
    }
    bytes.append(UInt8(ascii: "Z"))
  }
}
