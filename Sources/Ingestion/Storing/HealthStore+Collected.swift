import FoundationEssentials
package import HealthModel
import Sensors
package import SeriesStore

extension HealthStore {
  /// Returns the samples of the sensor's sessions in a workout's time, oldest first; empty without a sensor.
  func recorded(
    _ sensor: SensorAddress?, over span: TimeSpan
  ) throws(SessionCommitter.Failure) -> [HealthSample] {
    guard let sensor else { return [] }
    return try saving { (store) throws(StoreError) in
      try store.answer(WorkoutSessions.samples(of: sensor, over: span), in: nil)
    }
  }

  /// The samples of a workout's program that are still there, with the values of quantities.
  func collected(_ samples: Set<UUID>) throws(SessionCommitter.Failure) -> [WorkoutSample] {
    try saving { (store) throws(StoreError) in try store.collected(samples, of: nil) }
  }

  /// The same of one type, or of all.
  func collected(_ samples: Set<UUID>, of type: QuantityType?) throws(StoreError) -> [WorkoutSample] {
    guard !samples.isEmpty else { return [] }
    let wanted = type.map { SamplePredicate.type(.quantity($0)) } ?? .all
    let found = try answer(SampleQuery(.and([.identifier(samples), wanted])), in: nil)
    var tracks: [UUID: QuantityTrack] = [:]
    for type in Set(found.compactMap(\.type.quantityType)) where type.isKnown {
      let ids = Set(found.lazy.filter { $0.type.quantityType == type }.map(\.id))
      for quantity in try answer(QuantityQuery(type, predicate: .identifier(ids)), in: nil) {
        tracks[quantity.sample, default: QuantityTrack()].append(quantity)
      }
    }
    return found.map { sample in
      WorkoutSample(
        id: sample.id, sample.type, from: DataSource(sample.source, sample.device),
        quantities: tracks[sample.id] ?? QuantityTrack())
    }
  }

  /// The energy that the strap counted, as a sample; nil where it counted none.
  func energy(
    of workout: UUID, _ recorded: [HealthSample], over span: TimeSpan, device: Device?
  ) throws(SessionCommitter.Failure) -> NewSample? {
    var rates: [HeartRateValue] = []
    for sample in recorded where sample.type == .quantity(.heartRate) {
      guard let session = sample.session else { continue }
      rates += try saving { (store) throws(StoreError) in try store.rates(of: session) }
    }
    do { return try WorkoutEnergy.sample(of: workout, from: rates, over: span, device: device) } catch {
      throw .timeline(error)
    }
  }

  /// The recovery of the heart rate after a workout, from the session that was recorded at its end.
  ///
  /// - Parameters:
  ///   - end: When the workout ended.
  ///   - collected: The samples that were collected with it.
  /// - Returns: The figure, or why there is none; nil where no session is of it.
  /// - Throws: `StoreError`, where the session cannot be read.
  package func recovery(
    after end: Timestamp, in collected: [HealthSample]
  ) throws(StoreError) -> Result<HeartRateRecovery, RecoveryRefusal>? {
    let last = collected.filter { $0.session != nil }.max { $0.end < $1.end }
    guard let session = last?.session else { return nil }
    let (beats, rates, gaps) = (try beats(of: session), try rates(of: session), try gaps(of: session))
    do throws(RecoveryRefusal) {
      return .success(try HeartRateRecovery(after: end, heartbeats: beats, rates: rates, gaps: gaps))
    } catch {
      return .failure(error)
    }
  }

  /// The recovery as a sample of its workout; nil where there is no figure.
  func recovery(
    after workout: Workout, _ recorded: [HealthSample], device: Device?
  ) throws(SessionCommitter.Failure) -> NewSample? {
    let answer = try saving { (store) throws(StoreError) in try store.recovery(after: workout.end, in: recorded) }
    guard let recovery = try? answer?.get() else { return nil }
    do { return try WorkoutRecovery.sample(of: recovery, after: workout, device: device) } catch {
      throw .timeline(error)
    }
  }

  /// The same failure as a commit's.
  func saving<Result>(
    _ body: (isolated HealthStore) throws(StoreError) -> Result
  ) throws(SessionCommitter.Failure) -> Result {
    do { return try body(self) } catch { throw .store(error) }
  }
}

extension QuantityTrack {
  fileprivate mutating func append(_ quantity: QuantityList.Element) {
    starts.append(quantity.span.start.microseconds)
    ends.append(quantity.span.end.microseconds)
    values.append(quantity.value)
  }
}
