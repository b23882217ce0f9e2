/// A stretch of a session in which beats, or rates, may have been lost, and why.
public struct RecordingGap: Hashable, Sendable, Codable {
  /// Why: `link`, `contact`, `step`, `filler`, `surplus`, `missedOrPause`, `recorder`, `boot`, `silence`; what BlueZ said
  /// stands in ``detail``.
  public var reason: String
  /// What is known beside the reason.
  public var detail: String?
  /// When it begins.
  public var start: Timestamp
  /// When it ends.
  public var end: Timestamp
  /// An estimate from the neighbouring intervals or rates; nil where there is none.
  public var estimatedLostBeats: Double?

  /// Takes every part as it is.
  public init(
    reason: String, detail: String? = nil, start: Timestamp, end: Timestamp, estimatedLostBeats: Double? = nil
  ) {
    self.reason = reason
    self.detail = detail
    self.start = start
    self.end = end
    self.estimatedLostBeats = estimatedLostBeats
  }
}
