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

extension CalendarInterval: Codable {
  /// Its text, such as `15m`.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Its text, such as `15m`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
