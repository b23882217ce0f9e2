/// Computes the statistics of consecutive buckets. Pure; all figures are computed here.
///
/// Rules (times in microseconds since 1970):
/// - A discrete quantity belongs to the bucket of its start, whatever its sample's start.
/// - A cumulative quantity is divided by time among its buckets; without duration it belongs to that of its start.
/// - Merged sources: a moment belongs to the first source, in order of priority, that covers it. A quantity counts if its
///   start belongs to its source, a cumulative one for the part of its time that does.
/// - Integrals and coverage are clipped to the bucket and to the moments that belong to the source.
/// - For an average by own durations each source's mean is computed first; sources then weigh by the time they cover.
///   Otherwise one value with a duration would outweigh an hour of a strap's rates, which have no duration.
public struct StatisticsBuckets: Sendable {
  /// The borders, ascending: bucket `i` is from `edges[i]` to before `edges[i + 1]`.
  public let edges: [Int64]
  /// The quantity type, with its unit.
  public let type: QuantityType
  /// The weights of a temporally weighted average.
  public let policy: WeightingPolicy
  package var accumulators: [StatisticsAccumulator]
  /// Sources beyond the first 64 that contributed, by bucket: too rare for a field in each bucket.
  private var laterRanks: [Int: Set<Int>] = [:]
  /// Contributions by bucket and rank, for buckets with several sources of weight only.
  private var shares: [Int: [Int: SourceShare]] = [:]
  private let weighsSources: Bool
  private let isCumulative: Bool
  private let isLevel: Bool

  /// Throws if the borders do not ascend.
  public init(edges: [Int64], type: QuantityType, policy: WeightingPolicy = .ownDuration) throws(StatisticsError) {
    guard edges.count >= 2, zip(edges, edges.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .emptyRange }
    self.edges = edges
    self.type = type
    self.policy = policy
    accumulators = Array(repeating: StatisticsAccumulator(), count: edges.count - 1)
    isCumulative = type.style.isCumulative
    isLevel = type.style == .discreteEquivalentContinuousLevel
    weighsSources = type.style == .discreteTemporallyWeighted && policy == .ownDuration
  }

  /// Adds the series of all sources, those of the highest priority first. All series that overlap must be in one call.
  public mutating func add(_ tracksBySource: [[QuantityTrack]]) {
    add(tracksBySource, without: TimeStretches())
  }

  /// Adds the series of all sources, without the moments in `pauses`.
  package mutating func add(_ tracksBySource: [[QuantityTrack]], without pauses: TimeStretches) {
    var blocked = pauses
    for (rank, tracks) in tracksBySource.enumerated() {
      var coverage = TimeStretches()
      for track in tracks {
        add(track, rank: rank, blocked: blocked)
        coverage.formUnion(track.coverage(maximumGap: policy.maximumGapMicroseconds))
      }
      for stretch in coverage.stretches {
        addCoverage(from: stretch.lowerBound, to: stretch.upperBound, rank: rank, blocked: blocked)
      }
      if rank < tracksBySource.count - 1 { blocked.formUnion(coverage) }
    }
  }

  /// Adds one series that no other overlaps.
  package mutating func add(_ track: QuantityTrack, rank: Int) {
    let nothing = TimeStretches()
    add(track, rank: rank, blocked: nothing)
    for stretch in track.coverage(maximumGap: policy.maximumGapMicroseconds).stretches {
      addCoverage(from: stretch.lowerBound, to: stretch.upperBound, rank: rank, blocked: nothing)
    }
  }

  /// Adds one series, without the moments in `blocked`; the caller adds its coverage.
  package mutating func add(_ track: QuantityTrack, rank: Int, blocked: TimeStretches) {
    guard track.count > 0, let first = track.starts.first else { return }
    var bucket = max(0, index(of: first))
    let gap = policy.maximumGapMicroseconds
    for position in 0..<track.count {
      let start = track.starts[position]
      let end = track.end(of: position)
      let value = track.values[position]
      while bucket < accumulators.count - 1, start >= edges[bucket + 1] { bucket += 1 }
      if isCumulative, end > start {
        divide(value, from: start, to: end, startingAt: bucket, rank: rank, blocked: blocked)
      } else if start >= edges[bucket], start < edges[bucket + 1], blocked.isEmpty || !blocked.contains(start) {
        add(value, from: start, to: end, rank: rank, to: bucket)
      }
      guard !isCumulative, position + 1 < track.count else { continue }
      let next = track.starts[position + 1]
      if next > start, next.subtractingSaturated(start) <= gap {
        addSegment(
          Segment(start: start, end: next, value: value, endValue: track.values[position + 1]), startingAt: bucket,
          blocked: blocked)
      }
    }
  }

