/// Why a time zone cannot be used.
@nonexhaustive
public enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The zone database has no zone of that name.
  case unknownZone(String)
  /// There is no zone database at the path.
  case databaseMissing(String)
  /// The zone's data are not in the format of RFC 8536; `part` names where.
  case invalidData(part: String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unknownZone(""): "an empty name is no time zone; names are those of tzdata, such as Europe/Berlin"
    case .unknownZone(let name): "there is no time zone \(name); names are those of tzdata, such as Europe/Berlin"
    case .databaseMissing(let path): "there are no time zones at \(path); install the package tzdata, or use UTC"
    case .invalidData(let part): "the time zone's data are damaged: \(part); install the package tzdata again"
    }
  }
}
