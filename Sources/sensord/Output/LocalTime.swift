internal import Glibc
internal import HealthModel

/// Times for people, in the time zone of the machine or of `TZ`.
///
/// Tables show local time, since a person remembers when they trained by the clock on the wall; JSON and CSV are UTC.
enum LocalTime {
  /// `2026-11-21 14:03`.
  static func minute(_ microseconds: Int64) -> String {
    formatted(microseconds, "%Y-%m-%d %H:%M")
  }

  /// `2026-11-21 14:03:05 +0100`.
  static func second(_ microseconds: Int64) -> String {
    formatted(microseconds, "%Y-%m-%d %H:%M:%S %z")
  }

  /// `14:03:05`; of now where no time is given.
  static func timeOfDay(_ microseconds: Int64 = now()) -> String {
    formatted(microseconds, "%H:%M:%S")
  }

  /// The wall clock in microseconds since 1970 (UTC).
  static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  private static func formatted(_ microseconds: Int64, _ format: String) -> String {
    var seconds = time_t(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
    var fields = unsafe tm()
    guard unsafe localtime_r(&seconds, &fields) != nil else { return Timestamp(microseconds: microseconds).iso8601() }
    var buffer = [CChar](repeating: 0, count: 64)
    let count = unsafe strftime(&buffer, buffer.count, format, &fields)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
