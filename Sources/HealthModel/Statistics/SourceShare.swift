/// The contribution of one source, or of all together, to a bucket.
package struct SourceShare: Hashable, Sendable {
  package var count = 0
  package var sum: Double = 0
  /// The sum of durations in microseconds, and the sum of value times duration.
  package var duration: Double = 0
  package var weighted: Double = 0
  /// Microseconds covered by the source.
  package var covered: Int64 = 0

  package init(
    count: Int = 0, sum: Double = 0, duration: Double = 0, weighted: Double = 0, covered: Int64 = 0
  ) {
    self.count = count
    self.sum = sum
    self.duration = duration
    self.weighted = weighted
    self.covered = covered
  }

  mutating func add(_ other: SourceShare) {
    count += other.count
    sum += other.sum
    duration += other.duration
    weighted += other.weighted
    covered = covered.addingSaturated(other.covered)
  }

  /// The mean in which all values weigh the same; nil without values.
  var plainMean: Double? { count > 0 ? sum / Double(count) : nil }

  /// The mean weighted by duration; unweighted if all durations are zero.
  var mean: Double? { duration > 0 && count > 0 ? weighted / duration : plainMean }

  /// The weight of each source in a mean, by its rank: the time that it covers, or the number of its values if no source
  /// covers any. The weights add up to 1.
  static func weights(_ shares: [Int: SourceShare]) -> [(rank: Int, weight: Double)] {
    let measuring = shares.filter { $0.value.count > 0 }.sorted { $0.key < $1.key }
    let covered = measuring.reduce(0) { $0 + Double($1.value.covered) }
    let counted = measuring.reduce(0) { $0 + Double($1.value.count) }
    return measuring.map { rank, share in
      (rank, covered > 0 ? Double(share.covered) / covered : Double(share.count) / counted)
    }
  }

  /// The weights alone; empty if only one source contributed.
  static func sharedWeights(_ shares: [Int: SourceShare]) -> [Double] {
    let weights = weights(shares)
    return weights.count > 1 ? weights.map(\.weight) : []
  }

  /// The weighted mean of the sources' own means.
  static func mean(_ shares: [Int: SourceShare]) -> Double? {
    let weights = weights(shares)
    guard !weights.isEmpty else { return nil }
    return weights.reduce(0) { $0 + (shares[$1.rank]?.mean ?? 0) * $1.weight }
  }
}
