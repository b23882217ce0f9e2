/// Appends times as `YYYY-MM-DDThh:mm:ss.ffffffZ` at the speed of a large export.
///
/// Neighbouring rows share their second nearly always, so the first 19 characters are kept and only the fraction is
/// written anew.
struct TimestampWriter {
  enum FractionDigits: Int {
    case three = 3
    case six = 6
  }

  private let fractionDigits: FractionDigits
  private var second: Int64 = .min
  private var prefix: [UInt8] = []

  init(fractionDigits: FractionDigits) {
    self.fractionDigits = fractionDigits
  }

  /// Appends `microseconds` since 1970 (UTC); digits that are not shown are cut, not rounded.
  mutating func append(_ microseconds: Int64, to bytes: inout [UInt8]) {
    var (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if fraction < 0 {
      second -= 1
      fraction += 1_000_000
    }
    if second != self.second {
      self.second = second
      prefix.removeAll(keepingCapacity: true)
      let time = CivilTime(utcMicroseconds: microseconds)
      Self.append(time.year, digits: 4, to: &prefix)
      for (mark, value) in [
        ("-", time.month), ("-", time.day), ("T", time.hour), (":", time.minute), (":", time.second),
      ] {
        prefix.append(contentsOf: mark.utf8)
        Self.append(value, digits: 2, to: &prefix)
      }
      prefix.append(UInt8(ascii: "."))
    }
    bytes.append(contentsOf: prefix)
    switch fractionDigits {
    case .three: Self.append(Int(fraction / 1_000), digits: 3, to: &bytes)
    case .six: Self.append(Int(fraction), digits: 6, to: &bytes)
    }
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Appends `value` with leading zeros up to `digits`; a value of more digits keeps them all.
  static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = value.magnitude
    var written = 0
    while rest > 0 || written < digits {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      written += 1
    }
    bytes[start...].reverse()
  }
}
