import FoundationEssentials
import HealthModel
import SeriesStore

/// The recovery of the heart rate after a workout. Pure.
enum WorkoutRecovery {
  /// The sample of a workout's recovery, with what is known of the exercise; the same each time that the workout is committed.
  static func sample(
    of recovery: HeartRateRecovery, after workout: Workout, device: Device?
  ) throws(SeriesError) -> NewSample {
    let (id, span) = (workout.id.recoverySample, recovery.span)
    var builder = QuantitySeriesBuilder(type: .heartRateRecoveryOneMinute, start: span.start, device: device)
    try builder.insert(recovery.fall, from: span.start, to: span.end)
    return try builder.finish(
      id: id, metadata: recovery.metadata(after: HeartRateRecovery.Exercise(workout)),
      sync: SyncIdentity(identifier: id.uuidString.lowercased(), version: 1))
  }
}
