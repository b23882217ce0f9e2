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

  /// The time of day in microseconds: `7:14:25.08 AM`, `19:14:25,08`, `19 h 14 min 25,08 s`, in the digits of any language that has decimal ones.
  ///
  /// Everything else depends on the language and is not looked at, so that hours up to twelve may mean two.
  static func ofDay(_ text: XMLBytes) -> Int64? {
    var numbers: [Int64] = []
    var place = 0
    while place < text.count, numbers.count < 3 {
      guard var (digit, length) = Self.digit(text, place) else {
        place += 1
        continue
      }
      var number: Int64 = 0
      var digits = 0
      while true {
        number = number * 10 + digit
        (place, digits) = (place + length, digits + 1)
        guard digits < 3, let next = Self.digit(text, place) else { break }
        (digit, length) = next
      }
      numbers.append(number)
    }
    var fraction: Int64 = 0
    if let separator = Self.separator(text, place) {
      place += separator
      var unit: Int64 = 100_000
      while let (digit, length) = Self.digit(text, place) {
        fraction += digit * unit
        (place, unit) = (place + length, unit / 10)
      }
    }
    guard numbers.count == 3, numbers[0] < 25, numbers[1] < 60, numbers[2] < 61 else { return nil }
    return ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1_000_000 + fraction
  }

  /// The decimal digit at a place, and its bytes: of ASCII, Arabic (U+0660), Persian (U+06F0), and of the scripts of India and
  /// south-east Asia, each of which has ten in a row in UTF-8's last byte.
  private static func digit(_ text: XMLBytes, _ place: Int) -> (value: Int64, length: Int)? {
    guard place < text.count else { return nil }
    let first = text[place]
    if (0x30...0x39).contains(first) { return (Int64(first - 0x30), 1) }
    guard first >= 0x80, place + 1 < text.count else { return nil }
    let second = text[place + 1]
    switch first {
    case 0xD9 where (0xA0...0xA9).contains(second): return (Int64(second - 0xA0), 2)
    case 0xDB where (0xB0...0xB9).contains(second): return (Int64(second - 0xB0), 2)
    default: break
    }
    guard place + 2 < text.count, let zero = zeros[UInt16(first) << 8 | UInt16(second)] else { return nil }
    let last = text[place + 2]
    return last >= zero && last < zero + 10 ? (Int64(last - zero), 3) : nil
  }

  /// The last byte of a script's zero, by the two before it: Devanagari, Bengali, Gurmukhi, Gujarati, Odia, Tamil, Telugu, Kannada,
  /// Malayalam, Thai, Lao, Myanmar, Khmer.
  private static let zeros: [UInt16: UInt8] = [
    0xE0A5: 0xA6, 0xE0A7: 0xA6, 0xE0A9: 0xA6, 0xE0AB: 0xA6, 0xE0AD: 0xA6, 0xE0AF: 0xA6, 0xE0B1: 0xA6, 0xE0B3: 0xA6,
    0xE0B5: 0xA6, 0xE0B9: 0x90, 0xE0BB: 0x90, 0xE181: 0x80, 0xE19F: 0xA0,
  ]

  /// The length of a decimal separator at a place: point, comma, or Arabic's (U+066B).
  private static func separator(_ text: XMLBytes, _ place: Int) -> Int? {
    guard place < text.count else { return nil }
    if text[place] == 0x2E || text[place] == 0x2C { return 1 }
    return place + 1 < text.count && text[place] == 0xD9 && text[place + 1] == 0xAB ? 2 : nil
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
