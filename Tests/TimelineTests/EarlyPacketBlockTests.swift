import TestSupport
import Testing

@testable import Timeline

/// Most blocks of packets are skipped: this test finds early packets without skipping and compares.
@Suite("Early packets, block by block")
struct EarlyPacketBlockTests {
  private static let parameters = TimelineParameters.standard

  @Test("a block that is skipped has no early packet", arguments: 0..<40 as Range<UInt64>)
  func bound(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let points = Self.points(Int.random(in: 60...1500, using: &generator), &generator)
    // Not all of the array, since runs are slices of it.
    let run = points.dropFirst(Int.random(in: 0...40, using: &generator)).dropLast(3)
    for depth in [0, 2] {
      let found = EarlyPackets.find(in: run, depth: depth, Self.parameters)
      #expect(
        found == Self.single(Self.bySorting(run, depth: depth) + Self.bySides(run)), "seed \(seed), depth \(depth)")
      if depth == 2, run.count > 200 { #expect(!found.isEmpty, "seed \(seed)") }
    }
  }

  /// Latencies of up to a second, longer spells, a floor that wanders, and some early packets.
  private static func points(_ count: Int, _ generator: inout SeededGenerator) -> [Residuals.Point] {
    let range = Double.random(in: 0.5...1, using: &generator)
    var floor = 0.0
    var spell = 0
    return (0..<count).map { index in
      floor += Double.random(in: -0.005...0.005, using: &generator)
      if spell > 0 { spell -= 1 } else if Double.random(in: 0..<1, using: &generator) < 0.003 { spell = 50 }
      var residual = floor + Double.random(in: 0..<range, using: &generator) + (spell > 0 ? 2 : 0)
      if index % 60 == 31 { residual = floor - Double.random(in: 0.1...1.3, using: &generator) }
      return Residuals.Point(
        packet: index, sent: Int64(index) * 1_000_000, beat: index, firstBeat: index,
        residual: Int64(residual * 1e6))
    }
  }

  /// The rule without shortcuts: the lower parts of all blocks around each block, sorted together.
  private static func bySorting(_ points: ArraySlice<Residuals.Point>, depth: Int) -> [Int] {
    let count = points.count / parameters.floorBlock
    guard count >= 2 else { return [] }
    let bounds = (0...count).map { points.startIndex + points.count * $0 / count }
    let spreads = depth > 0 ? parameters.earlySpreads : parameters.farEarlySpreads
    var candidates: [Int] = []
    for block in 0..<count {
      let first = max(0, block - parameters.floorReach)
      let end = min(count, block + parameters.floorReach + 1)
      let lowest = (first..<end).flatMap { other in
        points[bounds[other]..<bounds[other + 1]].map(\.residual).sorted().prefix(parameters.floorBlock / 4)
      }.sorted()
      let tenth = (bounds[end] - bounds[first]) / 10
      let spread = lowest[tenth] - lowest[tenth / 2]
      let limit = lowest[tenth / 2] - spread - max(parameters.earlyMicroseconds, spreads * spread)
      candidates += (bounds[block]..<bounds[block + 1]).filter { points[$0].residual < limit }
    }
    return candidates
  }

  /// The packets around each packet, each side sorted by itself.
  private static func bySides(_ points: ArraySlice<Residuals.Point>) -> [Int] {
    points.indices.filter { index in
      let sides = [
        max(points.startIndex, index - parameters.earlySide)..<index,
        (index + 1)..<min(points.endIndex, index + 1 + parameters.earlySide),
      ]
      return sides.allSatisfy { side in
        let sorted = points[side].map(\.residual).sorted()
        guard sorted.count >= parameters.fewestEarlySide else { return true }
        let spread = sorted[sorted.count * 2 / 5] - sorted[sorted.count / 5]
        return points[index].residual < sorted[sorted.count / 10] - max(parameters.sideEarlyMicroseconds, 2 * spread)
      }
    }
  }

  private static func single(_ found: [Int]) -> [Int] {
    let candidates = Set(found).sorted()
    return candidates.filter { candidate in
      candidates.count { abs($0 - candidate) <= parameters.earlyReach } <= parameters.earlyReach
    }
  }
}
