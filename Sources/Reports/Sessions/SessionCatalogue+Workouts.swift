package import Documents
package import FoundationEssentials
package import HealthModel
internal import Ingestion
internal import SeriesStore

/// The stored workouts beside the sessions. They are named in the same way.
extension SessionCatalogue {
  /// The kinds of recordings that a name can mean.
  package enum Named: Sendable {
    /// A session by that name.
    case session(FoundSession)
    /// A workout.
    case workout(UUID)
  }

  /// The workout or session that `text` means. `last` is the newest of both that has values.
  ///
  /// - Throws: ``SessionError``, where the name fits nothing or several of them; `StoreError`.
  @concurrent package func named(_ text: String) async throws -> Named {
    guard let name = SessionName(text) else { throw SessionError.noNameOfEither(text) }
    guard name != .last else { return try await newest() }
    let workouts = try await workouts(named: name)
    var session: FoundSession?
    do {
      session = try await self.session(text)
    } catch SessionError.notFound {
      // A workout may have the name.
    } catch  where !workouts.isEmpty && Self.isAmbiguity(error) {
      throw SessionError.ambiguousWorkout(text)
    }
    guard let workout = workouts.first else {
      guard let session else { throw SessionError.neitherFound(text, store: location.path) }
      return .session(session)
    }
    guard workouts.count == 1, session == nil else { throw SessionError.ambiguousWorkout(text) }
    return .workout(workout)
  }

  /// The stored workouts by that name.
  @concurrent func workouts(named name: SessionName) async throws -> [UUID] {
    try await store?.identifiers(SampleQuery(.type(.workout))).filter { name.matches($0) } ?? []
  }

  private static func isAmbiguity(_ error: any Error) -> Bool {
    if case SessionError.ambiguous = error { return true }
    return (error as? StoreError)?.code == .ambiguous
  }

  /// The newest session or workout with values; a session of the same start is the newer one.
  @concurrent private func newest() async throws -> Named {
    let session: FoundSession
    do {
      session = try await self.session("last")
    } catch let absence as SessionError {
      guard case .noneYet = absence, let workout = try await newestWorkout(after: nil) else { throw absence }
      return .workout(workout)
    }
    return try await newestWorkout(after: session.summary.start).map { .workout($0) } ?? .session(session)
  }

  @concurrent private func newestWorkout(after start: Timestamp?) async throws -> UUID? {
    guard let store else { return nil }
    let later = start.map { SamplePredicate.time(from: $0.advanced(byMicroseconds: 1), to: nil, strictness: .start) }
    let query = SampleQuery(
      .and([.type(.workout), later ?? .all]), order: [SampleQuery.Order(.start, isDescending: true)])
    for id in try await store.identifiers(query) {
      guard try await !Self.heart(of: store.workout(id), in: store).isEmpty else { continue }
      return id
    }
    return nil
  }

  /// The workout whose stored recovery is of the same heart and of a part of the same minute; nil without such a workout.
  @concurrent package func workout(
    withRecoveryDuring minute: TimeSpan, in session: SessionSummary
  ) async throws -> UUID? {
    guard let store else { return nil }
    let during = SamplePredicate.time(from: minute.start, to: minute.end)
    let workouts = SamplePredicate.and([.type(.workout), .time(from: session.start, to: minute.end)])
    for workout in try await store.identifiers(SampleQuery(workouts)) {
      let its = SamplePredicate.collected(in: workout)
      let recoveries = try await store.identifiers(SampleQuery(.and([Self.recoveries, during, its]), limit: 1))
      let recorded = try await store.identifiers(SampleQuery(.and([.session(session.id), its]), limit: 1))
      if !recoveries.isEmpty, !recorded.isEmpty { return workout }
    }
    return nil
  }

  /// The content of the store beside sessions: the number of workouts, and the quantity types by name, the heart rate first.
  @concurrent package func others() async throws -> (workouts: Int, types: [String]) {
    guard let store else { return (0, []) }
    let types = try await store.quantityTypes().map(\.identifier)
    let heartRate = QuantityType.heartRate.identifier
    return (
      try await store.identifiers(SampleQuery(.type(.workout))).count,
      types.filter { $0 == heartRate } + types.filter { $0 != heartRate }
    )
  }

  /// The stored workouts that match and can be read, oldest first, and the damages of the others.
  @concurrent package func workouts(
    _ predicate: SamplePredicate = .all
  ) async throws -> (workouts: [WorkoutEntry], damages: [String]) {
    guard let store else { return ([], []) }
    let samples = try await SampleQuery(.and([.type(.workout), predicate])).result(for: store).value
    let recoveries = try await SampleQuery(Self.recoveries, order: [], limit: 1).result(for: store).value
    var entries: [WorkoutEntry] = []
    var damages: [String] = []
    for sample in samples {
      do {
        entries.append(try await Self.entry(of: sample, in: store, hasRecovery: !recoveries.isEmpty))
      } catch let error as StoreError {
        switch error.code {
        case .corrupt: damages.append(error.message)
        // Somebody deleted it meanwhile.
        case .notFound: break
        default: throw error
        }
      }
    }
    return (entries, damages)
  }

