package import HealthModel

/// The heart rates of a session as CSV: `time,bpm,contact,energy_kj,preceded_by_gap` (Documentation/command-line.md); unknown
/// energy is empty.
package enum RatesExport {
  package static let heading = "time,bpm,contact,energy_kj,preceded_by_gap\n"

  /// The whole table; `gaps` are all of the session in order. A rate is preceded by those that ended since the one before it.
  package static func csv(_ rates: [HeartRateValue], gaps: [RecordingGap]) -> [UInt8] {
    var bytes = Array(heading.utf8)
    bytes.reserveCapacity(bytes.count + 46 * rates.count)
    var left = gaps[...]
    var timestamps = TimestampWriter(fractionDigits: .three)
    let comma = UInt8(ascii: ",")
    for rate in rates {
      timestamps.append(rate.time.microseconds, to: &bytes)
      bytes.append(comma)
      TimestampWriter.append(Int(rate.beatsPerMinute), digits: 1, to: &bytes)
      bytes.append(comma)
      bytes.append(contentsOf: name(of: rate.contact).utf8)
      bytes.append(comma)
      if let energy = rate.energyKilojoules { TimestampWriter.append(Int(energy), digits: 1, to: &bytes) }
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
