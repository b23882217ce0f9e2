/// The figures of heart rate variability, with the unit and the divisor of each.
@nonexhaustive
public enum VariabilityMeasure: String, Hashable, Sendable, CaseIterable {
  case meanNN
  /// Rate of the mean interval, not the mean of the single rates.
  case meanRate
  /// Standard deviation of NN intervals, divided by n − 1, as in most tools.
  case sdnn
  /// Standard deviation of NN intervals, divided by n.
  case sdnnPopulation
  /// Standard deviation (n − 1) of the means of five-minute segments.
  case sdann
  /// Mean of the SDNN (n − 1) of five-minute segments.
  case sdnnIndex
  /// Root mean square of successive differences.
  case rmssd
  /// Standard deviation (n − 1) of successive differences.
  case sdsd
  /// Number of successive differences greater than 50 ms; ``pnn50`` is its share of the pairs.
  case nn50
  case pnn50
  /// Width of the Poincaré plot; ``sd2`` is its length. Both with the divisor n − 1.
  case sd1
  case sd2
  /// Power in the very low band of ``FrequencyBand``; ``lf`` and ``hf`` likewise in the low and the high one.
  case vlf
  case lf
  case hf
  case lfHfRatio

  /// The symbol of the unit, in the grammar of ``Unit``.
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

  /// The shortest time for which the figure is given, in seconds; nil where the frequency band has a limit of its own.
  ///
  /// One minute is this project's choice, the shortest in use (Shaffer & Ginsberg 2017, ultra-short norms): the Task Force has a standard of
  /// five minutes, but no minimum for the time domain. Figures of recordings of different lengths must not be compared. SDANN and SDNN
  /// index are for long recordings: twelve segments, of which the last is at least half complete.
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

/// A reason to refuse a figure of heart rate variability, instead of a NaN or a number without meaning.
@nonexhaustive
public enum VariabilityRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case tooFewIntervals(needed: Int, available: Int)
  /// Too few pairs of NN intervals that follow each other without a gap.
  case tooFewPairs(needed: Int, available: Int)
  /// Too few five-minute segments that are complete and sufficiently filled.
  case tooFewSegments(needed: Int, available: Int)
  /// All intervals are 0, so there is no rate.
  case noDuration
  /// An interval is negative or not finite.
  case invalidInterval(index: Int)
  /// The examined time is shorter than the figure needs.
  case tooShort(neededSeconds: Double, availableSeconds: Double)
  /// NN intervals fill too little of the examined time; both are shares of 1.
  case tooThin(neededCoverage: Double, coverage: Double)
  /// No stretch without a long hole is long enough for the frequency band.
  case stretchTooShort(neededSeconds: Double, availableSeconds: Double)
  /// Every segment that is long enough for the frequency band has too many holes.
  case segmentsTooThin(neededCoverage: Double)
  /// The band in the denominator has no power.
  case noPower(FrequencyBand)
  /// The intervals have steps that would move the figure by more than 5 %.
  case tooCoarse(stepMilliseconds: Double)
  /// The sensor's intervals are not those of single beats, so there are no beats, and the variation has no meaning.
  case noBeats(IntervalHabit)
  /// The time has more windows than can be returned.
  case tooManyWindows(limit: Int)
  /// SD2² is negative: the intervals alternate so strongly that the Poincaré ellipse has no length.
  case negativeVariance

  /// One line for a person.
  public var description: String {
    switch self {
    case .tooFewIntervals(let needed, let available): "\(needed) NN intervals are needed, there are \(available)"
    case .tooFewPairs(let needed, let available):
      "\(needed) pairs of successive NN intervals are needed, there are \(available)"
    case .tooFewSegments(let needed, let available):
      "\(needed) filled segments of five minutes are needed, there are \(available)"
    case .noDuration: "the intervals have no duration"
    case .invalidInterval(let index): "interval \(index) is negative or not finite"
    case .tooShort(let needed, let available): "\(Self.whole(needed)) s are needed, there are \(Self.whole(available))"
    case .tooThin(let needed, let coverage):
      "NN intervals must fill \(Self.whole(100 * needed)) % of the time, they fill \(Self.whole(100 * coverage)) %"
    case .stretchTooShort(let needed, let available):
      "\(Self.whole(needed)) s without a hole of five seconds are needed, there are \(Self.whole(available))"
    case .segmentsTooThin(let needed):
      "no segment is filled with NN intervals to \(Self.whole(100 * needed)) %"
    case .noPower(let band): "there is no power in \(band.rawValue)"
    case .tooCoarse(let step): "the intervals are known to \(Self.whole(step)) ms only, which would move it"
    case .noBeats(let habit): habit.words
    case .tooManyWindows(let limit): "that would be more than \(limit) windows; use longer ones"
    case .negativeVariance: "the intervals alternate too much for SD2"
    }
  }

  /// Rounded down, so that a value below a limit is never shown as reaching it.
  private static func whole(_ value: Double) -> Int { Int(max(0, min(value, 1e9))) }
}
