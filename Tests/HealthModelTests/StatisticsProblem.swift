import Glibc
import HealthModel
import TestSupport

/// A random statistics query, and its answer by counting single seconds: slow, and too simple to be wrong.
struct StatisticsProblem {
  private static let second: Int64 = 1_000_000
  private static let horizon: Int64 = 60
  private static let types: [QuantityType] = [.heartRate, .bodyMass, .stepCount, .environmentalAudioExposure]

  private let type: QuantityType
  private let policy: WeightingPolicy
  /// In seconds, as all times here.
  private let edges: [Int64]
  private let sources: [[QuantityTrack]]
  private let gap: Int64

  init(_ random: inout SeededGenerator) {
    type = Self.types[Int.random(in: 0..<4, using: &random)]
    let maximumGap = Int64.random(in: 0...12, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      policy = .ownDuration
      gap = 10
    case 1:
      policy = .holdLast(maximumGapMicroseconds: maximumGap * Self.second)
      gap = maximumGap
    default:
      policy = .trapezoid(maximumGapMicroseconds: maximumGap * Self.second)
      gap = maximumGap
    }
    var edges = [Int64.random(in: -10...30, using: &random)]
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      edges.append(edges[edges.count - 1] + Int64.random(in: 1...25, using: &random))
    }
    self.edges = edges
    let hasDurations = Bool.random(using: &random)
    sources = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      (0..<Int.random(in: 0...2, using: &random)).map { _ in
        let starts = (0..<Int.random(in: 1...6, using: &random))
          .map { _ in Int64.random(in: 0..<Self.horizon, using: &random) }.sorted()
        let ends = hasDurations ? starts.map { $0 + Int64.random(in: 0...9, using: &random) } : []
        return QuantityTrack(
          starts: starts, ends: ends, values: starts.map { _ in Double(Int.random(in: 40...99, using: &random)) })
      }
    }
  }

  /// The difference between the two answers; nil if there is none.
  func difference() throws -> String? {
    var buckets = try StatisticsBuckets(edges: edges.map { $0 * Self.second }, type: type, policy: policy)
    buckets.add(
      sources.map { tracks in
        tracks.map { track in
          QuantityTrack(
            starts: track.starts.map { $0 * Self.second }, ends: track.ends.map { $0 * Self.second },
            values: track.values)
        }
      })
    let names = sources.indices.map { DataSource(source: "\($0)") }
    let results = try buckets.results(.all(for: type), sources: names)
    for (index, result) in results.enumerated() {
      let expected = answer(from: edges[index], to: edges[index + 1])
      let pairs: [(String, Double?, Double?)] = [
        ("count", Double(result.count), Double(expected.count)), ("sum", result.sum, expected.sum),
        ("average", result.average, expected.average), ("minimum", result.minimum, expected.minimum),
        ("maximum", result.maximum, expected.maximum), ("mostRecent", result.mostRecent, expected.mostRecent),
        ("duration", result.duration.map { Double($0) / 1e6 }, expected.duration),
        ("covered", Double(result.coverage.covered) / 1e6, expected.covered),
        (
          "whole", Double(result.coverage.covered + result.coverage.gaps) / 1e6, Double(edges[index + 1] - edges[index])
        ),
      ]
      for (name, found, wanted) in pairs where !Self.equal(found, wanted) {
        return "\(name) of \(edges[index])..<\(edges[index + 1]) is \(found as Any), not \(wanted as Any); \(self)"
      }
      if result.sources.map(\.source) != expected.sources { return "sources \(result.sources), \(expected.sources)" }
    }
    return nil
  }

  private static func equal(_ found: Double?, _ wanted: Double?) -> Bool {
    guard let found, let wanted else { return found == nil && wanted == nil }
    return abs(found - wanted) <= 1e-9 * max(1, abs(wanted))
  }

  private struct Answer {
    var count = 0
    var sum: Double?
    var average: Double?
    var minimum: Double?
    var maximum: Double?
    var mostRecent: Double?
    var duration: Double?
    var covered: Double = 0
    var sources: [String] = []
  }

  /// The stretches that a series speaks for, as pairs, overlapping or not.
  private func stretches(_ track: QuantityTrack) -> [(Int64, Int64)] {
    var result: [(Int64, Int64)] = []
    for index in track.starts.indices {
      let end = track.ends.isEmpty ? track.starts[index] : track.ends[index]
      result.append((track.starts[index], end))
      let earlierEnds = (0..<index).map { track.ends.isEmpty ? track.starts[$0] : track.ends[$0] }
      if let latest = earlierEnds.max(), track.starts[index] > latest, track.starts[index] - latest <= gap {
        result.append((latest, track.starts[index]))
      }
    }
    return result
  }

  private func answer(from: Int64, to: Int64) -> Answer {
    let spoken = sources.map { $0.flatMap(stretches) }
    // Whether a source before `rank` speaks for the moment, or for the second that starts there.
    func isTaken(moment: Int64, before rank: Int) -> Bool {
      spoken[..<rank].contains { $0.contains { $0.0 <= moment && moment <= $0.1 } }
    }
    func isTaken(second: Int64, before rank: Int) -> Bool {
      spoken[..<rank].contains { $0.contains { $0.0 <= second && second < $0.1 } }
    }
    var answer = Answer()
    var values: [(value: Double, length: Double, rank: Int)] = []
    var sum = 0.0
    var duration = 0.0
    var integral = 0.0
    var integrated = 0.0
    var recent: (start: Int64, rank: Int, value: Double)?
    var contributors: Set<Int> = []
    for (rank, tracks) in sources.enumerated() {
      for track in tracks {
        for index in track.starts.indices {
          let start = track.starts[index]
          let end = track.ends.isEmpty ? start : track.ends[index]
          let value = track.values[index]
          var counts = false
          if type.style == .cumulative, end > start {
            let free = (start..<end).filter { $0 >= from && $0 < to && !isTaken(second: $0, before: rank) }.count
            sum += value * Double(free) / Double(end - start)
            duration += Double(free)
            counts = free > 0
          } else if start >= from, start < to, !isTaken(moment: start, before: rank) {
            sum += value
            duration += Double(end - start)
            counts = true
          }
          if counts {
            values.append((value, Double(end - start), rank))
            contributors.insert(rank)
            if recent.map({ start > $0.start || (start == $0.start && rank <= $0.rank) }) ?? true {
              recent = (start, rank, value)
            }
          }
          guard index + 1 < track.starts.count else { continue }
          let next = track.starts[index + 1]
          guard next > start, next - start <= gap else { continue }
          for second in start..<next where second >= from && second < to && !isTaken(second: second, before: rank) {
            integrated += 1
            if case .holdLast = policy {
              integral += value
            } else {
              let share = (Double(second - start) + 0.5) / Double(next - start)
              integral += value + (track.values[index + 1] - value) * share
            }
          }
        }
      }
    }
    answer.covered = Double(
      (from..<to).filter { second in spoken.contains { $0.contains { $0.0 <= second && second < $0.1 } } }.count)
    answer.count = values.count
    answer.sources = contributors.sorted().map(String.init)
    guard !values.isEmpty else { return answer }
    answer.mostRecent = recent?.value
    answer.duration = duration
    if type.style == .cumulative {
      answer.sum = sum
      return answer
    }
    answer.minimum = values.map(\.value).min()
    answer.maximum = values.map(\.value).max()
    let plain = sum / Double(values.count)
    let lengths = values.map(\.length).reduce(0, +)
    switch (type.style, policy) {
    case (.discreteArithmetic, _): answer.average = plain
    case (.discreteEquivalentContinuousLevel, _):
      let weights = lengths > 0 ? values.map(\.length) : values.map { _ in 1 }
      let power = zip(values, weights).map { pow(10, $0.value / 10) * $1 }.reduce(0, +)
      answer.average = 10 * log10(power / weights.reduce(0, +))
    case (_, .ownDuration):
      let ranks = contributors.sorted()
      let covers = ranks.map { rank in
        (from..<to).count { second in
          !isTaken(second: second, before: rank) && spoken[rank].contains { $0.0 <= second && second < $0.1 }
        }
      }
      var weighed = 0.0
      var weights = 0.0
      for (place, rank) in ranks.enumerated() {
        let own = values.filter { $0.rank == rank }
        let length = own.map(\.length).reduce(0, +)
        let mean =
          length > 0
          ? own.map { $0.value * $0.length }.reduce(0, +) / length
          : own.map(\.value).reduce(0, +) / Double(own.count)
        let weight = covers.reduce(0, +) > 0 ? Double(covers[place]) : Double(own.count)
        weighed += mean * weight
        weights += weight
      }
      answer.average = weighed / weights
    default: answer.average = integrated > 0 ? integral / integrated : plain
    }
    return answer
  }
}
