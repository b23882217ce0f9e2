extension HeartRateVariabilitySummary {
  /// The figures that are stored with a session: SDNN (divisor n − 1), RMSSD and pNN50 over its NN intervals; nil where
  /// a report refuses one, because the session is too short for it or has too many holes.
  public init(of series: HeartbeatSeries, in span: TimeSpan) {
    let report = VariabilityReport(NNIntervals(series), in: span)
    func value(_ measure: VariabilityMeasure) -> Double? { (try? report.figure(measure))?.value }
    self.init(sdnnMilliseconds: value(.sdnn), rmssdMilliseconds: value(.rmssd), pnn50: value(.pnn50))
  }
}
