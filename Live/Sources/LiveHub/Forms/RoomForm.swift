/// The curve of a rate as JSON: columns `[time, lowest, highest]` in stretches, and the gaps between these, in milliseconds of 1970.
extension RateCurve {
  /// Of so many columns at most.
  package func json(columns most: Int = mostColumns) -> String {
    let columns = columns(atMost: most)
    guard let first = columns.first, let last = columns.last else { return "null" }
    var (stretches, gaps) = ("", "")
    for (index, column) in columns.enumerated() {
      if index > 0 { stretches += column.followsGap ? "],[" : "," }
      if index > 0, column.followsGap {
        gaps += "\(gaps.isEmpty ? "" : ",")[\(columns[index - 1].end),\(column.start)]"
      }
      stretches += "[\(column.start),\(Self.number(column.lowest)),\(Self.number(column.highest))]"
    }
    let count = columns.reduce(0) { $0 + $1.count }
    let average = columns.reduce(0) { $0 + $1.sum } / Double(count)
    let held = self.held.enumerated().filter { $0.element > 0 }.map { "[\($0.offset),\($0.element)]" }
    let lowest = columns.map(\.lowest).min() ?? 0
    let highest = columns.map(\.highest).max() ?? 0
    return #"{"start":\#(first.start),"end":\#(last.end),"count":\#(count),"average":\#(Self.number(average)),"#
      + #""minimum":\#(Self.number(lowest)),"maximum":\#(Self.number(highest)),"gap_count":\#(self.gaps),"#
      + #""missing_ms":\#(missing),"held":[\#(held.joined(separator: ","))],"#
      + #""stretches":[[\#(stretches)]],"gaps":[\#(gaps)]}"#
  }

  /// To a tenth, whole numbers without a point.
  private static func number(_ value: Double) -> String {
    let tenths = Int(value * 10 + 0.5)
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// A sensor as a page shows it, with what the recorder says about it.
package struct SensorEntry: Hashable, Sendable {
  var address: String
  var name: String?
  /// Percent.
  var battery: UInt8?
  /// The beginning of its open session in milliseconds of 1970; nil where none is open.
  var sessionStart: Int64?

  package init(address: String, name: String?, battery: UInt8?, sessionStart: Int64?) {
    self.address = address
    self.name = name
    self.battery = battery
    self.sessionStart = sessionStart
  }
}

/// All that a page shows when it is opened, however late.
struct RoomForm {
  /// The wall clock in milliseconds of 1970.
  var now: Int64
  var hasRecorder: Bool
  var undecided: String?
  /// Each with its state, and what is remembered of it.
  var sensors: [(entry: SensorEntry, state: String, member: Room.Member?)]

  /// The curves have so many columns at most.
  func json(columns: Int) -> String {
    let all = sensors.map { entry, state, member in
      var text = #"{"address":\#(JSONText.quoted(entry.address)),"state":"\#(state)""#
      if let name = entry.name { text += #","name":\#(JSONText.quoted(name))"# }
      if let battery = entry.battery { text += #","battery":\#(battery)"# }
      if let start = entry.sessionStart { text += #","session_start":\#(start)"# }
      if let member {
        let beats = member.recentBeats.map { "[\($0.time),\((Int($0.ticks) * 1000 + 512) / 1024)]" }
        text += #","curve":\#(member.curve.json(columns: columns)),"beats":[\#(beats.joined(separator: ","))]"#
      }
      return text + "}"
    }
    let undecided = undecided.map { #","undecided":\#(JSONText.quoted($0))"# } ?? ""
    return #"{"now":\#(now),"recorder":\#(hasRecorder)\#(undecided),"sensors":[\#(all.joined(separator: ","))]}"#
  }
}
