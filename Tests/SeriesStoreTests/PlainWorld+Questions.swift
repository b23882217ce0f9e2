import FoundationEssentials
import TestSupport

@testable import HealthModel
@testable import SeriesStore

extension PlainWorld {
  /// A selection of samples: as a predicate of the store, and as a closure.
  private struct Choice {
    var predicate: SamplePredicate
    var holds: (Sample) -> Bool
  }

  private func choice(_ random: inout SeededGenerator) -> Choice {
    let from = Int.random(in: 0..<Self.length, using: &random)
    let to = Int.random(in: from...Self.length, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return Choice(predicate: .source("a")) { $0.source.source == "a" }
    case 1: return Choice(predicate: .not(.device("watch"))) { $0.source.device != "watch" }
    case 2:
      return Choice(predicate: .time(from: time(from), to: time(to), strictness: [.start, .end])) {
        $0.start >= from && $0.end < to
      }
    case 3:
      return Choice(predicate: .or([.count(.greater, 5), .device("strap")])) {
        $0.rows.count > 5 || $0.source.device == "strap"
      }
    default: return Choice(predicate: .all) { _ in true }
    }
  }

  /// The fault in the store's answer to a random statistics query; nil if there is none.
  func wrongStatistics(_ random: inout SeededGenerator) async throws -> String? {
    let type = Self.types.randomElement(using: &random)!
    let choice = choice(&random)
    let policy = policy(&random)
    var options = StatisticsOptions(rawValue: UInt8.random(in: 0..<128, using: &random))
    options.subtract(type.style.isCumulative ? [.average, .minimum, .maximum] : [.sum])
    let mine = samples.filter { $0.type == type && choice.holds($0) }
    let ticks = (Int.random(in: 0..<Self.length, using: &random), Int.random(in: 1...Self.length, using: &random))
    let (hasFrom, hasTo) = (Bool.random(using: &random), Bool.random(using: &random))
    // Both or one side may be left open.
    let from = hasFrom ? min(ticks.0, ticks.1 - 1) : nil
    let to = hasTo ? ticks.1 : nil
    let (buckets, layout) = try buckets(&random)
    let sources = Self.sources.shuffled(using: &random)
    let query = try StatisticsCollectionQuery(
      type, options, buckets: buckets, from: from.map(time), to: to.map(time), policy: policy,
      predicate: choice.predicate, priority: sources)
    let found = try await query.result(for: store).value

    guard let first = from ?? mine.map(\.start).min(), let last = to ?? mine.map(\.end).max().map({ $0 + 1 }),
      first < last
    else { return found.isEmpty ? nil : "an answer to nothing: \(found)" }
    let begin = origin + Int64(first) * tick
    // An open end is a microsecond behind the last one, which is a bucket's end only where there is one bucket.
    let end = origin + Int64(to ?? last - 1) * tick + (to == nil ? 1 : 0)
    let edges = layout.map { calendar.edges(every: $0.count, $0.unit, anchor: $0.anchor, from: begin, to: end) }
    var expected: [Statistics] = []
    for part in options.contains(.separateBySource) ? sources.map({ [$0] }) : [sources] {
      let question = question(type, policy, edges: edges ?? [begin, end])
      let groups = sources.map { source in mine.filter { $0.source == source && part.contains(source) } }
      let isSeparate = part.count == 1
      if isSeparate {
        // A source none of whose samples touches the time has no buckets.
        let span = (edges ?? [begin, end])
        let touches = groups.joined().contains { sample in
          origin + Int64(sample.start) * tick < span[span.count - 1] && origin + Int64(sample.end) * tick >= span[0]
        }
        guard touches else { continue }
      }
      for (index, figures) in PlainRows.figures(groups, question).enumerated() {
        let isOpen = edges == nil && to == nil
        let start = Timestamp(microseconds: (edges?[index] ?? begin) * 1_000_000)
        let stop = Timestamp(
          microseconds: isOpen ? (end - 1) * 1_000_000 + 1 : (edges?[index + 1] ?? end) * 1_000_000)
        expected.append(
          statistics(
            figures, question, options, from: start, to: stop, sources: sources, source: isSeparate ? part[0] : nil))
      }
    }
    return Statistics.difference(found, expected).map { "\($0)\n  for \(query)" }
  }