  /// Everything that is shown of one workout; where zones are given, with the time in each.
  @concurrent package func report(
    ofWorkout workout: UUID, zones: HeartRateZones? = nil
  ) async throws -> WorkoutReport {
    let (store, sample) = try await stored(workout)
    let entry = try await Self.entry(of: sample, in: store, hasRecovery: true)
    let collected = try await Self.recorded(with: workout, in: store)
    var times: ZoneTimes?
    if let zones {
      let rates = try await Self.rates(of: collected, in: store)
      times = ZoneTimes(zones, of: rates, in: entry.workout)
    }
    return WorkoutReport(
      entry, recovery: try await store.recovery(after: entry.workout.end, in: collected), zones: times,
      routes: try await Self.routes(of: workout, in: store),
      lapRates: try await Self.lapRates(of: entry.workout, collected, in: store))
  }

  /// The heart rates of each lap and segment, as those of activities are computed.
  @concurrent private static func lapRates(
    of workout: Workout, _ collected: [HealthSample], in store: HealthStore
  ) async throws -> [TimeSpan: WorkoutStatistics] {
    let events = workout.events + workout.activities.flatMap(\.events)
    let spans = Set(events.filter { $0.type == .lap || $0.type == .segment }.map(\.span))
    guard !spans.isEmpty else { return [:] }
    var samples: [WorkoutSample] = []
    for sample in collected where sample.type == .quantity(.heartRate) {
      let values = try await QuantityQuery(.heartRate, predicate: .identifier([sample.id])).result(for: store).value
      samples.append(
        WorkoutSample(
          sample.type, from: DataSource(sample.source, sample.device),
          quantities: QuantityTrack(
            starts: values.map(\.span.start.microseconds), ends: values.map(\.span.end.microseconds),
            values: values.map(\.value))))
    }
    let quantities = CollectedQuantities(samples)
    var rates: [TimeSpan: WorkoutStatistics] = [:]
    for span in spans { rates[span] = quantities.statistics(over: span, without: workout.pauses).first }
    return rates
  }

  /// The recovery of the heart rate after a workout.
  ///
  /// - Throws: ``SessionError/noHeartbeats(_:)`` for a workout to which no session belongs.
  @concurrent package func recovery(afterWorkout workout: UUID) async throws -> RecoveryAnswer {
    let (store, sample) = try await stored(workout)
    guard
      let answer = try await store.recovery(
        after: sample.end, in: try await Self.recorded(with: workout, in: store))
    else { throw SessionError.noHeartbeats(String(workout.uuidString.lowercased().prefix(8))) }
    return RecoveryAnswer(after: sample.end, answer)
  }

  private static let recoveries = SamplePredicate.type(.quantity(.heartRateRecoveryOneMinute))

  @concurrent private static func entry(
    of sample: HealthSample, in store: HealthStore, hasRecovery: Bool
  ) async throws -> WorkoutEntry {
    let recovery =
      hasRecovery
      ? try await SampleQuery(.and([recoveries, .collected(in: sample.id)]), order: []).result(for: store).value.last
      : nil
    return WorkoutEntry(
      try await store.workout(sample.id), source: sample.source, device: sample.device,
      recovery: recovery?.summary?.mostRecent, isDoubtful: try await store.clock(of: sample.id)?.isDoubtful ?? false)
  }

  @concurrent func stored(_ workout: UUID) async throws -> (store: HealthStore, sample: HealthSample) {
    let query = SampleQuery(.and([.type(.workout), .identifier([workout])]))
    guard let store, let sample = try await query.result(for: store).value.first else {
      throw SessionError.notFound(String(workout.uuidString.lowercased().prefix(8)), store: location.path)
    }
    return (store, sample)
  }

  /// The heart rates and beats that were collected with a workout.
  @concurrent static func recorded(with workout: UUID, in store: HealthStore) async throws -> [HealthSample] {
    let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
    return try await SampleQuery(.and([.collected(in: workout), .or(types.map { .type($0) })]))
      .result(for: store).value
  }

  /// The routes of a workout, oldest first.
  @concurrent private static func routes(
    of workout: UUID, in store: HealthStore
  ) async throws -> [WorkoutReport.Route] {
    let samples = try await SampleQuery(.and([.collected(in: workout), .type(.workoutRoute)])).result(for: store).value
    var routes: [WorkoutReport.Route] = []
    for sample in samples {
      let locations = try await WorkoutRouteQuery(sample.id).result(for: store).value
      routes.append(WorkoutReport.Route(sample, through: locations))
    }
    return routes
  }

  /// The rates of sessions, and those of other programs, in order of time.
  @concurrent static func rates(
    of collected: [HealthSample], in store: HealthStore
  ) async throws -> [HeartRateValue] {
    var rates: [HeartRateValue] = []
    for sample in collected where sample.type == .quantity(.heartRate) {
      if let session = sample.session {
        rates += try await store.rates(of: session)
      } else {
        let found = try await QuantityQuery(.heartRate, predicate: .identifier([sample.id])).result(for: store).value
        rates += found.map {
          HeartRateValue(
            time: $0.span.start, beatsPerMinute: UInt16(clamping: Int(max(0, min($0.value, 65_535)).rounded())))
        }
      }
    }
    return rates.sorted { $0.time < $1.time }
  }
}
