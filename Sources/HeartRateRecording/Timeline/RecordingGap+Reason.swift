import HealthModel

extension RecordingGap {
  /// A gap between two beats, or rates, in microseconds since 1970 (UTC).
  init(_ reason: GapReason, from start: Int64, to end: Int64, estimatedLostBeats: Int) {
    self.init(
      reason: reason.token, detail: reason.detail, start: Timestamp(microseconds: start),
      end: Timestamp(microseconds: end), estimatedLostBeats: Double(estimatedLostBeats))
  }
}
