internal import Documents
internal import Recordings
internal import Glibc
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// The time zone by whose clocks a command lays days and reads times.
enum ZoneChoice {
  /// The zone of that name, or the machine's own, as the C library finds it for all other output: what `TZ` says, else
  /// what is in `/etc/localtime`, else UTC.
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
        // Where no days are named, the C library assumes those of the United States.
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
