internal import Documents

/// Numbers for a person, with a fixed number of digits after the point.
enum FixedPoint {
  /// `value` rounded to `digits` (0 to 6) digits; `?` where it is no number or too large to be one of ours.
  static func text(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    guard value.magnitude < 1e12 else { return "?" }
    let scaled = Int64(value.magnitude * Double(scale) + 0.5)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let whole = "\(sign)\(scaled / Int64(scale))"
    guard digits > 0 else { return whole }
    var fraction: [UInt8] = []
    TimestampWriter.append(Int(scaled % Int64(scale)), digits: digits, to: &fraction)
    return "\(whole).\(String(decoding: fraction, as: UTF8.self))"
  }
}
