import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// Random series of several sources around the days on which clocks change, and the answers that a store must give.
struct StatisticsWorld {
  private struct Series {
    var source: DataSource
    var type: QuantityType
    var track: QuantityTrack
  }

  private static let second: Int64 = 1_000_000
  private static let zones = ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/New_York"]
  private var series: [Series] = []
  private let types: [QuantityType] = [.heartRate, .stepCount, .bodyMass, .environmentalAudioExposure]
  /// Two hours before clocks change in Europe, in spring or in autumn of 2024.
  private let origin: Int64

  init(_ random: inout SeededGenerator) {
    origin = (Bool.random(using: &random) ? 1_711_839_600 : 1_729_983_600) * Self.second
    for _ in 0..<Int.random(in: 3...14, using: &random) {
      let name = ["strap", "watch", "phone"][Int.random(in: 0..<3, using: &random)]
      var time = origin + Int64.random(in: 0..<40_000, using: &random) * Self.second
      let hasDurations = Int.random(in: 0..<4, using: &random) == 0
      let step = Int64([1, 3, 4, 5, 30, 700][Int.random(in: 0..<6, using: &random)])
      // Dense series are long enough to go over a border of a quarter of an hour.
      let limit = step < 10 ? 500 : 100
      var track = QuantityTrack()
      for _ in 0..<Int.random(in: 1...limit, using: &random) {
        track.starts.append(time)
        track.values.append(Double(Int.random(in: 400...990, using: &random)) / 10)
        let length = Int64.random(in: 0...step, using: &random) * Self.second
        if hasDurations { track.ends.append(time + length) }
        // Equal starts would replace each other in a builder that sorts.
        time += Int64.random(in: 1...step * 2, using: &random) * Self.second
      }
      series.append(
        Series(
          source: DataSource(source: "test", device: name), type: types[max(0, Int.random(in: -2..<4, using: &random))],
          track: track))
    }
  }

  func save(into store: HealthStore) async throws {
    for series in series {
      let start = Timestamp(microseconds: series.track.starts[0])
      let device = Device(localIdentifier: series.source.device)
      var builder = QuantitySeriesBuilder(type: series.type, start: start, device: device)
      for (index, start) in series.track.starts.enumerated() {
        let end = series.track.ends.isEmpty ? start : series.track.ends[index]
        try builder.insert(
          series.track.values[index], from: Timestamp(microseconds: start), to: Timestamp(microseconds: end))
      }
      try await store.save([try builder.finish()], as: SourceRevision(identifier: "test", name: "Test"))
    }
  }

  func query(_ random: inout SeededGenerator) throws -> StatisticsCollectionQuery {
    let type = types[max(0, Int.random(in: -2..<4, using: &random))]
    let zone = try TimeZoneRules.named(Self.zones[Int.random(in: 0..<Self.zones.count, using: &random)])
    let intervals = ["15m", "1h", "30m", "7m", "1d", "3h", "1w", "1mo", "2d"]
    let interval = try CalendarInterval(parsing: intervals[Int.random(in: 0..<intervals.count, using: &random)])
    let gap = WeightingPolicy.standardGapMicroseconds
    let policies: [WeightingPolicy] = [
      .ownDuration, .holdLast(maximumGapMicroseconds: gap), .trapezoid(maximumGapMicroseconds: gap),
      .holdLast(maximumGapMicroseconds: 3 * Self.second),
    ]
    var options = StatisticsOptions.all(for: type)
    if Int.random(in: 0..<3, using: &random) == 0 { options.insert(.separateBySource) }
    let anchor = Timestamp(microseconds: origin + Int64.random(in: -90_000...90_000, using: &random) * Self.second)
    let from = Timestamp(microseconds: origin + Int64.random(in: -5000...60_000, using: &random) * Self.second)
    let isLimited = Bool.random(using: &random)
    return try StatisticsCollectionQuery(
      type, options,
      buckets: Bool.random(using: &random)
        ? .natural(interval, zone: zone) : .calendar(interval, anchor: anchor, zone: zone),
      from: isLimited ? from : nil,
      to: isLimited
        ? from.advanced(byMicroseconds: Int64.random(in: 1...50_000, using: &random) * Self.second) : nil,
      policy: policies[Int.random(in: 0..<4, using: &random)],
      priority: Bool.random(using: &random)
        ? [DataSource(source: "test", device: "watch"), DataSource(source: "test", device: "phone")] : [])
  }

  /// The fault in an answer; nil if there is none.
  func difference(_ query: StatisticsCollectionQuery, _ found: [Statistics]) throws -> String? {
    // Of equal starts in one source the quantity of the series that started last is the most recent one.
    let mine = series.filter { $0.type == query.type }.enumerated()
      .sorted { ($0.element.track.starts[0], $0.offset) < ($1.element.track.starts[0], $1.offset) }.map(\.element)
    let starts = mine.flatMap(\.track.starts)
    let ends = mine.flatMap { $0.track.ends.isEmpty ? $0.track.starts : $0.track.ends }
    guard let first = query.from ?? starts.min().map(Timestamp.init(microseconds:)),
      let last = query.to ?? ends.max().map({ Timestamp(microseconds: $0 + 1) })
    else { return found.isEmpty ? nil : "an answer without data" }
    let buckets =
      switch query.buckets {
      case .calendar(let interval, let anchor, let zone): CalendarBuckets(every: interval, from: anchor, in: zone)
      case .natural(let interval, let zone): CalendarBuckets(every: interval, containing: first, in: zone)
      case .single: throw StatisticsError.emptyRange
      }
    let edges = try buckets.edges(from: first, to: last)
    // Ranks: named ones first, then by the start of their first sample of the type, then by name.
    var sources = query.priority
    let byStart = mine.sorted {
      ($0.track.starts[0], $0.source.device ?? "") < ($1.track.starts[0], $1.source.device ?? "")
    }
    for series in byStart where !sources.contains(series.source) { sources.append(series.source) }
    func answer(_ part: [DataSource], _ source: DataSource?) throws -> [Statistics] {
      var expected = try StatisticsBuckets(edges: edges, type: query.type, policy: query.policy)
      expected.add(part.map { name in mine.filter { $0.source == name }.map(\.track) })
      return try expected.results(query.options, sources: part, source: source)
    }
    var expected: [Statistics] = []
    if query.options.contains(.separateBySource) {
      for source in sources {
        // A source whose samples do not touch the time asked for has no buckets.
        let touches = mine.contains { series in
          let end = series.track.ends.max() ?? series.track.starts.max() ?? 0
          return series.source == source && series.track.starts[0] < edges[edges.count - 1] && end >= edges[0]
        }
        if touches { expected += try answer([source], source) }
      }
    } else {
      expected = try answer(sources, nil)
    }
    return Statistics.difference(found, expected)
  }
}
