import Glibc
public import HealthModel

extension TimeZoneRules {
  /// The zone with that name in the system's zone database (Debian's package tzdata): `Europe/Berlin`, `UTC`.
  ///
  /// - Parameters:
  ///   - name: The name of the zone. A name that leads out of the folder is not a zone.
  ///   - folder: The folder of the compiled zones (RFC 8536).
  /// - Returns: The rules of the zone.
  /// - Throws: ``HealthModel/TimeZoneError/unknownZone(_:)`` where the folder has no such zone,
  ///   ``HealthModel/TimeZoneError/databaseMissing(_:)`` where there is no such folder, and
  ///   ``HealthModel/TimeZoneError/invalidData(part:)`` for a zone's file that cannot be parsed.
  public static func named(
    _ name: String, in folder: String = "/usr/share/zoneinfo"
  ) throws(TimeZoneError) -> TimeZoneRules {
    // UTC needs no database, and works even without one.
    guard name != "UTC" else { return .utc }
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "+"):
        true
      default: false
      }
    }
    guard isName, !name.isEmpty, name.first != "/" else { throw .unknownZone(name) }
    let descriptor = unsafe open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard unsafe access(folder, F_OK) == 0 else { throw .databaseMissing(folder) }
      throw .unknownZone(name)
    }
    defer { close(descriptor) }
    // The largest zone has less than 4 KB.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    guard count > 0 else { throw .unknownZone(name) }
    return try TimeZoneRules(name: name, parsing: Array(bytes[..<count]))
  }
}

extension Timestamp {
  /// The time of the wall clock now. For the times at which rows are written only: measurements have their own times.
  static func now() -> Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
