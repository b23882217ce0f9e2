import HealthModel
import Testing

@Suite("Timestamp")
struct TimestampTests {
  @Test(
    "is written in UTC with as many digits as asked for, rounded down",
    arguments: [
      (0, 6, "1970-01-01T00:00:00.000000Z"), (0, 3, "1970-01-01T00:00:00.000Z"), (0, 0, "1970-01-01T00:00:00Z"),
      (1_714_920_600_436_237, 6, "2024-05-05T14:50:00.436237Z"),
      (1_714_920_600_436_999, 3, "2024-05-05T14:50:00.436Z"),
      (951_782_400_000_000, 3, "2000-02-29T00:00:00.000Z"), (-1, 6, "1969-12-31T23:59:59.999999Z"),
      (-1, 3, "1969-12-31T23:59:59.999Z"), (-62_167_219_200_000_000, 0, "0000-01-01T00:00:00Z"),
      (-62_167_219_200_000_001, 0, "-0001-12-31T23:59:59Z"), (253_402_300_800_000_000, 0, "+10000-01-01T00:00:00Z"),
    ])
  func isWritten(microseconds: Int64, digits: Int, text: String) {
    #expect(Timestamp(microseconds: microseconds).iso8601(fractionDigits: digits) == text)
  }

  @Test(
    "is read with and without fraction, in any zone",
    arguments: [
      ("2024-05-05", 1_714_867_200_000_000), ("2024-05-05T14:50Z", 1_714_920_600_000_000),
      ("2024-05-05T14:50:00.436237Z", 1_714_920_600_436_237), ("2024-05-05 14:50:00.4z", 1_714_920_600_400_000),
      ("2024-05-05T14:50:00.4362379Z", 1_714_920_600_436_237), ("2024-05-05T20:20:00+05:30", 1_714_920_600_000_000),
      ("2024-05-05T10:50:00-0400", 1_714_920_600_000_000), ("1970-01-01T00:00:01.5Z", 1_500_000),
      ("1970-01-01T00:00:01.000001Z", 1_000_001),
    ])
  func isRead(text: String, microseconds: Int64) {
    #expect(Timestamp(iso8601: text)?.microseconds == microseconds)
  }

  @Test(
    "is not read from what names no moment",
    arguments: [
      "", "2024", "2024-05", "2024-13-01", "2024-02-30", "2023-02-29", "2024-05-05T", "2024-05-05T14:50:00",
      "2024-05-05T24:00Z", "2024-05-05T14:60Z", "2024-05-05T14:50:61Z", "2024-05-05T14:50:00.Z",
      "2024-05-05T14:50:00Zx", "2024-5-5", "today", "2024-05-05T14:50:00+1", "2024-05-05T14:5x:00Z",
    ])
  func isNotRead(text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test("every day of four centuries is written and read back")
  func days() {
    for day in stride(from: Int64(-146_097), through: 146_097, by: 1) {
      let date = CalendarDay(daysSince1970: day)
      guard date.daysSince1970 == day, CalendarDay(year: date.year, month: date.month, day: date.day) == date else {
        Issue.record("day \(day)")
        return
      }
    }
  }

  @Test("saturates instead of overflowing")
  func saturates() {
    #expect(Timestamp(microseconds: .max).advanced(byMicroseconds: 1).microseconds == .max)
    #expect(Timestamp(microseconds: .min).advanced(byMicroseconds: -1).microseconds == .min)
    #expect(Timestamp(microseconds: .max).microseconds(since: Timestamp(microseconds: -1)) == .max)
    #expect(Timestamp(milliseconds: .min).microseconds == .min)
  }

  @Test("the floor to milliseconds goes down on both sides of 1970")
  func floor() {
    #expect(Timestamp(microseconds: 1999).flooredToMilliseconds.microseconds == 1000)
    #expect(Timestamp(microseconds: -1).flooredToMilliseconds.microseconds == -1000)
    #expect(Timestamp(microseconds: -1000).flooredToMilliseconds.microseconds == -1000)
  }
}
