internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// The heart of a workout: by one rule wherever it is shown, so that no figure mixes sources.
extension SessionCatalogue {
  /// The samples that have the rates and beats of a workout.
  struct WorkoutHeart {
    var samples: [HealthSample] = []
    /// Whether they belong to the workout itself.
    var isOwn = false
    /// Their source; nil for the workout's own.
    var source: DataSource?
  }

  private static let heartTypes: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]

  /// The heart of a workout: samples that were collected with it; else those of its source in its time, as of most imported workouts; else
  /// those of the source that statistics prefer, which has been there for the longest time.
  @concurrent static func heart(
    of workout: Workout, _ source: SourceRevision, in store: HealthStore
  ) async throws -> WorkoutHeart {
    let types = SamplePredicate.or(heartTypes.map { .type($0) })
    let own = try await SampleQuery(.and([.collected(in: workout.id), types])).result(for: store).value
    guard own.isEmpty else { return WorkoutHeart(samples: own, isOwn: true) }
    let meanwhile = try await SampleQuery(.and([types, .time(from: workout.start, to: workout.end)]))
      .result(for: store).value
    let origins = Dictionary(grouping: meanwhile) { DataSource($0.source, $0.device) }
    var best: (rank: Rank, heart: WorkoutHeart)?
    for (origin, samples) in origins {
      let rank = Rank(
        hasNoRate: try await rates(of: samples, over: workout.span, in: store).isEmpty,
        isOther: origin.source != source.identifier,
        first: try await origins.count == 1 ? nil : firstRate(of: origin, in: store), name: origin.description)
      if best.map({ rank < $0.rank }) ?? true { best = (rank, WorkoutHeart(samples: samples, source: origin)) }
    }
    return best?.heart ?? WorkoutHeart()
  }

  /// The order in which sources come into question.
  private struct Rank: Comparable {
    var hasNoRate: Bool
    var isOther: Bool
    /// The start of its first rate in the store.
    var first: Timestamp?
    var name: String

    static func < (one: Rank, other: Rank) -> Bool {
      func key(_ rank: Rank) -> (Int, Int, Int64, String) {
        (rank.hasNoRate ? 1 : 0, rank.isOther ? 1 : 0, rank.first?.microseconds ?? .max, rank.name)
      }
      return key(one) < key(other)
    }
  }

  @concurrent private static func firstRate(of origin: DataSource, in store: HealthStore) async throws -> Timestamp? {
    let device = origin.device.map { [SamplePredicate.device($0)] } ?? []
    let samples = SamplePredicate.and([.type(.quantity(.heartRate)), .source(origin.source)] + device)
    return try await SampleQuery(samples, limit: 1).result(for: store).value.first?.start
  }

  /// The heart rates of samples as quantities, for figures over the span.
  @concurrent static func quantities(
    of samples: [HealthSample], over span: TimeSpan, in store: HealthStore
  ) async throws -> CollectedQuantities {
    var found: [WorkoutSample] = []
    for sample in samples where sample.type == .quantity(.heartRate) {
      let query = QuantityQuery(
        .heartRate, predicate: .identifier([sample.id]), from: span.start, to: span.end.advanced(byMicroseconds: 1))
      found.append(
        WorkoutSample(
          sample.type, from: DataSource(sample.source, sample.device),
          quantities: try await query.result(for: store).value.quantities))
    }
    return CollectedQuantities(found)
  }

  /// The rates of samples in order of time; those of one source over a time.
  @concurrent static func rates(
    of samples: [HealthSample], over span: TimeSpan? = nil, in store: HealthStore
  ) async throws -> [HeartRateValue] {
    var rates: [HeartRateValue] = []
    for sample in samples where sample.type == .quantity(.heartRate) {
      if span == nil, let session = sample.session {
        rates += try await store.rates(of: session)
        continue
      }
      let query = QuantityQuery(
        .heartRate, predicate: .identifier([sample.id]), from: span?.start, to: span?.end.advanced(byMicroseconds: 1))
      rates += try await query.result(for: store).value.map {
        HeartRateValue(
          time: $0.span.start, beatsPerMinute: UInt16(clamping: Int(max(0, min($0.value, 65_535)).rounded())))
      }
    }
    return rates.sorted { $0.time < $1.time }
  }
}
