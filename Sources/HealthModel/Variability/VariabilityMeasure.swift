/// The figures of heart rate variability, each in the unit and with the divisor in which it is reported.
@nonexhaustive
public enum VariabilityMeasure: String, Hashable, Sendable, CaseIterable {
  case meanNN
  case meanRate
  /// Standard deviation of NN, divided by n − 1, as the usual tools do.
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

  /// What a value in seconds, or in s², is multiplied by.
  fileprivate var scale: Double {
    switch unitSymbol {
    case "ms": 1e3
    case "ms^2": 1e6
    default: 1
    }
  }

  /// The shortest time, in seconds, that the figure is given for; nil where it asks for a stretch of its own.
  ///
  /// Ours, since the Task Force names five minutes as the standard but no shortest time for the figures of the time domain:
  /// one minute, the shortest in use (Shaffer & Ginsberg 2017, ultra-short norms); figures of records of different
  /// lengths must not be compared. SDANN and SDNN index are for long records: twelve segments, the last at least half.
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
