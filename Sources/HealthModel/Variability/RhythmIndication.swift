/// Whether the NN intervals look like sinus rhythm, which is what heart rate variability is defined for.
///
/// In atrial fibrillation, or bigeminy without an end, the intervals that remain after the artefacts are left out are still
/// not those between sinus beats, and the figures are those of the arrhythmia. Intervals alone cannot diagnose it; they can
/// show that successive ones differ more than a sinus node makes them.
///
/// The criterion: RMSSD is more than 15 % of the mean NN interval. Dash et al. 2009 (Ann. Biomed. Eng. 37:1701) take 10 % for
/// one of three signs of atrial fibrillation; as the only one, ours is stricter, since strong respiratory arrhythmia of
/// young people at rest passes 10 %. Made-up fibrillation has about 40 %, a real endless bigeminy more.
public struct RhythmIndication: Hashable, Sendable {
  /// RMSSD over the mean NN interval, 0 or more; nil where there are fewer than 30 pairs of intervals.
  public let relativeRMSSD: Double?

  /// The greatest ``relativeRMSSD`` that is taken for sinus rhythm.
  public static let sinusLimit = 0.15
  private static let fewestPairs = 30

  /// Looks at the intervals of a record, or of a part of it.
  public init(_ variability: HeartRateVariability) {
    guard variability.pairCount >= Self.fewestPairs, let rmssd = try? variability.rmssd().value,
      let mean = try? variability.meanNN().value, mean > 0
    else {
      relativeRMSSD = nil
      return
    }
    relativeRMSSD = rmssd / mean
  }

  /// Whether the figures of variability are probably those of an arrhythmia.
  public var isDoubtful: Bool { relativeRMSSD.map { $0 > Self.sinusLimit } ?? false }
}
