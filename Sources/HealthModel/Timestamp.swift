public import FoundationEssentials

/// A moment of wall-clock time: microseconds since 1970-01-01 00:00:00 UTC, without leap seconds (as in POSIX).
///
/// An integer, because conversion to `Double` and back could change a beat's time.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01 00:00:00 UTC.
  public var microseconds: Int64

  /// A moment that many microseconds after 1970, or before if negative.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Milliseconds since 1970, saturating where the microseconds would overflow.
  public init(milliseconds: Int64) {
    microseconds = milliseconds.multipliedSaturated(by: 1000)
  }

  /// The years 1 to 9999: the moments that calendars and series may have.
  public static let calendarRange =
    Timestamp(microseconds: -62_135_596_800_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

  /// Whether one moment is before another.
  public static func < (earlier: Timestamp, later: Timestamp) -> Bool {
    earlier.microseconds < later.microseconds
  }

  /// The moment `microseconds` later, or earlier where it is negative. Saturates instead of overflowing.
  public func advanced(byMicroseconds microseconds: Int64) -> Timestamp {
    Timestamp(microseconds: self.microseconds.addingSaturated(microseconds))
  }

  /// Microseconds from `earlier` to this moment. Saturates instead of overflowing.
  public func microseconds(since earlier: Timestamp) -> Int64 {
    microseconds.subtractingSaturated(earlier.microseconds)
  }

  /// The last whole millisecond not after this moment: the precision of stored rates.
  public var flooredToMilliseconds: Timestamp {
    let remainder = ((microseconds % 1000) + 1000) % 1000
    return advanced(byMicroseconds: -remainder)
  }
}

extension Timestamp {
  /// `YYYY-MM-DDThh:mm:ss.fffZ` (ISO 8601, UTC) with `fractionDigits` digits, 0 to 6, rounded down.
  ///
  /// Years outside 0000 to 9999 get a sign and as many digits as they need.
  public func iso8601(fractionDigits: Int = 3) -> String {
    let day = microseconds.flooredQuotient(by: 86_400_000_000)
    // Not computed from the day's midnight, which is out of range for the earliest timestamps.
    let remainder = microseconds % 86_400_000_000
    let inDay = remainder < 0 ? remainder + 86_400_000_000 : remainder
    let date = CalendarDay(daysSince1970: day)
    var text: [UInt8] = []
    text.reserveCapacity(27)
    if date.year < 0 || date.year > 9999 { text.append(UInt8(ascii: date.year < 0 ? "-" : "+")) }
    Self.append(date.year.magnitude, width: 4, to: &text)
    text.append(UInt8(ascii: "-"))
    Self.append(UInt64(date.month), width: 2, to: &text)
    text.append(UInt8(ascii: "-"))
    Self.append(UInt64(date.day), width: 2, to: &text)
    text.append(UInt8(ascii: "T"))
    let seconds = UInt64(inDay / 1_000_000)
    Self.append(seconds / 3600, width: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    Self.append(seconds / 60 % 60, width: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    Self.append(seconds % 60, width: 2, to: &text)
    let digits = max(0, min(6, fractionDigits))
    if digits > 0 {
      var fraction = UInt64(inDay % 1_000_000)
      for _ in digits..<6 { fraction /= 10 }
      text.append(UInt8(ascii: "."))
      Self.append(fraction, width: digits, to: &text)
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses `YYYY-MM-DD`, alone or followed by `Thh:mm`, `Thh:mm:ss` or `Thh:mm:ss.f…` and `Z`, `±hh:mm` or `±hhmm`.
  ///
  /// A date alone is its midnight in UTC. Nil for everything else, including a time without a zone, which is not a definite
  /// moment. Digits after the sixth of a second's fraction are dropped.
  public init?(iso8601 text: some StringProtocol) {
    var scanner = Scanner(text.utf8)
    guard let year = scanner.number(digits: 4), scanner.consume("-"), let month = scanner.number(digits: 2),
      scanner.consume("-"), let day = scanner.number(digits: 2),
      let date = CalendarDay(year: year, month: Int(month), day: Int(day))
    else { return nil }
    let midnight = date.daysSince1970 * 86_400_000_000
    if scanner.isAtEnd {
      microseconds = midnight
      return
    }
    guard scanner.consume("T") || scanner.consume("t") || scanner.consume(" "), let hour = scanner.number(digits: 2),
      hour < 24,
      scanner.consume(":"), let minute = scanner.number(digits: 2), minute < 60
    else { return nil }
    var inDay = (hour * 60 + minute) * 60_000_000
    if scanner.consume(":") {
      guard let second = scanner.number(digits: 2), second < 60 else { return nil }
      inDay += second * 1_000_000
      if scanner.consume(".") {
        guard let fraction = scanner.fraction() else { return nil }
        inDay += fraction
      }
    }
    guard let offset = scanner.zoneMicroseconds(), scanner.isAtEnd else { return nil }
    microseconds = midnight + inDay - offset
  }

  private static func append(_ number: UInt64, width: Int, to text: inout [UInt8]) {
    var digits: [UInt8] = []
    var rest = number
    repeat {
      digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    for _ in 0..<max(0, width - digits.count) { text.append(UInt8(ascii: "0")) }
    text.append(contentsOf: digits.reversed())
  }

  private struct Scanner<Bytes: Sequence<UInt8>> {
    private var iterator: Bytes.Iterator
    private var next: UInt8?

    init(_ bytes: Bytes) {
      iterator = bytes.makeIterator()
      next = iterator.next()
    }

    var isAtEnd: Bool { next == nil }

    mutating func consume(_ character: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: character) else { return false }
      next = iterator.next()
      return true
    }

    private mutating func digit() -> Int64? {
      guard let character = next, character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") else { return nil }
      next = iterator.next()
      return Int64(character - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
      var number: Int64 = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    /// Microseconds from the digits after a point; there is at least one.
    mutating func fraction() -> Int64? {
      guard var value = digit() else { return nil }
      var count = 1
      while let digit = digit() {
        if count < 6 { value = value * 10 + digit }
        count += 1
      }
      while count < 6 {
        value *= 10
        count += 1
      }
      return value
    }

    /// The offset east of Greenwich, in microseconds; nil if there is no zone.
    mutating func zoneMicroseconds() -> Int64? {
      if consume("Z") || consume("z") { return 0 }
      let sign: Int64
      if consume("+") {
        sign = 1
      } else if consume("-") {
        sign = -1
      } else {
        return nil
      }
      guard let hours = number(digits: 2), hours < 24 else { return nil }
      _ = consume(":")
      guard let minutes = number(digits: 2), minutes < 60 else { return nil }
      return sign * (hours * 60 + minutes) * 60_000_000
    }
  }
}

extension Timestamp {
  /// Converts from `Date` (a `Double` of seconds) to the nearest microsecond: exact until after the year 2100. Saturates;
  /// NaN becomes the epoch.
  public init(_ date: Date) {
    self.init(microseconds: Int64(saturating: date.timeIntervalSince1970 * 1e6))
  }

  /// The moment as a `Date`. Converting it back gives the same timestamp, within some centuries from now.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

extension Timestamp: Codable {
  /// Decodes one number: microseconds since 1970. Coders do not round integers.
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  /// Encodes one number: microseconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(microseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC, to the microsecond: `2026-11-22T10:30:00.000000Z`.
  public var description: String { iso8601(fractionDigits: 6) }
}
