import HealthModel
import Sensors

/// The heart rates that a sensor has sent during a live workout: sixteen bytes each, until the workout ends.
struct WorkoutRates {
  /// What was there when the recorder started, in wall time.
  var earlier = QuantityTrack()
  /// Since then, on the boot clock.
  private var instants: [Int64] = []
  private var values: [Double] = []

  mutating func append(_ beatsPerMinute: UInt16, at instant: BootInstant) {
    instants.append(instant.microseconds)
    values.append(Double(beatsPerMinute))
  }

  /// All of them, where the wall clock leads the boot clock by so many microseconds; as the store will have them.
  func track(wallMinusBoot offset: Int64) -> QuantityTrack {
    QuantityTrack(
      starts: earlier.starts
        + instants.map { Timestamp(microseconds: $0.addingSaturated(offset)).flooredToMilliseconds.microseconds },
      values: earlier.values + values)
  }
}
