package import HealthModel

extension AudiogramSensitivityPoint {
  /// A line of the answer to a query of an audiogram; what was not measured is left out.
  package var line: JSONValue {
    let ears = [("leftEarSensitivity", leftEarSensitivity), ("rightEarSensitivity", rightEarSensitivity)]
    return .object(
      [.init("frequencyHertz", .number(frequency))]
        + ears.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }
}