  /// Records that the source of that rank contributed to a bucket.
  package mutating func contribute(rank: Int, to bucket: Int) {
    if rank < 64 {
      accumulators[bucket].ranks |= 1 << UInt64(rank)
    } else {
      laterRanks[bucket, default: []].insert(rank)
    }
  }

  /// Adds a source's contribution to a bucket's total and, if there are several sources, to the source's own share.
  package mutating func credit(_ share: SourceShare, of rank: Int, to bucket: Int) {
    if weighsSources { separate(share, of: rank, in: bucket) }
    accumulators[bucket].total.add(share)
  }

  /// Adds a source's contribution to its own share. Most buckets have one source, whose share is the total; shares are separate
  /// from the second source on.
  private mutating func separate(_ share: SourceShare, of rank: Int, in bucket: Int) {
    let sole = accumulators[bucket].soleRank
    if sole == rank { return }
    if sole == StatisticsAccumulator.nobody {
      accumulators[bucket].soleRank = Int32(clamping: rank)
      return
    }
    if sole != StatisticsAccumulator.several {
      shares[bucket] = [Int(sole): accumulators[bucket].total]
      accumulators[bucket].soleRank = StatisticsAccumulator.several
    }
    shares[bucket, default: [:]][rank, default: SourceShare()].add(share)
  }

  /// Adds a whole quantity to a bucket.
  private mutating func add(_ value: Double, from start: Int64, to end: Int64, rank: Int, to bucket: Int) {
    contribute(rank: rank, to: bucket)
    let length = Double(end.subtractingSaturated(start))
    credit(
      SourceShare(count: 1, sum: value, duration: length, weighted: value * length), of: rank, to: bucket)
    accumulators[bucket].add(value, from: start, to: end, rank: rank, isLevel: isLevel)
  }

  /// Adds time covered by the source of that rank, without the moments in `blocked`.
  package mutating func addCoverage(from start: Int64, to end: Int64, rank: Int, blocked: TimeStretches) {
    guard end > start else { return }
    var index = max(0, index(of: start))
    blocked.forEachFreePart(from: start, to: end) { from, to in
      while index < accumulators.count, edges[index] < to {
        let length = min(to, edges[index + 1]).subtractingSaturated(max(from, edges[index]))
        if length > 0 { credit(SourceShare(covered: length), of: rank, to: index) }
        if edges[index + 1] >= to { break }
        index += 1
      }
    }
  }

  /// Two successive quantities of a series.
  package struct Segment: Sendable {
    package var start: Int64
    package var end: Int64
    package var value: Double
    package var endValue: Double

    package init(start: Int64, end: Int64, value: Double, endValue: Double) {
      self.start = start
      self.end = end
      self.value = value
      self.endValue = endValue
    }
  }

  /// Adds the policy's integral over the time between two successive quantities.
  package mutating func addSegment(_ segment: Segment, startingAt bucket: Int, blocked: TimeStretches) {
    switch policy {
    case .ownDuration: return
    case .holdLast:
      forEachPart(from: segment.start, to: segment.end, startingAt: bucket, blocked: blocked) { accumulator, from, to in
        accumulator.integrated += Double(to.subtractingSaturated(from))
        accumulator.integral += segment.value * Double(to.subtractingSaturated(from))
      }
    case .trapezoid:
      let slope = (segment.endValue - segment.value) / Double(segment.end.subtractingSaturated(segment.start))
      forEachPart(from: segment.start, to: segment.end, startingAt: bucket, blocked: blocked) { accumulator, from, to in
        let middle =
          segment.value + slope
          * (Double(from.subtractingSaturated(segment.start)) + Double(to.subtractingSaturated(from)) / 2)
        accumulator.integrated += Double(to.subtractingSaturated(from))
        accumulator.integral += middle * Double(to.subtractingSaturated(from))
      }
    }
  }

  private mutating func divide(
    _ value: Double, from start: Int64, to end: Int64, startingAt bucket: Int, rank: Int, blocked: TimeStretches
  ) {
    let length = Double(end.subtractingSaturated(start))
    var touched = -1
    var index = bucket
    // A quantity that lies in a bucket in two parts, before and after a source of higher priority, counts once.
    blocked.forEachFreePart(from: start, to: end) { from, to in
      while index < accumulators.count, edges[index] < to {
        let partStart = max(from, edges[index])
        let partEnd = min(to, edges[index + 1])
        if partEnd > partStart {
          let part = Double(partEnd.subtractingSaturated(partStart))
          accumulators[index].total.add(SourceShare(sum: value * (part / length), duration: part))
          if touched != index {
            touched = index
            contribute(rank: rank, to: index)
            accumulators[index].total.count += 1
            accumulators[index].note(.init(value: value, start: start, end: end, rank: rank))
          }
        }
        if edges[index + 1] >= to { break }
        index += 1
      }
    }
  }

