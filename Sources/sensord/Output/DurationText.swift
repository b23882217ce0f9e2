import Support

/// Lengths of time in the form that people use.
enum DurationText {
  /// `45 s`, `12 min 05 s`, `3 h 07 min`, `2 d 04 h`: two units at most. Negative lengths are shown as `0 s`.
  static func text(microseconds: Int64) -> String {
    let seconds = max(0, microseconds) / 1_000_000
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min \(twoDigits(seconds % 60)) s"
    case ..<86_400: "\(seconds / 3_600) h \(twoDigits(seconds % 3_600 / 60)) min"
    default: "\(seconds / 86_400) d \(twoDigits(seconds % 86_400 / 3_600)) h"
    }
  }

  /// `0:45`, `12:05`, `3:07:21`: for columns, where the digits stand under each other.
  static func clock(microseconds: Int64) -> String {
    let seconds = max(0, microseconds) / 1_000_000
    let (hours, minutes) = (seconds / 3_600, seconds % 3_600 / 60)
    let tail = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  /// `7:02`, hours and minutes: for columns of lengths that nobody reads to the second.
  static func hours(microseconds: Int64) -> String {
    let minutes = max(0, microseconds) / 60_000_000
    return "\(minutes / 60):\(twoDigits(minutes % 60))"
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// Numbers for a person, with a fixed number of digits after the point.
enum FixedPoint {
  /// `value` rounded to `digits` (0 to 6) digits; `?` for a value that is not finite, or too large.
  static func text(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    guard value.magnitude < 1e12 else { return "?" }
    let scaled = Int64(value.magnitude * Double(scale) + 0.5)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let whole = "\(sign)\(scaled / Int64(scale))"
    guard digits > 0 else { return whole }
    var fraction: [UInt8] = []
    fraction.append(decimal: Int(scaled % Int64(scale)), digits: digits)
    return "\(whole).\(String(decoding: fraction, as: UTF8.self))"
  }
}
