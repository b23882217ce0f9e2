package import FoundationEssentials
package import HealthModel
internal import SeriesStore

/// What other formats are made of.
extension SessionCatalogue {
  /// The values of what `name` means: a session, or a workout with what was recorded meanwhile.
  ///
  /// - Throws: ``SessionError``, where the name fits nothing or several of them; `StoreError`.
  @concurrent package func values(_ name: String) async throws -> RecordedValues {
    if case .workout(let workout) = try await named(name) { return try await values(ofWorkout: workout) }
    let (session, rates, gaps) = try await rates(name)
    // By its identity: what `last` means may have changed.
    let beats = try await recording(session.id.uuidString).beats
    return RecordedValues(
      id: session.id, device: session.device, source: session.source, span: Self.span(session.start, session.end),
      rates: rates, heartbeats: beats, gaps: gaps, metadata: session.metadata)
  }

  /// The sessions that have beats, and the workouts, of which a part lies in a time.
  @concurrent package func recordings(from start: Timestamp, to end: Timestamp) async throws -> [UUID] {
    let sessions = try await list().sessions.filter { $0.heartbeats.count > 0 && $0.start <= end && $0.end >= start }
    let workouts = SamplePredicate.and([.type(.workout), .time(from: start, to: end)])
    return try await sessions.map(\.id) + (store?.identifiers(SampleQuery(workouts)) ?? [])
  }

  /// The heart rates and beats of a workout: those that were collected with it, or else, as of one that came in from elsewhere, what was
  /// recorded meanwhile: the sessions, unless another source has rates over more than twice their time. Of what others saved, those rates
  /// of one source of which the most lie in its time.
  @concurrent private static func heart(of workout: Workout, in store: HealthStore) async throws -> [HealthSample] {
    let collected = try await recorded(with: workout.id, in: store)
    guard collected.isEmpty else { return collected }
    let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
    let meanwhile = try await SampleQuery(
      .and([.or(types.map { .type($0) }), .time(from: workout.start, to: workout.end)])
    ).result(for: store).value
    let sessions = meanwhile.filter { $0.session != nil }
    var best: (samples: [HealthSample], times: [Timestamp]) = ([], [])
    let others = meanwhile.filter { $0.session == nil && $0.type == .quantity(.heartRate) }
    for samples in Dictionary(grouping: others, by: { DataSource($0.source, $0.device) }).values {
      let times = try await Self.rates(of: samples, in: store).map(\.time).filter {
        $0 >= workout.start && $0 <= workout.end
      }
      // The same for the same store.
      let isFirst = samples.first?.id.uuidString ?? "" < best.samples.first?.id.uuidString ?? ""
      if times.count > best.times.count || (times.count == best.times.count && isFirst) { best = (samples, times) }
    }
    let covered = Dictionary(grouping: sessions, by: \.session).values.reduce(Int64(0)) { sum, samples in
      sum + (samples.map { min($0.end, workout.end).microseconds(since: max($0.start, workout.start)) }.max() ?? 0)
    }
    guard let first = best.times.min(), let last = best.times.max(), covered * 2 < last.microseconds(since: first)
    else {
      return sessions.isEmpty ? best.samples : sessions
    }
    return best.samples
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
    // Rates of the same sensor as its beats; of all where there are none.
    let ofBest = collected.filter { best == nil || $0.session == best?.session }
    let rates = try await Self.rates(of: ofBest, in: store)
      .filter { $0.time >= workout.start && $0.time <= workout.end }
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