  private mutating func forEachPart(
    from start: Int64, to end: Int64, startingAt bucket: Int, blocked: TimeStretches,
    _ body: (inout StatisticsAccumulator, Int64, Int64) -> Void
  ) {
    var index = bucket
    blocked.forEachFreePart(from: start, to: end) { from, to in
      while index < accumulators.count, edges[index] < to {
        let partStart = max(from, edges[index])
        let partEnd = min(to, edges[index + 1])
        if partEnd > partStart { body(&accumulators[index], partStart, partEnd) }
        if edges[index + 1] >= to { break }
        index += 1
      }
    }
  }

  /// The bucket of a moment; −1 before the first, the last one after it.
  package func index(of moment: Int64) -> Int {
    var low = 0
    var high = accumulators.count
    while low < high {
      let middle = (low + high) / 2
      if edges[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// The figures of every bucket, empty ones included.
  ///
  /// `sources` are ordered by rank; `source` is set in the results if they are those of one source.
  public func results(
    _ options: StatisticsOptions, sources: [DataSource], source: DataSource? = nil
  ) throws(StatisticsError) -> [Statistics] {
    try options.validate(for: type)
    var results: [Statistics] = []
    results.reserveCapacity(accumulators.count)
    // Neighbouring buckets mostly have the same sources, and then share one list.
    var ranks: UInt64 = 0
    var contributors: [DataSource] = []
    for index in accumulators.indices {
      let total = accumulators[index].total
      let start = Timestamp(microseconds: edges[index])
      let end = Timestamp(microseconds: edges[index + 1])
      let coverage = TimeCoverage(
        covered: total.covered,
        gaps: edges[index + 1].subtractingSaturated(edges[index]).subtractingSaturated(total.covered))
      // Most of a year's hours are such.
      guard total.count > 0 else {
        results.append(
          Statistics(
            emptyFrom: start, to: end, source: source, coverage: coverage, policy: policy,
            styleVersion: type.styleVersion))
        continue
      }
      let bucket = accumulators[index]
      if bucket.ranks != ranks {
        ranks = bucket.ranks
        contributors = zip(sources, 0..<64).filter { ranks >> UInt64($0.1) & 1 == 1 }.map(\.0)
      }
      var others: [DataSource] = []
      if !laterRanks.isEmpty, let later = laterRanks[index] {
        others = later.sorted().filter { $0 < sources.count }.map { sources[$0] }
      }
      let recent = options.contains(.mostRecent) ? bucket.mostRecent : nil
      let shares = shares[index]
      results.append(
        Statistics(
          start: start, end: end, source: source, count: total.count,
          sum: options.contains(.sum) && total.sum.isFinite ? total.sum : nil,
          average: options.contains(.average) ? bucket.average(type.style, policy, shares: shares) : nil,
          minimum: options.contains(.minimum) && bucket.minimum.isFinite ? bucket.minimum : nil,
          maximum: options.contains(.maximum) && bucket.maximum.isFinite ? bucket.maximum : nil,
          mostRecent: recent?.value,
          mostRecentSpan: recent.flatMap {
            TimeSpan(start: Timestamp(microseconds: $0.start), end: Timestamp(microseconds: $0.end))
          },
          duration: options.contains(.duration) ? Int64(saturating: total.duration) : nil,
          coverage: coverage, sources: others.isEmpty ? contributors : contributors + others,
          sourceWeights: options.contains(.average) ? shares.map(SourceShare.sharedWeights) ?? [] : [], policy: policy,
          styleVersion: type.styleVersion))
    }
    return results
  }
}

extension StatisticsAccumulator {
  /// Adds a whole quantity to the total only.
  fileprivate mutating func add(_ value: Double, from start: Int64, to end: Int64, rank: Int, isLevel: Bool) {
    note(MostRecent(value: value, start: start, end: end, rank: rank))
    minimum = Swift.min(minimum, value)
    maximum = Swift.max(maximum, value)
    if isLevel {
      let power = StatisticsAccumulator.power(ofLevel: value)
      self.power += power
      weightedPower += power * Double(end.subtractingSaturated(start))
    }
  }
}
