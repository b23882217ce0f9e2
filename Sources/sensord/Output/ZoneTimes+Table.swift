internal import HealthModel

extension ZoneTimes {
  /// The rows of `show`: each zone with its borders and the time in it, that below all first.
  var table: TextTable {
    var table = TextTable([
      .init("Zone"), .init(title), .init("Beats a minute", .right), .init("Time", .right), .init("Share", .right),
    ])
    let total = times.reduce(below, +)
    func add(_ name: String, _ percent: String, _ rates: String, _ time: Int64) {
      let share = total > 0 ? FixedPoint.text(100 * Double(time) / Double(total), digits: 0) + " %" : ""
      table.add([name, percent, rates, DurationText.clock(microseconds: time), share])
    }
    let borders = Array(zip(zones.borders, zones.lowerRates.map { FixedPoint.text($0, digits: 0) }))
    if let first = borders.first { add("below", "to \(first.0) %", "to \(first.1)", below) }
    for (index, border) in borders.enumerated() {
      let isLast = index + 1 == zones.borders.count
      let percent = isLast ? "from \(border.0) %" : "\(border.0) to \(zones.borders[index + 1]) %"
      add("\(index + 1)", percent, "from \(border.1)", times[index])
    }
    return table
  }

  /// What percentages are of.
  private var title: String {
    switch zones.basis {
    case .maximum(let maximum): "of \(FixedPoint.text(maximum, digits: 0))"
    case .reserve(let resting, let maximum):
      "of the reserve from \(FixedPoint.text(resting, digits: 0)) to \(FixedPoint.text(maximum, digits: 0))"
    }
  }
}
