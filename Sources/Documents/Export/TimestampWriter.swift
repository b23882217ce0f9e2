internal import HealthModel

/// Appends times as `YYYY-MM-DDThh:mm:ss.ffffffZ` at the speed of a large export.
///
/// Neighbouring rows share their second nearly always, so the first 19 characters are kept and only the fraction is
/// written anew.
package struct TimestampWriter {
  package enum FractionDigits: Int {
    case three = 3
    case six = 6
  }

  private let fractionDigits: FractionDigits
  private var second: Int64 = .min
  private var prefix: [UInt8] = []

  package init(fractionDigits: FractionDigits) {
    self.fractionDigits = fractionDigits
  }

  /// Appends `microseconds` since 1970 (UTC); digits that are not shown are cut, not rounded.
  package mutating func append(_ microseconds: Int64, to bytes: inout [UInt8]) {
    var (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if fraction < 0 {
      second -= 1
      fraction += 1_000_000
    }
    if second != self.second {
      self.second = second
      // All but the zone's letter.
      prefix = Timestamp(microseconds: microseconds).iso8601(fractionDigits: 0).utf8.dropLast() + [UInt8(ascii: ".")]
    }
    bytes.append(contentsOf: prefix)
    switch fractionDigits {
    case .three: Self.append(Int(fraction / 1_000), digits: 3, to: &bytes)
    case .six: Self.append(Int(fraction), digits: 6, to: &bytes)
    }
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Appends `value` with leading zeros up to `digits`; a value of more digits keeps them all.
  package static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    var count = 1
    var bound: UInt = 10
    while magnitude >= bound {
      count += 1
      // At twenty digits the bound would not fit any more, and there is no longer number.
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    count = max(count, digits)
    for _ in 0..<count { bytes.append(UInt8(ascii: "0")) }
    var rest = magnitude
    var position = bytes.count
    while rest > 0 {
      position -= 1
      bytes[position] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
