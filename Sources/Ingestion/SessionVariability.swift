import HealthModel

/// The figures of heart rate variability that are stored with a session.
enum SessionVariability {
  /// SDNN (divisor n − 1), RMSSD and pNN50 over the NN intervals of the whole session; nil where a figure is refused.
  static func summary(of series: HeartbeatSeries) -> HeartRateVariabilitySummary {
    let variability = HeartRateVariability(NNIntervals(series))
    return HeartRateVariabilitySummary(
      sdnnMilliseconds: (try? variability.sdnn(.sample)).map { $0.value * 1000 },
      rmssdMilliseconds: (try? variability.rmssd()).map { $0.value * 1000 },
      pnn50: (try? variability.pnn50()).map(\.value))
  }
}
