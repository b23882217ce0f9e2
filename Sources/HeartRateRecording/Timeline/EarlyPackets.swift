/// Packets that arrived before their beats were due (rule 3 of Documentation/timeline.md).
///
/// A sensor that hands beats on late does so when it detects a later one; a detection that is none (motion) releases the beats
/// before it too soon. Nothing is lost or shifted by that: such a packet is an outlier of arrival to one side. It says
/// nothing about the floor, and it bounds nothing.
enum EarlyPackets {
  /// Which points of a run lie far below the floor that those around them show, one by one.
  static func find(in points: ArraySlice<Residuals.Point>, depth: Int, _ parameters: TimelineParameters) -> [Int] {
    let count = points.count / parameters.floorBlock
    guard count >= 2 else { return [] }
    let first = points.startIndex
    func block(_ index: Int) -> Range<Int> {
      (first + points.count * index / count)..<(first + points.count * (index + 1) / count)
    }
    // The lower part of each block; the lowest tenth of some blocks together is in there.
    let lowest = (0..<count).map { index in
      points[block(index)].map(\.residual).sorted().prefix(parameters.floorBlock / 4)
    }
    let spreads = depth > 0 ? parameters.earlySpreads : parameters.farEarlySpreads
    var candidates: [Int] = []
    for index in 0..<count {
      let around = max(0, index - parameters.floorReach)..<min(count, index + parameters.floorReach + 1)
      let values = lowest[around].joined().sorted()
      let tenth = block(around.lowerBound).lowerBound.distance(to: block(around.upperBound - 1).upperBound) / 10
      // Latencies begin sharply: what lies between a twentieth and a tenth lies below the twentieth once more.
      let spread = values[tenth] - values[tenth / 2]
      let limit = values[tenth / 2] - spread - max(parameters.earlyMicroseconds, spreads * spread)
      for point in block(index) where points[point].residual < limit { candidates.append(point) }
    }
    return candidates.indices.filter { isSingle($0, candidates, parameters.earlyReach) }.map { candidates[$0] }
  }

  /// Whether at most half of the packets around a candidate are candidates: many together are a floor of their own.
  private static func isSingle(_ position: Int, _ candidates: [Int], _ reach: Int) -> Bool {
    let place = candidates[position]
    var near = 1
    var other = position - 1
    while other >= 0, place - candidates[other] <= reach { (near, other) = (near + 1, other - 1) }
    other = position + 1
    while other < candidates.count, candidates[other] - place <= reach { (near, other) = (near + 1, other + 1) }
    return near <= reach
  }
}
