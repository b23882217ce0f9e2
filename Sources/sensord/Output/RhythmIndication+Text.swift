internal import HealthModel

extension RhythmIndication {
  /// For a person; nil where nothing speaks against sinus rhythm.
  var warning: String? {
    guard isDoubtful, let relativeRMSSD else { return nil }
    return "probably not sinus: RMSSD is \(Self.percent(relativeRMSSD)) of the mean interval, over \(Self.limit)"
  }

  /// The limit for a person.
  static var limit: String { percent(sinusLimit) }

  private static func percent(_ share: Double) -> String { FixedPoint.text(100 * share, digits: 0) + " %" }
}
