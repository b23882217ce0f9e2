import GATTHeartRate

/// One sent payload as the exports must show it.
struct SentValue: Equatable {
  var rate: [String]
  var ticks: [String]

  init(hex: String) throws {
    let digits = Array(hex)
    let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16)! }
    let value = try HeartRateMeasurement(decoding: bytes)
    let contact =
      switch value.contact {
      case .notSupported: "notSupported"
      case .notDetected: "notDetected"
      case .detected: "detected"
      }
    rate = ["\(value.beatsPerMinute)", contact, value.energyKilojoules.map { "\($0)" } ?? ""]
    ticks = value.rrTicks.map { "\($0)" }
  }
}
