/// Heart rate variability of a session or of a part of it: every figure, or the reason why it is not given.
public struct VariabilityReport: Hashable, Sendable {
  /// What was looked at. An interval belongs to the span in which it ends.
  public let span: TimeSpan
  /// What the figures are computed from.
  public let intervals: NNIntervals
  /// The share of the span that NN intervals fill, 0...1.
  public let coverage: Double
  /// Why no figure of the record is given, whatever its intervals; nil where they decide.
  public let refusal: VariabilityRefusal?
  private let variability: HeartRateVariability

  /// Less than this share of the time says too little of the rest. Ours: the Task Force names none.
  private static let leastCoverage = 0.5
  /// More windows than anybody reads: a week of seconds, and a bit.
  private static let windowLimit: Int64 = 700_000

  /// The reports of consecutive spans.
  ///
  /// - Parameters:
  ///   - intervals: Those of the whole record.
  ///   - span: What to look at.
  ///   - windowMicroseconds: The length of each part, the last of which is shorter where it does not fit; nil makes it one.
  ///   - refusal: Why no figure is given, where something is known of the record that its intervals do not show.
  /// - Returns: At least one without windows; none for a span without length.
  /// - Throws: ``VariabilityRefusal/tooManyWindows(limit:)``.
  public static func reports(
    _ intervals: NNIntervals, in span: TimeSpan, windowMicroseconds: Int64? = nil, refusal: VariabilityRefusal? = nil
  ) throws(VariabilityRefusal) -> [VariabilityReport] {
    guard let length = windowMicroseconds, length > 0 else {
      return [VariabilityReport(intervals, in: span, refusal: refusal)]
    }
    guard span.microseconds / length < windowLimit else { throw .tooManyWindows(limit: Int(windowLimit)) }
    var reports: [VariabilityReport] = []
    var start = span.start
    while start < span.end {
      let end = min(span.end, start.advanced(byMicroseconds: length))
      // Time that saturates at its end would never get there.
      guard let part = TimeSpan(start: start, end: end), end > start else { break }
      reports.append(VariabilityReport(intervals, in: part, includesEnd: end == span.end, refusal: refusal))
      start = end
    }
    return reports
  }

  /// Of the intervals of a record those that end in `span`, with its own end or without; with a `refusal` it gives no figure.
  public init(
    _ intervals: NNIntervals, in span: TimeSpan, includesEnd: Bool = true, refusal: VariabilityRefusal? = nil
  ) {
    self.span = span
    self.refusal = refusal
    let origin = intervals.origin ?? span.start
    let start = Double(span.start.microseconds(since: origin)) / 1e6
    let end = Double(span.end.microseconds(since: origin)) / 1e6
    let inside = intervals.ending(in: start..<max(start, includesEnd ? end.nextUp : end))
    self.intervals = inside
    coverage = end > start ? min(1, inside.duration / (end - start)) : 0
    variability = HeartRateVariability(inside, from: start)
  }

  /// Whether the intervals look like sinus rhythm.
  public var rhythm: RhythmIndication { RhythmIndication(variability) }

  /// One figure.
  ///
  /// - Returns: In the unit of `measure`; always finite.
  /// - Throws: ``VariabilityRefusal``: ``refusal``, or the record is too short for it or has too many holes.
  public func figure(_ measure: VariabilityMeasure) throws(VariabilityRefusal) -> HeartRateVariability.Figure {
    if let refusal { throw refusal }
    if let shortest = measure.shortestTime, shortest > 0 {
      let seconds = Double(span.microseconds) / 1e6
      guard seconds >= shortest else { throw .tooShort(neededSeconds: shortest, availableSeconds: seconds) }
      guard coverage >= Self.leastCoverage else {
        throw .tooThin(neededCoverage: Self.leastCoverage, coverage: coverage)
      }
    }
    return try measure.figure(of: variability)
  }

  /// How many intervals were left out, by reason; only what occurs.
  public var exclusions: [(reason: NNIntervals.Exclusion.Reason, count: Int)] {
    NNIntervals.Exclusion.Reason.allCases.compactMap { reason in
      let count = intervals.exclusions.count { $0.reason == reason }
      return count > 0 ? (reason, count) : nil
    }
  }
}
