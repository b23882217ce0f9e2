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
  /// those of the source that statistics prefer, which has been there for the longest time. A source whose rates last less than half as long
  /// as another's does not count: a watch measures once in a while what a strap measures all the time.
  ///
  /// Of a source with rates alone, the beats are those of the source that has them for the longest time of the workout.
  @concurrent static func heart(
    of workout: Workout, _ source: SourceRevision, in store: HealthStore
  ) async throws -> WorkoutHeart {
    let types = SamplePredicate.or(heartTypes.map { .type($0) })
    let own = try await SampleQuery(.and([.collected(in: workout.id), types])).result(for: store).value
    guard own.isEmpty else { return WorkoutHeart(samples: own, isOwn: true) }
    let meanwhile = try await SampleQuery(.and([types, .time(from: workout.start, to: workout.end)]))
      .result(for: store).value
    var candidates: [Candidate] = []
    for (origin, samples) in Dictionary(grouping: meanwhile, by: { DataSource($0.source, $0.device) }) {
      let times = try await rates(of: samples, over: workout.span, in: store).map(\.time)
      candidates.append(
        Candidate(
          origin: origin, samples: samples, isOther: origin.source != source.identifier,
          covered: times.last.map { $0.microseconds(since: times[0]) }))
    }
    let longest = candidates.compactMap(\.covered).max() ?? 0
    var eligible = candidates.filter { $0.covered.map { $0 * 2 >= longest } ?? false }
    if eligible.count > 1 {
      for place in eligible.indices {
        eligible[place].first = try await firstRate(of: eligible[place].origin, in: store)
      }
    }
    var heart = WorkoutHeart()
    if let best = eligible.min(by: { $0.key < $1.key }) {
      heart = WorkoutHeart(samples: best.samples, source: best.origin)
    }
    guard !heart.samples.contains(where: { $0.type == .heartbeatSeries }) else { return heart }
    // The choice between equals is always the same for the same store.
    let withBeats = candidates.max {
      ($0.beatTime(in: workout.span), $1.origin.description) < ($1.beatTime(in: workout.span), $0.origin.description)
    }
    let beats = withBeats?.samples.filter { $0.type == .heartbeatSeries } ?? []
    heart.samples += beats
    if heart.source == nil, !beats.isEmpty { heart.source = withBeats?.origin }
    return heart
  }

  /// A source that comes into question.
  private struct Candidate {
    var origin: DataSource
    var samples: [HealthSample]
    var isOther: Bool
    /// The microseconds from its first rate in the workout to its last; nil without one.
    var covered: Int64?
    /// The start of its first rate in the store.
    var first: Timestamp?

    var key: (Int, Int64, String) { (isOther ? 1 : 0, first?.microseconds ?? .max, origin.description) }

    /// The microseconds of the workout in which it has beats.
    func beatTime(in span: TimeSpan) -> Int64 {
      samples.filter { $0.type == .heartbeatSeries }.reduce(0) { sum, sample in
        sum + max(0, min(sample.end, span.end).microseconds(since: max(sample.start, span.start)))
      }
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
