/// A rule for all future years: standard time, and daylight saving time between two days of each year.
///
/// POSIX.1-2017 section 8.3 (`TZ`), with the hours from −167 to 167 that RFC 8536 section 3.3.1 allows.
struct RecurringOffsets: Hashable, Sendable {
  /// Seconds east of Greenwich.
  private let standard: Int32
  private let daylight: Daylight?

  private struct Daylight: Hashable, Sendable {
    let offset: Int32
    let begin: Rule
    let end: Rule
  }

  /// A day of the year, and the seconds after its midnight.
  private struct Rule: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      /// 1 to 365, the 29th of February never counted.
      case julian(Int)
      /// 0 to 365.
      case zeroBased(Int)
      /// The `week`th such weekday of the month, the last for 5; Sunday is 0.
      case weekday(month: Int, week: Int, day: Int)
    }
    let day: Day
    let seconds: Int64

    /// The moment from which the rule applies in a year, in seconds of the clock that is valid just before.
    func wallSecond(in year: Int64) -> Int64 {
      let firstDay = Self.day(year, 1, 1)
      let isLeap = CalendarDay.days(inMonth: 2, of: year) == 29
      let day: Int64 =
        switch self.day {
        case .julian(let number): firstDay + Int64(number) - 1 + (isLeap && number >= 60 ? 1 : 0)
        case .zeroBased(let number): firstDay + Int64(number)
        case .weekday(let month, let week, let weekday):
          Self.day(year, month, weekday: Int64(weekday), week: Int64(week))
        }
      return day * 86_400 + seconds
    }

    private static func day(_ year: Int64, _ month: Int, _ day: Int) -> Int64 {
      CalendarDay(year: year, month: month, day: day)?.daysSince1970 ?? 0
    }

    private static func day(_ year: Int64, _ month: Int, weekday: Int64, week: Int64) -> Int64 {
      let first = day(year, month, 1)
      // 1970-01-01 was a Thursday.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      if day >= first + Int64(CalendarDay.days(inMonth: month, of: year)) { day -= 7 }
      return day
    }
  }

  func offset(atSecond second: Int64) -> Int32 {
    guard let daylight else { return standard }
    let local = second &+ Int64(standard)
    var day = local / 86_400
    if local % 86_400 < 0 { day -= 1 }
    let year = CalendarDay(daysSince1970: day).year
    let begin = daylight.begin.wallSecond(in: year) - Int64(standard)
    let end = daylight.end.wallSecond(in: year) - Int64(daylight.offset)
    let isDaylight = begin < end ? second >= begin && second < end : second >= begin || second < end
    return isDaylight ? daylight.offset : standard
  }

  init(parsing bytes: [UInt8]) throws(TimeZoneError) {
    var scanner = Scanner(bytes: bytes)
    guard scanner.name(), let standard = scanner.offset() else { throw .invalidData(part: "footer") }
    self.standard = standard
    if scanner.isAtEnd {
      daylight = nil
      return
    }
    guard scanner.name() else { throw .invalidData(part: "footer") }
    let offset: Int32
    if scanner.next == UInt8(ascii: ",") {
      offset = standard + 3600
    } else {
      guard let given = scanner.offset() else { throw .invalidData(part: "footer") }
      offset = given
    }
    guard let begin = scanner.rule(), let end = scanner.rule(), scanner.isAtEnd else {
      throw .invalidData(part: "footer")
    }
    daylight = Daylight(offset: offset, begin: begin, end: end)
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func consume(_ character: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    /// `CET`, or `<+0330>`.
    mutating func name() -> Bool {
      if consume("<") {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { return false }
        position = end + 1
        return true
      }
      let start = position
      while let byte = next, (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) { position += 1 }
      return position - start >= 3
    }

    mutating func number(upTo limit: Int) -> Int? {
      var value = 0
      let start = position
      while let byte = next, (0x30...0x39).contains(byte), position - start < 4 {
        value = value * 10 + Int(byte - 0x30)
        position += 1
      }
      return position > start && value <= limit ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func time(hours limit: Int) -> Int64? {
      let sign: Int64 = consume("-") ? -1 : 1
      if sign == 1 { _ = consume("+") }
      guard let hours = number(upTo: limit) else { return nil }
      var seconds = Int64(hours) * 3600
      for unit in [Int64(60), 1] where consume(":") {
        guard let part = number(upTo: 59) else { return nil }
        seconds += Int64(part) * unit
      }
      return sign * seconds
    }

    /// Offsets count west of Greenwich in POSIX, and east of it here.
    mutating func offset() -> Int32? {
      time(hours: 24).map { Int32(-$0) }
    }

    mutating func rule() -> Rule? {
      guard consume(",") else { return nil }
      let day: Rule.Day
      if consume("J") {
        guard let number = number(upTo: 365), number >= 1 else { return nil }
        day = .julian(number)
      } else if consume("M") {
        guard let month = number(upTo: 12), month >= 1, consume("."), let week = number(upTo: 5), week >= 1,
          consume("."),
          let weekday = number(upTo: 6)
        else { return nil }
        day = .weekday(month: month, week: week, day: weekday)
      } else {
        guard let number = number(upTo: 365) else { return nil }
        day = .zeroBased(number)
      }
      guard consume("/") else { return Rule(day: day, seconds: 7200) }
      guard let seconds = time(hours: 167) else { return nil }
      return Rule(day: day, seconds: seconds)
    }
  }
}
