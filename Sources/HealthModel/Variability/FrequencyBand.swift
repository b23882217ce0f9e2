/// A band of the spectrum of NN intervals (Task Force 1996, table 2).
@nonexhaustive
public enum FrequencyBand: String, Hashable, Sendable, CaseIterable {
  /// 0.003 to 0.04 Hz.
  case veryLow = "vlf"
  /// 0.04 to 0.15 Hz.
  case low = "lf"
  /// 0.15 to 0.40 Hz.
  case high = "hf"

  /// In Hz; a frequency on a border belongs to the band above it.
  public var frequencies: Range<Double> {
    switch self {
    case .veryLow: 0.003..<0.04
    case .low: 0.04..<0.15
    case .high: 0.15..<0.40
    }
  }

  /// The shortest stretch from which the band's power can be computed, in seconds.
  ///
  /// Task Force 1996, "Duration and circumstances of ECG recording": about one minute for HF, two for LF (five seconds less
  /// here, since the beats of a window seldom reach its borders), and in general ten wavelengths of the lower border, which
  /// for VLF are 3,333 s. It advises against VLF from five minutes.
  public var shortestStretch: Double {
    switch self {
    case .veryLow: 3333
    case .low: 115
    case .high: 55
    }
  }

  /// The length of the segments of longer stretches, in seconds: five minutes, the Task Force's standard, if the band
  /// permits. Power changes during a recording; long recordings are assessed by its mean over short segments.
  var segmentLength: Double { max(300, shortestStretch) }
}
