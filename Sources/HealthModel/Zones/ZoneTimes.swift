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

  /// The times of a workout, without its pauses. A rate counts for the part in which it was measured, up to its end.
  package init(_ zones: HeartRateZones, of rates: [HeartRateValue], in workout: Workout) {
    self.zones = zones
    var sums = [Int64](repeating: 0, count: zones.borders.count + 1)
    let pauses = workout.pauses
    pauses.forEachFreePart(from: workout.start.microseconds, to: workout.end.microseconds) { start, end in
      let part = rates.filter { rate in
        let time = rate.time.microseconds
        return time >= start && time < end && !pauses.contains(time)
      }
      let times = zones.times(of: part, until: Timestamp(microseconds: end))
      for (index, time) in times.enumerated() { sums[index] += time }
    }
    below = sums[0]
    times = Array(sums.dropFirst())
  }
}
