package import HealthModel

/// The curves in pictures of a recording: its rates and intervals over time, in stretches that no gap interrupts.
///
/// A line may be drawn within a stretch, never from one to the next.
package struct RecordedCurves: Sendable {
  /// A value and its time.
  package struct Point: Hashable, Sendable {
    package var time: Timestamp
    package var value: Double

    package init(time: Timestamp, value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// Two successive intervals in milliseconds.
  package struct Pair: Hashable, Sendable {
    package var first: Double
    package var second: Double
  }

  /// An interval that was received and is not drawn.
  package struct Doubt: Hashable, Sendable {
    /// The end of the interval.
    package var time: Timestamp
    package var reason: NNIntervals.Exclusion.Reason
  }

  /// The time that is shown.
  package let span: TimeSpan
  /// The gaps in ``span``, cut to it, in order.
  package let gaps: [RecordingGap]
  /// Heart rates as they were sent, in beats a minute.
  package let rates: [[Point]]
  /// Intervals between normal beats in milliseconds, each at the beat that ends it.
  package let intervals: [[Point]]
  /// Each interval with the one that follows it without a gap.
  package let pairs: [Pair]
  /// The intervals that were left out of ``intervals``.
  package let doubts: [Doubt]
  /// The intervals of each recording in the span, for figures.
  package let records: [NNIntervals]

  /// A rate counts until the next one, and for ten seconds at most, as in a session's coverage.
  private static let longestHold: Int64 = 10_000_000

  /// The curves of a recording.
  ///
  /// - Parameters:
  ///   - span: The time that is shown.
  ///   - rates: The rates in order of time. A line ends at a rate of a sensor that is off the skin, and where no rate was
  ///     received for ten seconds.
  ///   - heartbeats: One series or, for a workout over several sessions, one series of each session, in order.
  ///   - gaps: The gaps in any order.
  package init(in span: TimeSpan, rates: [HeartRateValue], heartbeats: [HeartbeatSeries], gaps: [RecordingGap]) {
    self.span = span
    self.gaps = gaps.filter { $0.end >= span.start && $0.start <= span.end }.map { gap in
      var gap = gap
      gap.start = max(gap.start, span.start)
      gap.end = min(gap.end, span.end)
      return gap
    }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    self.rates = Self.stretches(rates.filter { span.contains($0.time) }, between: self.gaps)
    records = heartbeats.map { NNIntervals($0) }
    var intervals: [[Point]] = []
    var pairs: [Pair] = []
    var doubts: [Doubt] = []
    for record in records {
      guard let origin = record.origin else { continue }
      var previous: Double?
      for index in record.seconds.indices {
        let point = Point(
          time: origin.advanced(bySeconds: record.ends[index]), value: record.seconds[index] * 1_000)
        guard span.contains(point.time) else {
          previous = nil
          continue
        }
        if record.continues[index], let previous {
          intervals[intervals.count - 1].append(point)
          pairs.append(Pair(first: previous, second: point.value))
        } else {
          intervals.append([point])
        }
        previous = point.value
      }
      doubts += record.exclusions.map { Doubt(time: origin.advanced(bySeconds: $0.end), reason: $0.reason) }
        .filter { span.contains($0.time) }
    }
    self.intervals = intervals
    self.pairs = pairs
    self.doubts = doubts
  }

  /// Rates in stretches. Two rates are in one stretch unless a gap lies between them, however short.
  private static func stretches(_ rates: [HeartRateValue], between gaps: [RecordingGap]) -> [[Point]] {
    var stretches: [[Point]] = []
    var previous: Timestamp?
    var next = 0
    for rate in rates {
      guard rate.contact != .notDetected else {
        previous = nil
        continue
      }
      let point = Point(time: rate.time, value: Double(rate.beatsPerMinute))
      var isJoined = false
      if let previous, rate.time.microseconds(since: previous) <= longestHold {
        while next < gaps.count, gaps[next].end <= previous { next += 1 }
        isJoined = next == gaps.count || gaps[next].start >= rate.time
      }
      if isJoined { stretches[stretches.count - 1].append(point) } else { stretches.append([point]) }
      previous = rate.time
    }
    return stretches
  }
}

extension TimeSpan {
  fileprivate func contains(_ moment: Timestamp) -> Bool { start <= moment && moment <= end }
}

extension Timestamp {
  fileprivate func advanced(bySeconds seconds: Double) -> Timestamp {
    advanced(byMicroseconds: Int64(saturating: seconds * 1e6))
  }
}
