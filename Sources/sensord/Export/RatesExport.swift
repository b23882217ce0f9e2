internal import HealthModel

/// The heart rates of a session as CSV: `time,bpm,contact,energy_kj` (Documentation/command-line.md); unknown energy is empty.
enum RatesExport {
  static let heading = "time,bpm,contact,energy_kj\n"

  /// The whole table.
  static func csv(_ rates: [HeartRateValue]) -> [UInt8] {
    var bytes = Array(heading.utf8)
    bytes.reserveCapacity(bytes.count + 44 * rates.count)
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
