/// The figures of heart rate variability, with the unit and the divisor of each.
@nonexhaustive
public enum VariabilityMeasure: String, Hashable, Sendable, CaseIterable {
  case meanNN
  case meanRate
  /// Standard deviation of NN intervals, divided by n − 1, as in most tools.
  case sdnn
  /// The same divided by n.
  case sdnnPopulation
  /// Standard deviation (n − 1) of the means of five-minute segments.
  case sdann
  /// Mean of the SDNN (n − 1) of five-minute segments.
  case sdnnIndex
  case rmssd
  /// Standard deviation (n − 1) of successive differences.
  case sdsd
  case nn50
  case pnn50
  /// Both with the divisor n − 1.
  case sd1
  case sd2
  case vlf
  case lf
  case hf
  case lfHfRatio

  /// In the grammar of ``Unit``.
  public var unitSymbol: String {
    switch self {
    case .meanNN, .sdnn, .sdnnPopulation, .sdann, .sdnnIndex, .rmssd, .sdsd, .sd1, .sd2: "ms"
    case .meanRate: "count/min"
    case .nn50: "count"
    case .pnn50: "%"
    case .vlf, .lf, .hf: "ms^2"
    case .lfHfRatio: "1"
    }
  }

  /// The factor from seconds, or s², to the unit.
  fileprivate var scale: Double {
    switch unitSymbol {
    case "ms": 1e3
    case "ms^2": 1e6
    default: 1
    }
  }

  /// The shortest time for which the figure is given, in seconds; nil if it has a requirement of its own.
  ///
  /// Our choice, since the Task Force has five minutes as the standard, but no minimum for the time domain: one minute, the
  /// shortest in use (Shaffer & Ginsberg 2017, ultra-short norms). Figures of recordings of different lengths must not be
  /// compared. SDANN and SDNN index are for long recordings: twelve segments, of which the last is at least half complete.
  public var shortestTime: Double? {
    switch self {
    case .meanNN, .meanRate: 0
    case .sdann, .sdnnIndex: 3450
    case .vlf, .lf, .hf, .lfHfRatio: nil
    default: 60
    }
  }

  func figure(of variability: HeartRateVariability) throws(VariabilityRefusal) -> HeartRateVariability.Figure {
    var figure =
      switch self {
      case .meanNN: try variability.meanNN()
      case .meanRate: try variability.meanRate()
      case .sdnn: try variability.sdnn(.sample)
      case .sdnnPopulation: try variability.sdnn(.population)
      case .sdann: try variability.sdann(.sample)
      case .sdnnIndex: try variability.sdnnIndex(.sample)
      case .rmssd: try variability.rmssd()
      case .sdsd: try variability.sdsd(.sample)
      case .nn50: try variability.nn50()
      case .pnn50: try variability.pnn50()
      case .sd1: try variability.sd1(.sample)
      case .sd2: try variability.sd2(.sample)
      case .vlf: try variability.power(in: .veryLow)
      case .lf: try variability.power(in: .low)
      case .hf: try variability.power(in: .high)
      case .lfHfRatio: try variability.lowToHighRatio()
      }
    figure.value *= scale
    guard figure.value.isFinite else { throw self == .lfHfRatio ? .noPower(.high) : .noDuration }
    return figure
  }
}
