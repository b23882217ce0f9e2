import Documents
import Glibc
import HealthModel
import Reports
import SeriesStore
import Support

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

/// The time zone by whose clocks a command lays days and reads times.
enum ZoneChoice {
  /// The zone of that name, or the machine's own, as the C library finds it for all other output: that of `TZ`, else of
  /// `/etc/localtime`, else UTC.
  ///
  /// `TZ` is a name of the zone database, the path of a file in its format, or a rule as POSIX defines it; empty it is UTC.
  /// `TZDIR` names another zone database.
  static func rules(
    named name: String?, environment: ProcessEnvironment, localTime: String = "/etc/localtime"
  ) throws -> TimeZoneRules {
    let database = environment["TZDIR"] ?? "/usr/share/zoneinfo"
    if let name { return try TimeZoneRules.named(name, in: database) }
    if let setting = environment.text(of: "TZ") { return try rules(ofSetting: setting, in: database) }
    guard unsafe access(localTime, F_OK) == 0 else { return .utc }
    return try rules(ofFile: localTime, name: Self.name(behind: localTime) ?? "local time")
  }

  /// Fails where `TZ` names no zone, as ``rules(named:environment:localTime:)`` does: the C library would show universal
  /// time instead without a word. For commands that show local times.
  static func requireLocal(environment: ProcessEnvironment = .current) throws {
    if environment.text(of: "TZ") != nil { _ = try rules(named: nil, environment: environment) }
  }

  private static func rules(ofSetting setting: String, in database: String) throws -> TimeZoneRules {
    let value = setting.hasPrefix(":") ? String(setting.dropFirst()) : setting
    guard !value.isEmpty else { return .utc }
    do {
      if value.hasPrefix("/") { return try rules(ofFile: value, name: value) }
      do throws(TimeZoneError) {
        return try TimeZoneRules.named(value, in: database)
      } catch {
        // The C library assumes the days of the United States for a rule that names no days.
        guard let rule = (try? TimeZoneRules(rule: value)) ?? (try? TimeZoneRules(rule: value + ",M3.2.0,M11.1.0"))
        else { throw error }
        return rule
      }
    } catch let error as TimeZoneError where error == .databaseMissing(database) {
      throw error
    } catch {
      throw CommandFailure(
        .usage, "TZ is '\(PrintableText.line(value, columns: 60))', which is no time zone",
        remedy:
          "set it to a name of tzdata such as Europe/Berlin, to the path of a zone file or to a rule such as CET-1")
    }
  }

  private static func rules(ofFile path: String, name: String) throws -> TimeZoneRules {
    // The biggest zone has less than 4 KB.
    try TimeZoneRules(name: name, parsing: FileAccess.read(path, limit: 65_536))
  }

  /// The zone's name, which the file itself does not hold: where a link leads to in a zone database.
  private static func name(behind path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return target.firstRange(of: "/zoneinfo/").map { String(target[$0.upperBound...]) }
  }
}

/// Times as a person gives them to a command: `2026-11-21`, `2026-11-21T14:03`, `2026-11-21T14:03:05+01:00`.
enum MomentText {
  /// The moment that `text` means. A date alone is its midnight; a text without a zone is read by the clocks of `zone`, which is
  /// looked up for such a text only.
  static func moment(
    _ text: String, in zone: @autoclosure () throws -> TimeZoneRules, option: String
  ) throws -> Timestamp {
    let isDate = text.utf8.count == 10
    if !isDate, let moment = Timestamp(iso8601: text) { return moment }
    guard let wall = Timestamp(iso8601: isDate ? text : text + "Z") else {
      throw CommandFailure(
        .usage, "'\(text)' for \(option) is no time",
        remedy: "give 2026-11-21, 2026-11-21T14:03 or 2026-11-21T14:03:05Z")
    }
    return try zone().moment(ofWallClock: wall.microseconds)
  }

  /// The predicate for `--from` and `--to` of a list, by the machine's own clocks where no zone is named.
  static func predicate(from: String?, to: String?) throws -> SamplePredicate {
    func moment(_ text: String?, _ option: String) throws -> Timestamp? {
      try text.map {
        try self.moment($0, in: ZoneChoice.rules(named: nil, environment: .current), option: option)
      }
    }
    let (from, to) = (try moment(from, "--from"), try moment(to, "--to"))
    if let from, let to, from >= to { throw CommandFailure(.usage, "--from must be before --to") }
    return .time(from: from, to: to)
  }
}

/// Sentences about dates of a clock that was not set.
enum ClockText {
  /// The fact about a recording, with a remedy.
  static func notSet(_ session: String) -> String {
    "not set, so the dates may be wrong: sensord sessions date \(session) --start TIME"
  }

  /// The note below a table with marked rows.
  static let note = "? clock not set: these dates may be wrong; 'sensord sessions date' corrects them\n"
}

/// Lengths of time in the form that people use.
enum DurationText {
  /// `45 s`, `12 min 05 s`, `3 h 07 min`, `2 d 04 h`: two units at most. Negative lengths are shown as `0 s`.
  static func text(microseconds: Int64) -> String {
    let seconds = max(0, microseconds) / 1_000_000
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min \(twoDigits(seconds % 60)) s"
    case ..<86_400: "\(seconds / 3_600) h \(twoDigits(seconds % 3_600 / 60)) min"
    default: "\(seconds / 86_400) d \(twoDigits(seconds % 86_400 / 3_600)) h"
    }
  }

  /// `0:45`, `12:05`, `3:07:21`: for columns, where the digits stand under each other.
  static func clock(microseconds: Int64) -> String {
    let seconds = max(0, microseconds) / 1_000_000
    let (hours, minutes) = (seconds / 3_600, seconds % 3_600 / 60)
    let tail = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  /// `7:02`, hours and minutes: for columns of lengths that nobody reads to the second.
  static func hours(microseconds: Int64) -> String {
    let minutes = max(0, microseconds) / 60_000_000
    return "\(minutes / 60):\(twoDigits(minutes % 60))"
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// Numbers for a person, with a fixed number of digits after the point.
enum FixedPoint {
  /// `value` rounded to `digits` (0 to 6) digits; `?` for a value that is not finite, or too large.
  static func text(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    guard value.magnitude < 1e12 else { return "?" }
    let scaled = Int64(value.magnitude * Double(scale) + 0.5)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let whole = "\(sign)\(scaled / Int64(scale))"
    guard digits > 0 else { return whole }
    var fraction: [UInt8] = []
    fraction.append(decimal: Int(scaled % Int64(scale)), digits: digits)
    return "\(whole).\(String(decoding: fraction, as: UTF8.self))"
  }
}
