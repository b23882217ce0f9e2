internal import Glibc
internal import HealthModel
internal import SeriesStore

/// The time zone by whose clocks a command lays days and reads times.
enum ZoneChoice {
  /// The zone of that name, or the machine's own: what `TZ` names, else what `/etc/localtime` leads to, else UTC.
  ///
  /// `TZDIR` names another zone database, as it does for the C library.
  static func rules(named name: String?, environment: ProcessEnvironment) throws(TimeZoneError) -> TimeZoneRules {
    let database = environment["TZDIR"] ?? standardDatabase
    if let name = name ?? environment["TZ"].map({ $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }) {
      return try TimeZoneRules.named(name.isEmpty ? "UTC" : name, in: database)
    }
    return try TimeZoneRules.named(localName ?? "UTC", in: database)
  }

  private static let standardDatabase = "/usr/share/zoneinfo"

  /// What the link `/etc/localtime` ends in behind the database's folder.
  private static var localName: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/etc/localtime", &buffer, buffer.count)
    guard count > 0 else { return nil }
    let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let folder = target.firstRange(of: "/zoneinfo/") else { return nil }
    return String(target[folder.upperBound...])
  }
}
