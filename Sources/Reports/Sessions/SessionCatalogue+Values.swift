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

  @concurrent private func values(ofWorkout id: UUID) async throws -> RecordedValues {
    let (store, sample) = try await stored(id)
    let workout = try await store.workout(id)
    let collected = try await Self.heart(of: workout, sample.source, in: store).samples
    var best: (beats: HeartbeatSeries, session: UUID, device: Device?, count: Int)?
    for sample in collected where sample.type == .heartbeatSeries {
      guard let session = sample.session else { continue }
      let beats = try await store.beats(of: session)
      let count = beats.locatedBeats.reduce(0) { $1.time >= workout.start && $1.time <= workout.end ? $0 + 1 : $0 }
      if count > best?.count ?? 0 { best = (beats, session, sample.device, count) }
    }
    // Rates of the same sensor as the beats; without beats, of all sensors.
    let ofBest = collected.filter { best == nil || $0.session == best?.session }
    let hasRates = ofBest.contains { $0.type == .quantity(.heartRate) }
    let rates = try await Self.rates(of: hasRates ? ofBest : collected, in: store)
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
