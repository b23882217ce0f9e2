public import FoundationEssentials

/// The figures of one quantity type over a workout or one of its activities, pauses left out.
///
/// The figures are those of ``Statistics`` for one stretch of time, its start included and its end excluded. Sources that
/// measured at the same time are merged; the one that was collected first has priority.
public struct WorkoutStatistics: Hashable, Sendable, Codable {
  /// The quantity type, with the unit of all values here.
  public var type: QuantityType
  /// The number of quantities that contributed; 1 or more.
  public var count: Int
  /// The sum; nil for discrete types.
  public var sum: Double?
  /// The mean by the type's style; nil for cumulative types.
  public var average: Double?
  /// The smallest value; nil for cumulative types.
  public var minimum: Double?
  /// The greatest value; nil for cumulative types.
  public var maximum: Double?
  /// The value that starts last.
  public var mostRecent: Double?
  /// The time of the most recent value.
  public var mostRecentSpan: TimeSpan?

  /// Figures with the given parts.
  public init(
    _ type: QuantityType, count: Int, sum: Double? = nil, average: Double? = nil, minimum: Double? = nil,
    maximum: Double? = nil, mostRecent: Double? = nil, mostRecentSpan: TimeSpan? = nil
  ) {
    self.type = type
    self.count = count
    self.sum = sum
    self.average = average
    self.minimum = minimum
    self.maximum = maximum
    self.mostRecent = mostRecent
    self.mostRecentSpan = mostRecentSpan
  }

  /// One of the figures with its unit; nil if the type does not have that figure.
  public func quantity(_ figure: SamplePredicate.QuantityFigure) -> Quantity? {
    let value =
      switch figure {
      case .sum: sum
      case .average: average
      case .minimum: minimum
      case .maximum: maximum
      case .mostRecent: mostRecent
      }
    return value.map { Quantity($0, type.unit) }
  }
}

/// The quantities that were collected with a workout, by type and source, for statistics of it and of its activities.
package struct CollectedQuantities: Sendable {
  private struct Series {
    var type: QuantityType
    /// The sources in the order in which they were first collected.
    var sources: [DataSource] = []
    var tracks: [[QuantityTrack]] = []

    mutating func add(_ track: QuantityTrack, from source: DataSource) {
      if let rank = sources.firstIndex(of: source) {
        tracks[rank].append(track)
      } else {
        sources.append(source)
        tracks.append([track])
      }
    }
  }

  private var series: [Series] = []

  /// Collects the quantities of all types that can be summed up.
  package init(_ samples: [WorkoutSample]) {
    var types: [QuantityType: Series] = [:]
    for sample in samples {
      guard let type = sample.type.quantityType, type.isKnown, sample.quantities.count > 0 else { continue }
      types[type, default: Series(type: type)].add(sample.quantities, from: sample.source)
    }
    series = types.values.sorted {
      ($0.type.identifier, $0.type.styleVersion) < ($1.type.identifier, $1.type.styleVersion)
    }
    // Statistics need the series of a source in the order of their starts.
    for index in series.indices {
      for rank in series[index].tracks.indices {
        series[index].tracks[rank].sort { $0.starts.first ?? .max < $1.starts.first ?? .max }
      }
    }
  }

  /// The figures of each type that has a value in the span and outside of the pauses.
  package func statistics(over span: TimeSpan, without pauses: TimeStretches) -> [WorkoutStatistics] {
    series.compactMap { Self.figures(of: $0, over: span, without: pauses) }
  }

  /// The figures of one type; nil if it has no such value.
  func statistics(
    for type: QuantityType, over span: TimeSpan, without pauses: TimeStretches
  ) -> WorkoutStatistics? {
    series.first { $0.type == type }.flatMap { Self.figures(of: $0, over: span, without: pauses) }
  }

  private static func figures(
    of series: Series, over span: TimeSpan, without pauses: TimeStretches
  ) -> WorkoutStatistics? {
    let type = series.type
    // A span without duration holds nothing, and is no bucket.
    guard var buckets = try? StatisticsBuckets(edges: [span.start.microseconds, span.end.microseconds], type: type)
    else { return nil }
    buckets.add(series.tracks, without: pauses)
    guard let figures = try? buckets.results(.all(for: type), sources: series.sources).first, figures.count > 0
    else { return nil }
    return WorkoutStatistics(
      type, count: figures.count, sum: figures.sum, average: figures.average, minimum: figures.minimum,
      maximum: figures.maximum, mostRecent: figures.mostRecent, mostRecentSpan: figures.mostRecentSpan)
  }
}

/// A sample that was collected with a workout: its identifier, and the parts that statistics need.
public struct WorkoutSample: Hashable, Sendable, Identifiable {
  /// The identifier under which the sample is saved.
  public var id: UUID
  /// The type of the sample.
  public var type: SampleType
  /// The program and the device that the sample comes from.
  public var source: DataSource
  /// The values, in the unit of the type; empty for a sample without quantities.
  public var quantities: QuantityTrack

  /// A sample with the given parts.
  public init(id: UUID = UUID(), _ type: SampleType, from source: DataSource, quantities: QuantityTrack = .init()) {
    self.id = id
    self.type = type
    self.source = source
    self.quantities = quantities
  }
}

extension Workout {
  /// A copy in which each lap and segment of a swim has its SWOLF score: strokes plus seconds, pauses left out.
  ///
  /// A lap or segment without a counted stroke has no score, and a score that a program gave stays.
  func scored(_ quantities: CollectedQuantities) -> Workout {
    let pauses = pauses
    let swims = activities.filter { $0.configuration.activityType == .swimming }.map(\.span)
    let isSwim = configuration.activityType == .swimming
    func score(_ event: WorkoutEvent, isSwum: Bool) -> WorkoutEvent {
      guard isSwum, event.type == .lap || event.type == .segment, event.metadata[WorkoutEvent.swolfScoreKey] == nil,
        let strokes = quantities.statistics(for: .swimmingStrokeCount, over: event.span, without: pauses)?.sum,
        strokes > 0
      else { return event }
      var event = event
      let seconds = Double(pauses.microsecondsLeft(of: event.span)) / 1e6
      event.metadata[WorkoutEvent.swolfScoreKey] = .quantity(Quantity(strokes + seconds, .count))
      return event
    }
    return Workout(
      id: id, configuration, over: span,
      events: events.map { event in
        score(
          event,
          isSwum: isSwim || swims.contains { $0.start <= event.span.start && event.span.end <= $0.end })
      },
      activities: activities.map { activity in
        var activity = activity
        activity.events = activity.events.map {
          score($0, isSwum: activity.configuration.activityType == .swimming)
        }
        return activity
      }, metadata: metadata, allStatistics: allStatistics)
  }
}
