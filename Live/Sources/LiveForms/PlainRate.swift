public import LivePulse

/// The rate alone, for programs that poll it or read a file.
public enum PlainRate {
  /// What stands in a text file: digits, or a dash.
  public static func text(_ pulse: Pulse) -> String { digits(pulse) ?? "-" }

  /// Digits; nil where there is no value.
  public static func digits(_ pulse: Pulse) -> String? {
    guard case .value(let reading) = pulse else { return nil }
    return "\(reading.beatsPerMinute)"
  }

  /// `{"bpm":72,"measured_at":1795476000123}`, the time in milliseconds of 1970; nil where there is no value.
  public static func json(_ pulse: Pulse) -> String? {
    guard case .value(let reading) = pulse else { return nil }
    return #"{"bpm":\#(reading.beatsPerMinute),"measured_at":\#(reading.microseconds / 1000)}"#
  }
}