  private func policy(_ random: inout SeededGenerator) -> WeightingPolicy {
    let gap =
      Bool.random(using: &random)
      ? WeightingPolicy.standardGapMicroseconds : Int64.random(in: 0...12, using: &random) * tick * 1_000_000
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .ownDuration
    case 1: return .holdLast(maximumGapMicroseconds: gap)
    default: return .trapezoid(maximumGapMicroseconds: gap)
    }
  }

  private typealias Layout = (count: Int64, unit: PlainCalendar.Unit, anchor: Int64?)

  private func buckets(
    _ random: inout SeededGenerator
  ) throws -> (StatisticsCollectionQuery.Buckets, Layout?) {
    let intervals: [(Int64, PlainCalendar.Unit)] =
      switch tick {
      case 1: [(1, .minute), (2, .minute), (7, .minute), (15, .minute), (1, .hour), (1, .day)]
      case 5: [(1, .minute), (7, .minute), (15, .minute), (1, .hour), (2, .day), (1, .week)]
      case 60: [(7, .minute), (15, .minute), (30, .minute), (1, .hour), (5, .hour), (1, .day), (1, .month)]
      default:
        [(45, .minute), (1, .hour), (5, .hour), (1, .day), (2, .day), (1, .week), (1, .month), (3, .month), (1, .year)]
      }
    guard let (count, unit) = intervals.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 0
    else { return (.single, nil) }
    let interval = try CalendarInterval(parsing: "\(count)\(unit.rawValue)")
    guard Bool.random(using: &random) else { return (.natural(interval, zone: zone), (count, unit, nil)) }
    // A time of day that no clock leaves out or shows twice.
    let anchors = (0..<20).map { _ in origin + tick * Int64.random(in: -500...500, using: &random) }
    guard let anchor = anchors.first(where: { calendar.clock($0) % 86_400 >= 14_400 }) else {
      return (.natural(interval, zone: zone), (count, unit, nil))
    }
    return (
      .calendar(interval, anchor: Timestamp(microseconds: anchor * 1_000_000), zone: zone), (count, unit, anchor)
    )
  }

  private func question(_ type: QuantityType, _ policy: WeightingPolicy, edges: [Int64]) -> PlainRows.Question {
    var buckets: [Int?] = []
    var index = -1
    for place in 0...Self.length {
      let second = origin + Int64(place) * tick
      while index + 1 < edges.count, edges[index + 1] <= second { index += 1 }
      buckets.append(index >= 0 && index < edges.count - 1 ? index : nil)
    }
    return PlainRows.Question(
      type: type, policy: policy, gap: Int(policy.maximumGapMicroseconds / (tick * 1_000_000)), buckets: buckets,
      bucketCount: edges.count - 1)
  }

  private func statistics(
    _ figures: PlainRows.Figures, _ question: PlainRows.Question, _ options: StatisticsOptions, from: Timestamp,
    to: Timestamp, sources: [DataSource], source: DataSource?
  ) -> Statistics {
    let hasValues = figures.count > 0
    let covered = Int64(figures.covered) * tick * 1_000_000
    let recent = options.contains(.mostRecent) ? figures.recent?.row : nil
    return Statistics(
      start: from, end: to, source: source, count: figures.count,
      sum: hasValues && options.contains(.sum) ? figures.sum : nil,
      average: options.contains(.average) ? figures.average(question) : nil,
      minimum: hasValues && options.contains(.minimum) ? figures.minimum : nil,
      maximum: hasValues && options.contains(.maximum) ? figures.maximum : nil, mostRecent: recent?.value,
      mostRecentSpan: recent.flatMap { TimeSpan(start: time($0.start), end: time($0.end)) },
      duration: hasValues && options.contains(.duration) ? Int64(figures.duration) * tick * 1_000_000 : nil,
      coverage: TimeCoverage(covered: covered, gaps: to.microseconds - from.microseconds - covered),
      sources: sources.enumerated().filter { figures.ranks.contains($0.offset) }.map(\.element),
      sourceWeights: options.contains(.average) ? figures.sourceWeights(question) : [], policy: question.policy,
      styleVersion: question.type.styleVersion)
  }

  /// The fault in the store's answer to a random query for quantities; nil if there is none.
  func wrongQuantities(_ random: inout SeededGenerator) async throws -> String? {
    let type = Self.types.randomElement(using: &random)!
    let choice = choice(&random)
    let from = Int.random(in: 0..<Self.length, using: &random)
    let to = Int.random(in: from...Self.length, using: &random)
    let isOpen = Bool.random(using: &random)
    let isGrouped = Bool.random(using: &random)
    let query = QuantityQuery(
      type, predicate: choice.predicate, from: isOpen ? nil : time(from), to: isOpen ? nil : time(to),
      isGroupedBySample: isGrouped)
    let found = try await query.result(for: store).value
    let mine = samples.filter { $0.type == type && choice.holds($0) }.sorted {
      ($0.start, $0.order) < ($1.start, $1.order)
    }
    var rows = mine.flatMap { sample in
      sample.rows.filter { isOpen || ($0.start >= from && $0.start < to) }.map { (sample: sample, row: $0) }
    }
    if !isGrouped {
      // A stable sort: rows of one sample with equal starts keep their order.
      let places = rows.indices.sorted {
        (rows[$0].row.start, rows[$0].sample.order, $0) < (rows[$1].row.start, rows[$1].sample.order, $1)
      }
      rows = places.map { rows[$0] }
    }
    let expected = rows.map { sample, row in
      QuantityList.Element(
        value: row.value, span: TimeSpan(start: time(row.start), end: time(row.end))!, sample: sample.id)
    }
    return Array(found) == expected ? nil : "\(Array(found))\n  instead of \(expected)\n  for \(query)"
  }
}
