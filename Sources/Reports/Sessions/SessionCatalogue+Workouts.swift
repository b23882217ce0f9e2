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
    for sample in try await query.result(for: store).value {
      let workout = try await store.workout(sample.id)
      guard try await !Self.heart(of: workout, sample.source, in: store).samples.isEmpty else { continue }
      return sample.id
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
    let collected = try await Self.heart(of: entry.workout, sample.source, in: store).samples
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
    let quantities = try await Self.quantities(of: collected, over: workout.span, in: store)
    var rates: [TimeSpan: WorkoutStatistics] = [:]
    for span in spans { rates[span] = quantities.statistics(over: span, without: workout.pauses).first }
    return rates
  }

  /// The recovery of the heart rate after a workout.
  ///
  /// - Throws: ``SessionError/noHeartbeats(_:)`` for a workout to which no session belongs.
  @concurrent package func recovery(afterWorkout workout: UUID) async throws -> RecoveryAnswer {
    let (store, sample) = try await stored(workout)
    let heart = try await Self.heart(of: store.workout(workout), sample.source, in: store)
    guard let answer = try await store.recovery(after: sample.end, in: heart.samples)
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
    var workout = try await store.workout(sample.id)
    var heartSource: DataSource?
    if workout.statistics(for: .heartRate) == nil {
      let heart = try await Self.heart(of: workout, sample.source, in: store)
      if !heart.isOwn, !heart.samples.isEmpty {
        workout = workout.with(
          heartOf: try await quantities(of: heart.samples, over: workout.span, in: store))
        heartSource = heart.source
      }
    }
    return WorkoutEntry(
      workout, source: sample.source, device: sample.device,
      recovery: recovery?.summary?.mostRecent, isDoubtful: try await store.clock(of: sample.id)?.isDoubtful ?? false,
      heartSource: heartSource)
  }

  @concurrent func stored(_ workout: UUID) async throws -> (store: HealthStore, sample: HealthSample) {
    let query = SampleQuery(.and([.type(.workout), .identifier([workout])]))
    guard let store, let sample = try await query.result(for: store).value.first else {
      throw SessionError.notFound(String(workout.uuidString.lowercased().prefix(8)), store: location.path)
    }
    return (store, sample)
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
}
