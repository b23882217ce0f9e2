/// A day of the Gregorian calendar, extended before its introduction (proleptic, as in ISO 8601).
///
/// Years range from −1,000,000 to 1,000,000, more than a ``Timestamp`` can hold.
public struct CalendarDay: Hashable, Sendable {
  /// The astronomical year: year 0 is 1 BC.
  public let year: Int64
  /// The month: 1 to 12.
  public let month: Int
  /// The day of the month: 1 to 31.
  public let day: Int

  private static let years: ClosedRange<Int64> = -1_000_000...1_000_000
  /// The days of those years, counted from 1970-01-01.
  private static let days: ClosedRange<Int64> = -365_962_028...364_523_337

  /// The day of that year and month; nil if there is no such day.
  public init?(year: Int64, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that many days after 1970-01-01, or before it if negative; clamped to the range of years.
  ///
  /// Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
  public init(daysSince1970: Int64) {
    let shifted = min(max(daysSince1970, Self.days.lowerBound), Self.days.upperBound) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days after 1970-01-01, negative before it (`days_from_civil` of the same source).
  public var daysSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The number of days in a month: 28 to 31; 31 for a `month` that is not 1 to 12.
  public static func days(inMonth month: Int, of year: Int64) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CalendarDay: Codable {
  /// `YYYY-MM-DD`; throws if there is no such day.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let isEarly = text.hasPrefix("-")
    let parts = text.split(separator: "-")
    guard parts.count == 3, let year = Int64(parts[0]), let month = Int(parts[1]), let number = Int(parts[2]),
      let day = CalendarDay(year: isEarly ? -year : year, month: month, day: number)
    else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no day") }
    self = day
  }

  /// `YYYY-MM-DD`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension CalendarDay: CustomStringConvertible {
  /// `2026-11-22`; years before 0 have a sign.
  public var description: String {
    func padded(_ number: UInt64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let year = (self.year < 0 ? "-" : "") + padded(self.year.magnitude, 4)
    return "\(year)-\(padded(UInt64(month), 2))-\(padded(UInt64(day), 2))"
  }
}
