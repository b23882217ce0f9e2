/// A stretch of a session in which beats or rates may have been lost, with the reason.
public struct RecordingGap: Hashable, Sendable, Codable {
  /// The reason: `link`, `contact`, `step`, `filler`, `surplus`, `missedOrPause`, `recorder`, `boot`, `silence`, or
  /// `clientSession` where a program's session has the values; in an imported session also `stopped`. BlueZ's explanation is in ``detail``.
  public var reason: String
  /// An explanation beside the reason.
  public var detail: String?
  /// When it begins.
  public var start: Timestamp
  /// When it ends.
  public var end: Timestamp
  /// An estimate from the neighbouring intervals or rates; nil if there is none.
  public var estimatedLostBeats: Double?

  /// A gap with the given parts.
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
