import FoundationEssentials
import HealthModel
import SeriesStore

/// The energy that a strap counted during a workout. Pure.
///
/// The field of its notifications is a sum in kilojoules since the sensor's last reset. It is stored with the rates, and is no
/// sample: only what it grew by during a workout says anything, and that is made a sample with the workout.
enum WorkoutEnergy {
  /// A growth of the sum.
  struct Growth: Hashable {
    var kilojoules: Double
    /// From the field before it, or the workout's start, to the field that has it.
    var span: TimeSpan
  }

  /// By how much the sum grew, step by step.
  ///
  /// A smaller sum than before is one after a reset. 65535 stands for any greater sum, too, and tells nothing.
  ///
  /// - Parameters:
  ///   - rates: Those of all its sessions, in order.
  ///   - span: The workout's time.
  /// - Returns: The steps in order.
  static func growths(in rates: [HeartRateValue], over span: TimeSpan) -> [Growth] {
    var growths: [Growth] = []
    var last: (sum: UInt16, time: Timestamp)?
    for rate in rates {
      guard let sum = rate.energyKilojoules, sum < .max else { continue }
      defer { last = (sum, rate.time) }
      guard let last, rate.time > span.start, rate.time <= span.end else { continue }
      let growth = sum >= last.sum ? sum - last.sum : sum
      guard growth > 0, let its = TimeSpan(start: max(last.time, span.start), end: rate.time) else { continue }
      growths.append(Growth(kilojoules: Double(growth), span: its))
    }
    return growths
  }

  /// The sample of a workout's energy; nil where the strap sent none.
  static func sample(
    of workout: UUID, from rates: [HeartRateValue], over span: TimeSpan, device: Device?
  ) throws(SeriesError) -> NewSample? {
    let growths = growths(in: rates, over: span)
    guard !growths.isEmpty else { return nil }
    var builder = QuantitySeriesBuilder(type: .activeEnergyBurned, start: span.start, device: device)
    for growth in growths {
      try builder.insert(growth.kilojoules / kilojoulesPerKilocalorie, from: growth.span.start, to: growth.span.end)
    }
    return try builder.finish(
      id: workout.energySample, sync: SyncIdentity(identifier: workout.energySample.uuidString.lowercased(), version: 1)
    )
  }

  private static let kilojoulesPerKilocalorie = 4.184
}
