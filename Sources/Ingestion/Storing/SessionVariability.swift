import HealthModel

/// The figures of heart rate variability that are stored with a session.
enum SessionVariability {
  /// SDNN (divisor n − 1), RMSSD and pNN50 over the NN intervals of the whole session; nil where a report of it refuses a
  /// figure, because the session is too short for it or has too many holes.
  static func summary(of series: HeartbeatSeries, in span: TimeSpan) -> HeartRateVariabilitySummary {
    let report = VariabilityReport(NNIntervals(series), in: span)
    func value(_ measure: VariabilityMeasure) -> Double? { (try? report.figure(measure))?.value }
    return HeartRateVariabilitySummary(
      sdnnMilliseconds: value(.sdnn), rmssdMilliseconds: value(.rmssd), pnn50: value(.pnn50))
  }
}
