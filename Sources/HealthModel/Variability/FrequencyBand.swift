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

  /// The shortest stretch that the band can be read from, in seconds.
  ///
  /// Task Force 1996, "Duration and circumstances of ECG recording": about one minute for HF, two for LF (here five
  /// seconds less, since the beats of a window seldom reach its borders); in general ten wavelengths of the lower border,
  /// which for VLF are 3,333 s. It warns against VLF from five minutes.
  public var shortestStretch: Double {
    switch self {
    case .veryLow: 3333
    case .low: 115
    case .high: 55
    }
  }

  /// The length into which longer stretches are divided, in seconds: five minutes, the Task Force's standard, where that
  /// is enough. Power changes in the course of a record; its mean over short segments is what long records are judged by.
  var segmentLength: Double { max(300, shortestStretch) }
}
