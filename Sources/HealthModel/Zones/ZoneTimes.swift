/// How long a recording was in each zone of the heart rate.
public struct ZoneTimes: Hashable, Sendable {
  /// The zones.
  public let zones: HeartRateZones
  /// Below all zones, in microseconds.
  public let below: Int64
  /// In each zone, in microseconds.
  public let times: [Int64]

  /// The times of a recording's rates; see ``HeartRateZones/times(of:until:)``.
  public init(_ zones: HeartRateZones, of rates: [HeartRateValue], until end: Timestamp) {
    self.zones = zones
    let all = zones.times(of: rates, until: end)
    below = all[0]
    times = Array(all.dropFirst())
  }
}
