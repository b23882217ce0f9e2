/// Ranges of the heart rate by effort, and the time that a recording spent in each.
///
/// Five by default: 50, 60, 70, 80 and 90 % of the maximum, as Edwards 1993 ("The Heart Rate Monitor Book") has them. By the
/// maximum alone, or by the reserve between rest and maximum (Karvonen et al. 1957, Ann. Med. Exp. Biol. Fenn. 35:307), which
/// suits people whose rate at rest is far from the usual.
public struct HeartRateZones: Hashable, Sendable {
  /// The rates to which the percentages refer.
  public let basis: Basis
  /// The beginnings of the zones, in percent, ascending; the last zone has no end, since a configured maximum may be too low.
  public let borders: [Int]

  /// The rates to which percentages refer, in beats a minute.
  public enum Basis: Hashable, Sendable {
    /// Percentages of the greatest rate.
    case maximum(Double)
    /// Percentages of the difference between the greatest rate and the rate at rest, added to the rate at rest.
    case reserve(resting: Double, maximum: Double)
  }

  /// The usual five zones.
  public static let standardBorders = [50, 60, 70, 80, 90]
  /// The longest time for which a rate counts, in microseconds: ten seconds, as in a session's coverage.
  private static let longestHold: Int64 = 10_000_000

  /// Zones with the given borders. Nil where these do not ascend, or the basis is not positive.
  public init?(_ basis: Basis, borders: [Int] = standardBorders) {
    let isPositive =
      switch basis {
      case .maximum(let maximum): maximum > 0
      case .reserve(let resting, let maximum): resting > 0 && maximum > resting
      }
    guard isPositive, !borders.isEmpty, zip(borders, borders.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    self.basis = basis
    self.borders = borders
  }

  /// The beginning of each zone, in beats a minute.
  public var lowerRates: [Double] {
    borders.map { percent in
      switch basis {
      case .maximum(let maximum): maximum * Double(percent) / 100
      case .reserve(let resting, let maximum): resting + (maximum - resting) * Double(percent) / 100
      }
    }
  }

  /// The zone of a rate, from 1; 0 below all.
  public func zone(of beatsPerMinute: Double) -> Int {
    lowerRates.count { $0 <= beatsPerMinute }
  }

  /// The time in each zone in microseconds, that below all zones first.
  ///
  /// - Parameters:
  ///   - rates: The rates in order of time. A rate that the sensor sent from off the skin counts for nothing, and ends the one
  ///     before.
  ///   - end: The end of the recording.
  /// - Returns: The times, one more than there are zones.
  public func times(of rates: [HeartRateValue], until end: Timestamp) -> [Int64] {
    var times = [Int64](repeating: 0, count: borders.count + 1)
    for (index, rate) in rates.enumerated() where rate.contact != .notDetected {
      let next = index + 1 < rates.count ? rates[index + 1].time : end
      let held = next.microseconds(since: rate.time)
      guard held > 0 else { continue }
      times[zone(of: Double(rate.beatsPerMinute))] += min(held, Self.longestHold)
    }
    return times
  }
}

/// The time that a recording spent in each zone of the heart rate.
public struct ZoneTimes: Hashable, Sendable {
  /// The zones.
  public let zones: HeartRateZones
  /// The time below all zones, in microseconds.
  public let below: Int64
  /// The time in each zone, in microseconds.
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
