/// Heart rate variability of a session or a part of it: every figure, or the reason why it is refused.
public struct VariabilityReport: Hashable, Sendable {
  /// The examined time. An interval belongs to the span in which it ends.
  public let span: TimeSpan
  /// What the figures are computed from.
  public let intervals: NNIntervals
  /// The share of the span that NN intervals fill, 0...1.
  public let coverage: Double
  /// A reason to refuse all figures, whatever the intervals; nil if the intervals decide.
  public let refusal: VariabilityRefusal?
  private let variability: HeartRateVariability

  /// Below this share of the time, the intervals are not representative. Our choice: the Task Force gives none.
  private static let leastCoverage = 0.5
  /// The most windows: a little more than a week has seconds.
  private static let windowLimit: Int64 = 700_000

  /// The reports of successive windows.
  ///
  /// - Parameters:
  ///   - intervals: The intervals of the whole recording.
  ///   - span: The time to examine.
  ///   - windowMicroseconds: The length of each window; the last one may be shorter. nil means one window.
  ///   - refusal: A reason to refuse all figures that the intervals do not show.
  /// - Returns: One report without windows; none for a span without length.
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
      // A time that saturates would never reach the end.
      guard let part = TimeSpan(start: start, end: end), end > start else { break }
      reports.append(VariabilityReport(intervals, in: part, includesEnd: end == span.end, refusal: refusal))
      start = end
    }
    return reports
  }

  /// The report of the intervals that end in `span`, optionally including its end. With a `refusal` it has no figures.
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

  /// Computes one figure.
  ///
  /// - Returns: The figure in the unit of `measure`; always finite.
  /// - Throws: ``VariabilityRefusal``: ``refusal``, or the recording is too short or has too many holes.
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

  /// The number of intervals left out for each reason that occurred.
  public var exclusions: [(reason: NNIntervals.Exclusion.Reason, count: Int)] {
    NNIntervals.Exclusion.Reason.allCases.compactMap { reason in
      let count = intervals.exclusions.count { $0.reason == reason }
      return count > 0 ? (reason, count) : nil
    }
  }
}
