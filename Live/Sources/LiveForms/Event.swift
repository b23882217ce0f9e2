public import LivePulse

/// The hub's own JSON, one object for each change, as `/events` and `/ws` send it.
///
/// `{"state":"measuring","sequence":7,"sensor":"C0:FF:EE:00:00:01","bpm":72,"rr_ms":[832.0],"time_ms":1795476000123,`
/// `"uncertainty_ms":1000,"gap":false}`; without a value `bpm` is null and what belongs to a value is left out.
public enum Event {
  /// How much earlier than its arrival the last beat of a value may have been. Sensors send about once a second.
  public static let uncertaintyMilliseconds = 1000

  public static func json(_ shown: Shown) -> String {
    let head = #"{"state":"\#(shown.pulse.state)","sequence":\#(shown.sequence)"#
    guard case .value(let reading) = shown.pulse else { return head + #","bpm":null}"# }
    let intervals = reading.rrTicks.map(milliseconds).joined(separator: ",")
    return head + #","sensor":\#(JSONText.quoted(reading.sensor)),"bpm":\#(reading.beatsPerMinute)"#
      + #","rr_ms":[\#(intervals)],"time_ms":\#(reading.microseconds / 1000)"#
      + #","uncertainty_ms":\#(uncertaintyMilliseconds),"gap":\#(reading.precededByGap)}"#
  }

  /// As one message of a stream of server-sent events.
  public static func serverSent(_ shown: Shown) -> String {
    "id: \(shown.sequence)\ndata: \(json(shown))\n\n"
  }

  /// To a tenth, rounded to the nearest; a tick is almost one.
  private static func milliseconds(_ ticks: UInt16) -> String {
    let tenths = (Int(ticks) * 10_000 + 512) / 1024
    return "\(tenths / 10).\(tenths % 10)"
  }
}
