package import HealthModel

extension ZoneTimes {
  /// The member of `show --json`; keys are stable.
  package var json: JSONValue {
    let (resting, maximum): (Double?, Double) =
      switch zones.basis {
      case .maximum(let maximum): (nil, maximum)
      case .reserve(let resting, let maximum): (resting, maximum)
      }
    let rows = zip(zip(zones.borders, zones.lowerRates), times).map { border, time -> JSONValue in
      ["fromPercent": .integer(border.0), "fromRate": .number(border.1), "seconds": .number(Double(time) / 1e6)]
    }
    return [
      "basis": .string(resting == nil ? "maximum" : "reserve"), "maximum": .number(maximum),
      "resting": .number(resting), "belowSeconds": .number(Double(below) / 1e6), "zones": .array(rows),
    ]
  }
}
