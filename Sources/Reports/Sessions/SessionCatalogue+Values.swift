package import FoundationEssentials
package import HealthModel
package import SeriesStore

/// The values for other formats.
extension SessionCatalogue {
  /// The values of what `name` means: a session, or a workout with what was recorded meanwhile.
  ///
  /// - Throws: ``SessionError``, where the name fits nothing or several of them; `StoreError`.
  @concurrent package func values(_ name: String) async throws -> RecordedValues {
    switch try await named(name) {
    case .session(let session): try await session.values()
    case .workout(let workout): try await values(ofWorkout: workout)
    }
  }

  /// Alterations of the rows of a session; empty for a session in the journal.
  @concurrent package func alterations(of session: UUID) async throws -> [StoreDamage] {
    try await store?.alterations(of: session) ?? []
  }

  /// The sessions that have beats, and the workouts, of which a part lies in a time.
  @concurrent package func recordings(from start: Timestamp, to end: Timestamp) async throws -> [UUID] {
    let sessions = try await list().sessions.filter { $0.heartbeats.count > 0 && $0.start <= end && $0.end >= start }
    let workouts = SamplePredicate.and([.type(.workout), .time(from: start, to: end)])
    return try await sessions.map(\.id) + (store?.identifiers(SampleQuery(workouts)) ?? [])
  }

  /// The heart rates and beats of a workout: those that were collected with it or else, as for an imported workout, those that
  /// were recorded meanwhile: the sessions, unless another source has rates over more than twice their time. Of other programs'
  /// rates, those of the source with the most rates in the workout's time; so also where the session that has the beats has no
  /// rates in it.
  @concurrent static func heart(of workout: Workout, in store: HealthStore) async throws -> [HealthSample] {
    let collected = try await recorded(with: workout.id, in: store)
    guard collected.isEmpty else { return collected }
    let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
    let meanwhile = try await Self.meanwhile(types, workout, in: store)
    let sessions = meanwhile.filter { $0.session != nil }
    let best = try await Self.mostRates(meanwhile.filter { $0.session == nil }, of: workout, in: store)
    let times = best.rates.map(\.time)
    let covered = Dictionary(grouping: sessions, by: \.session).values.reduce(Int64(0)) { sum, samples in
      sum + (samples.map { min($0.end, workout.end).microseconds(since: max($0.start, workout.start)) }.max() ?? 0)
    }
    guard let first = times.min(), let last = times.max(), covered * 2 < last.microseconds(since: first)
    else {
      return sessions.isEmpty ? best.samples : sessions
    }
    return best.samples
  }

  @concurrent private static func meanwhile(
    _ types: [SampleType], _ workout: Workout, in store: HealthStore
  ) async throws -> [HealthSample] {
    try await SampleQuery(.and([.or(types.map { .type($0) }), .time(from: workout.start, to: workout.end)]))
      .result(for: store).value
  }

  /// The origin of rates that can replace one another: a session or a source.
  private enum Origin: Hashable {
    case session(UUID)
    case source(DataSource)
  }

  /// The rates of the one session or source that has the most rates in the time of a workout.
  @concurrent private static func mostRates(
    _ samples: [HealthSample], of workout: Workout, in store: HealthStore
  ) async throws -> (samples: [HealthSample], rates: [HeartRateValue]) {
    let origins = Dictionary(grouping: samples.filter { $0.type == .quantity(.heartRate) }) { sample -> Origin in
      sample.session.map { .session($0) } ?? .source(DataSource(sample.source, sample.device))
    }
    var best: (samples: [HealthSample], rates: [HeartRateValue]) = ([], [])
    for samples in origins.values {
      let rates = try await Self.rates(of: samples, in: store)
        .filter { $0.time >= workout.start && $0.time <= workout.end }
      // The choice between equals is always the same for the same store.
      let isFirst = samples.first?.id.uuidString ?? "" < best.samples.first?.id.uuidString ?? ""
      if rates.count > best.rates.count || (rates.count == best.rates.count && isFirst) { best = (samples, rates) }
    }
    return best
  }

  @concurrent private func values(ofWorkout id: UUID) async throws -> RecordedValues {
    let (store, sample) = try await stored(id)
    let workout = try await store.workout(id)
    let collected = try await Self.heart(of: workout, in: store)
    var best: (beats: HeartbeatSeries, session: UUID, device: Device?, count: Int)?
    for sample in collected where sample.type == .heartbeatSeries {
      guard let session = sample.session else { continue }
      let beats = try await store.beats(of: session)
      let count = beats.locatedBeats.reduce(0) { $1.time >= workout.start && $1.time <= workout.end ? $0 + 1 : $0 }
      if count > best?.count ?? 0 { best = (beats, session, sample.device, count) }
    }
    // Rates of the same sensor as the beats; without beats, of all sensors.
    let ofBest = collected.filter { best == nil || $0.session == best?.session }
    var rates = try await Self.rates(of: ofBest, in: store)
      .filter { $0.time >= workout.start && $0.time <= workout.end }
    // A session of intervals alone hides no rates that others have.
    if rates.isEmpty, best != nil, try await Self.recorded(with: id, in: store).isEmpty {
      let others = try await Self.meanwhile([.quantity(.heartRate)], workout, in: store)
      rates = try await Self.mostRates(others, of: workout, in: store).rates
    }
    let sessions =
      best.map { [$0.session] } ?? Set(collected.compactMap(\.session)).sorted { $0.uuidString < $1.uuidString }
    var gaps: [RecordingGap] = []
    for session in sessions { gaps += try await store.gaps(of: session) }
    return RecordedValues(
      id: id, device: best?.device ?? sample.device ?? Device(), source: sample.source, span: workout.span,
      rates: rates,
      heartbeats: best?.beats ?? HeartbeatSeries(), gaps: gaps.sorted { $0.start < $1.start }, workout: workout)
  }
}

/// Everything that was measured in a session, or while a workout lasted.
package struct RecordedValues: Sendable {
  package var id: UUID
  package var device: Device
  package var source: SourceRevision
  package var span: TimeSpan
  /// The rates in order of time.
  package var rates: [HeartRateValue]
  /// The beats; of several sessions in a workout, those of the one with the most beats in its time: two straps are not one heart
  /// that beats twice.
  package var heartbeats: HeartbeatSeries
  /// The gaps of the session that has the beats.
  package var gaps: [RecordingGap]
  /// The workout; nil for a session.
  package var workout: Workout?
  /// The metadata of the session; empty for a workout, which has its own.
  package var metadata: Metadata = [:]
}
