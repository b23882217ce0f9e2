import Foundation
import TestSupport
import Testing

/// Real hearts as intervals in seconds, and what may happen to them.
enum RhythmRecords {
  static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  /// The stretches of a record, each of one rhythm: A is fibrillation.
  private static func stretches(_ name: String) throws -> [(rhythm: Substring, intervals: [Double])] {
    let text = try String(contentsOfFile: "\(try #require(folder))/af/\(name).rr", encoding: .utf8)
    let lines = text.split(separator: "\n")
    let head = try #require(lines.first?.firstRange(of: "in 1/"))
    let unit = try #require(Double(lines[0][head.upperBound...].prefix { $0.isNumber }))
    return lines.dropFirst().map { line in
      let words = line.split(separator: " ")
      return (words[0], words.dropFirst().compactMap { Double($0) }.map { $0 / unit })
    }
  }

  static func whole(_ name: String) throws -> [Double] { try stretches(name).flatMap(\.intervals) }

  /// The two long episodes of the data, one after the other.
  static func fibrillation() throws -> [Double] {
    try stretches("04746").filter { $0.rhythm == "A" && $0.intervals.reduce(0, +) > 3_600 }.flatMap(\.intervals)
  }

  /// So many minutes from somewhere.
  static func excerpt(_ intervals: [Double], minutes: Double, using random: inout SeededGenerator) -> [Double] {
    let spare = intervals.reduce(0, +) - minutes * 60
    var skipped = Double.random(in: 0...max(0, spare), using: &random)
    var rest = minutes * 60
    return Array(
      intervals.drop { interval in
        skipped -= interval
        return skipped > 0
      }.prefix { interval in
        rest -= interval
        return rest > 0
      })
  }

  /// In 1/1024 s, so that their sums do not drift.
  static func ticks(_ intervals: [Double]) -> [UInt16] {
    var (time, before) = (0.0, 0.0)
    return intervals.map { interval in
      time += interval
      let tick = (time * 1024).rounded()
      defer { before = tick }
      return UInt16(tick - before)
    }
  }

  /// What does not belong into a normal rhythm, or is its sensor's fault.
  enum Disturbance: CaseIterable {
    case none, bigeminy, trigeminy, quadrigeminy, ventricular, atrial, missed, extra, breathing

    func disturbed(_ intervals: [Double], using random: inout SeededGenerator) -> [Double] {
      switch self {
      case .none: intervals
      case .bigeminy: Self.early(intervals, each: 2)
      case .trigeminy: Self.early(intervals, each: 3)
      case .quadrigeminy: Self.early(intervals, each: 4)
      case .ventricular: Self.early(intervals, share: 0.3, isMadeUpFor: true, using: &random)
      case .atrial: Self.early(intervals, share: 0.3, isMadeUpFor: false, using: &random)
      case .missed: Self.missed(intervals, using: &random)
      case .extra:
        intervals.flatMap { interval in
          guard Double.random(in: 0...1, using: &random) < 0.1 else { return [interval] }
          let part = interval * Double.random(in: 0.3...0.6, using: &random)
          return [part, interval - part]
        }
      case .breathing:
        (0..<intervals.count).map { Self.breathing($0, using: &random) }
      }
    }

    /// A quarter from peak to peak, at a pace that wanders.
    private static func breathing(_ index: Int, using random: inout SeededGenerator) -> Double {
      let phase = Double(index) * 1.1 + 2 * sin(Double(index) / 200)
      let noise = Double.random(in: -0.015...0.015, using: &random)
      return 0.95 * (1 + 0.125 * sin(phase)) + noise
    }

    /// Each such beat is ventricular: early, and made up for.
    private static func early(_ intervals: [Double], each count: Int) -> [Double] {
      var changed = intervals
      for index in stride(from: count - 1, to: changed.count - 1, by: count) {
        changed[index + 1] += 0.4 * changed[index]
        changed[index] *= 0.6
      }
      return changed
    }

    private static func early(
      _ intervals: [Double], share: Double, isMadeUpFor: Bool, using random: inout SeededGenerator
    ) -> [Double] {
      var changed = intervals
      let usual = Double.random(in: 0.58...0.75, using: &random)
      var index = 1
      while index < changed.count - 1 {
        if Double.random(in: 0...1, using: &random) < share / (1 - share) {
          // From one place of the heart, so about the same part of an interval.
          let coupling = usual + Double.random(in: -0.03...0.03, using: &random)
          if isMadeUpFor { changed[index + 1] += (1 - coupling) * changed[index] }
          changed[index] *= coupling
          index += 1
        }
        index += 1
      }
      return changed
    }

    /// The sensor misses a fifth of the beats.
    private static func missed(_ intervals: [Double], using random: inout SeededGenerator) -> [Double] {
      var (seen, waiting) = ([Double](), 0.0)
      for interval in intervals {
        waiting += interval
        guard Double.random(in: 0...1, using: &random) >= 0.2 else { continue }
        seen.append(waiting)
        waiting = 0
      }
      return seen
    }
  }
}
