/// The quantities that were collected with a workout, by type and source, for statistics of it and of its activities.
package struct CollectedQuantities: Sendable {
  private struct Series {
    var type: QuantityType
    /// By source, in the order in which the sources were first collected.
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

  /// Takes what is a quantity of a type that can be summed up.
  package init(_ samples: [WorkoutSample]) {
    var types: [QuantityType: Series] = [:]
    for sample in samples {
      guard let type = sample.type.quantityType, type.isKnown, sample.quantities.count > 0 else { continue }
      types[type, default: Series(type: type)].add(sample.quantities, from: sample.source)
    }
    series = types.values.sorted {
      ($0.type.identifier, $0.type.styleVersion) < ($1.type.identifier, $1.type.styleVersion)
    }
    // Statistics take the series of a source in the order of their starts.
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
