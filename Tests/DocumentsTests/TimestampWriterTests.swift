import HealthModel
import Testing

@testable import Documents

@Suite("TimestampWriter")
struct TimestampWriterTests {
  @Test(
    "moments are written in UTC with milliseconds",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (1_795_226_888_123_456, "2026-11-21T02:08:08.123Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (-1_000_000, "1969-12-31T23:59:59.000Z"),
      (-62_167_219_200_000_000, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func milliseconds(microseconds: Int64, text: String) {
    var writer = TimestampWriter(fractionDigits: .three)
    var bytes: [UInt8] = []
    writer.append(microseconds, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
    #expect(Timestamp(microseconds: microseconds).iso8601() == text)
  }

  @Test("what is written is read back, to the microsecond")
  func roundTrip() {
    var generator = SystemRandomNumberGenerator()
    var writer = TimestampWriter(fractionDigits: .six)
    for _ in 0..<2_000 {
      let microseconds = Int64.random(in: 0..<4_102_444_800_000_000, using: &generator)
      var bytes: [UInt8] = []
      writer.append(microseconds, to: &bytes)
      #expect(
        Timestamp(iso8601: String(decoding: bytes, as: UTF8.self))?.microseconds == microseconds, "\(microseconds)")
    }
  }

  @Test("the writer keeps the second but not the fraction of the row before")
  func neighbours() {
    var writer = TimestampWriter(fractionDigits: .six)
    var bytes: [UInt8] = []
    for time: Int64 in [999_999, 1_000_000, 1_000_001, 59_999_999, 60_000_000, 0] {
      writer.append(time, to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        1970-01-01T00:00:00.999999Z
        1970-01-01T00:00:01.000000Z
        1970-01-01T00:00:01.000001Z
        1970-01-01T00:00:59.999999Z
        1970-01-01T00:01:00.000000Z
        1970-01-01T00:00:00.000000Z

        """)
  }
}
