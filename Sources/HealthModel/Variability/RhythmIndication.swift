/// Whether the NN intervals look like sinus rhythm, for which heart rate variability is defined.
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
