/// A moment written as a person or a program reads it; microseconds since 1970 (UTC) in, text out.
struct CivilTime: Hashable {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int
  var microsecond: Int

  /// The proleptic Gregorian calendar at `microseconds` since 1970-01-01T00:00:00Z.
  ///
  /// Days to date by whole 400 year eras counted from 1 March, since leap days then stand at the end of a year.
  init(utcMicroseconds microseconds: Int64) {
    let (seconds, fraction) = Self.floored(microseconds, by: 1_000_000)
    let (days, secondOfDay) = Self.floored(seconds, by: 86_400)
    let (era, dayOfEra) = Self.floored(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    hour = Int(secondOfDay / 3_600)
    minute = Int(secondOfDay % 3_600 / 60)
    second = Int(secondOfDay % 60)
    microsecond = Int(fraction)
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension CivilTime {
  /// `YYYY-MM-DDThh:mm:ss.mmmZ`, as the JSON outputs write times (ISO 8601, UTC, milliseconds, cut and not rounded).
  static func milliseconds(_ microseconds: Int64) -> String {
    var writer = TimestampWriter(fractionDigits: .three)
    var bytes: [UInt8] = []
    writer.append(microseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
