/// Heart rate variability of a session or a part of it: every figure, or the reason why it is refused.
public struct VariabilityReport: Hashable, Sendable {
  /// The examined time. An interval belongs to the span in which it ends.
  public let span: TimeSpan
  /// The intervals from which the figures are computed.
  public let intervals: NNIntervals
  /// The share of the span that NN intervals fill, 0...1.
  public let coverage: Double
  /// A reason to refuse all figures, whatever the intervals; nil if the intervals decide.
  public let refusal: VariabilityRefusal?
  private let variability: HeartRateVariability

  /// The least share of the time that representative intervals fill. Our choice: the Task Force does not give such a limit.
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
  /// - Returns: One report for each window, or a single report without windows. With windows, a span without length has no
  ///   report.
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

extension HeartRateVariabilitySummary {
  /// The figures that are stored with a session: SDNN (divisor n − 1), RMSSD and pNN50 over its NN intervals; nil where
  /// a report refuses one, because the session is too short for it or has too many holes.
  public init(of series: HeartbeatSeries, in span: TimeSpan) {
    let report = VariabilityReport(NNIntervals(series), in: span)
    func value(_ measure: VariabilityMeasure) -> Double? { (try? report.figure(measure))?.value }
    self.init(sdnnMilliseconds: value(.sdnn), rmssdMilliseconds: value(.rmssd), pnn50: value(.pnn50))
  }
}

/// An indication whether NN intervals are of sinus rhythm, for which heart rate variability is defined.
///
/// In atrial fibrillation or endless bigeminy, the intervals that remain without the artefacts are not between sinus beats
/// either, and the figures describe the arrhythmia. Intervals alone cannot diagnose it, but they can show that successive
/// ones differ more than a sinus node makes them.
///
/// The criterion: RMSSD is more than 15 % of the mean NN interval. Dash et al. 2009 (Ann. Biomed. Eng. 37:1701) use 10 % as
/// one of three signs of atrial fibrillation. As the only sign it has to be stricter, since the respiratory arrhythmia of
/// young people at rest exceeds 10 %. Simulated fibrillation has about 40 %, a real endless bigeminy more.
public struct RhythmIndication: Hashable, Sendable {
  /// RMSSD over the mean NN interval, 0 or more; nil where there are fewer than 30 pairs of intervals.
  public let relativeRMSSD: Double?

  /// The greatest ``relativeRMSSD`` that counts as sinus rhythm.
  public static let sinusLimit = 0.15
  private static let fewestPairs = 30

  /// Examines the intervals of a recording, or of a part of it.
  public init(_ variability: HeartRateVariability) {
    guard variability.pairCount >= Self.fewestPairs, let rmssd = try? variability.rmssd().value,
      let mean = try? variability.meanNN().value, mean > 0
    else {
      relativeRMSSD = nil
      return
    }
    relativeRMSSD = rmssd / mean
  }

  /// Whether the variability figures are probably those of an arrhythmia.
  public var isDoubtful: Bool { relativeRMSSD.map { $0 > Self.sinusLimit } ?? false }
}
