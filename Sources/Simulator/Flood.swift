import GATTHeartRate

/// Values from a strap that sends far more than a heart could. They are numbered, so that a lost or doubled value is found.
struct Flood: Hashable, Sendable {
  /// Values a second, 1...1000.
  var perSecond: Int
  /// How many there are in all.
  var count: Int
  /// Additional bytes after each value, 0...500, which fill a recorder's journal.
  var trailing = 0

  /// When value `number` is due, counted from the subscription.
  func due(_ number: Int) -> Duration { .microseconds(Int64(number) * 1_000_000 / Int64(perSecond)) }

  /// Value `number`, from 0: its energy field is the lower half of the number. The first value of each second has an RR
  /// interval.
  func value(_ number: Int) -> [UInt8] {
    HeartRateMeasurement(
      beatsPerMinute: UInt16(58 + number / perSecond % 5), contact: .detected,
      energyKilojoules: UInt16(truncatingIfNeeded: number),
      rrTicks: number % perSecond == 0 ? [UInt16(1012 + number / perSecond % 24)] : []
    ).encoded() + [UInt8](repeating: 0, count: number % perSecond == 0 ? 0 : trailing)
  }
}
