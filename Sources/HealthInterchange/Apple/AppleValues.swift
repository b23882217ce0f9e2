internal import HealthModel

/// Times of Apple's export: `2024-03-01 07:14:22 -0800`.
enum AppleTime {
  /// The moment, and how far its zone is east of Greenwich; nil for any other text.
  static func moment(_ text: XMLBytes) -> (time: Timestamp, zone: Int64)? {
    guard text.count == 25, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x20, text[13] == 0x3A, text[16] == 0x3A,
      text[19] == 0x20, let century = pair(text, 0), let years = pair(text, 2), let month = pair(text, 5),
      let day = pair(text, 8), let hour = pair(text, 11), let minute = pair(text, 14), let second = pair(text, 17),
      let zoneHours = pair(text, 21), let zoneMinutes = pair(text, 23), hour < 24, minute < 60, second < 61,
      zoneHours < 24, zoneMinutes < 60,
      let date = CalendarDay(year: century * 100 + years, month: Int(month), day: Int(day))
    else { return nil }
    let sign: Int64
    switch text[20] {
    case UInt8(ascii: "+"): sign = 1
    case UInt8(ascii: "-"): sign = -1
    default: return nil
    }
    let zone = sign * (zoneHours * 3600 + zoneMinutes * 60)
    let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - zone
    let time = Timestamp(microseconds: seconds * 1_000_000)
    return Timestamp.calendarRange.contains(time) ? (time, zone * 1_000_000) : nil
  }

  private static func pair(_ text: XMLBytes, _ place: Int) -> Int64? {
    let (tens, ones) = (text[place] &- 0x30, text[place + 1] &- 0x30)
    return tens < 10 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : nil
  }

  /// The time of day in microseconds: `7:14:25.08 AM`, `19:14:25,08`. What stands behind it depends on the language and is not looked
  /// at, so that hours up to twelve may mean two.
  static func ofDay(_ text: XMLBytes) -> Int64? {
    var numbers: [Int64] = []
    var fraction: Int64 = 0
    var place = 0
    while place < text.count, !(0x30...0x39).contains(text[place]) { place += 1 }
    while place < text.count, numbers.count < 3 {
      var number: Int64 = 0
      var digits = 0
      while place < text.count, (0x30...0x39).contains(text[place]), digits < 3 {
        number = number * 10 + Int64(text[place] - 0x30)
        (place, digits) = (place + 1, digits + 1)
      }
      guard digits > 0 else { return nil }
      numbers.append(number)
      guard place < text.count, numbers.count < 3, text[place] == 0x3A || text[place] == 0x2E else { break }
      place += 1
    }
    if place < text.count, text[place] == 0x2E || text[place] == 0x2C {
      place += 1
      var unit: Int64 = 100_000
      while place < text.count, (0x30...0x39).contains(text[place]) {
        fraction += Int64(text[place] - 0x30) * unit
        (place, unit) = (place + 1, unit / 10)
      }
    }
    guard numbers.count == 3, numbers[0] < 25, numbers[1] < 60, numbers[2] < 61 else { return nil }
    return ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1_000_000 + fraction
  }

  /// The moment of a time of day within a span, or a second about the span: half a day, or the difference between zones, away from the
  /// expected moment. Nil where no such moment is in the span.
  static func moment(ofDay time: Int64, in span: TimeSpan, zone: Int64) -> Timestamp? {
    let since = time - span.start.microseconds.addingReportingOverflow(zone).partialValue
    return moment(since, every: 43_200_000_000, in: span) ?? moment(since, every: 900_000_000, in: span)
  }

  /// The moment in the span that is so long after its start, or any number of steps before or after.
  private static func moment(_ since: Int64, every step: Int64, in span: TimeSpan) -> Timestamp? {
    let slack: Int64 = 1_000_000
    let rest = since % step
    let since = rest < 0 ? rest + step : rest
    if since <= span.microseconds + slack { return span.start.advanced(byMicroseconds: since) }
    return since >= step - slack ? span.start.advanced(byMicroseconds: since - step) : nil
  }
}

/// Numbers of Apple's export.
enum AppleNumber {
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]

  /// Reads a number; nil for other text.
  static func double(_ text: XMLBytes) -> Double? {
    // Whole numbers below 2^53 over powers of ten up to 22 are rounded once, so rightly.
    var number: Int64 = 0
    var digits = 0
    var decimals = -1
    var isNegative = false
    for place in 0..<text.count {
      switch text[place] {
      case 0x30...0x39 where digits < 15:
        number = number * 10 + Int64(text[place] - 0x30)
        digits += 1
        if decimals >= 0 { decimals += 1 }
      case 0x2E where decimals < 0: decimals = 0
      case 0x2D where place == 0: isNegative = true
      default: return general(text)
      }
    }
    guard digits > 0 else { return nil }
    let value = decimals > 0 ? Double(number) / powers[decimals] : Double(number)
    return isNegative ? -value : value
  }

  private static func general(_ text: XMLBytes) -> Double? {
    guard text.count <= 64, let value = Double(text.string), value.isFinite else { return nil }
    return value
  }
}
