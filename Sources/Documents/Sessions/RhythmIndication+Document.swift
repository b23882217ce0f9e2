package import HealthModel

extension RhythmIndication {
  /// Keys are stable.
  package var json: JSONValue {
    ["relativeRMSSD": .number(relativeRMSSD), "sinusLimit": .number(Self.sinusLimit), "doubtful": .bool(isDoubtful)]
  }
}
