import FoundationEssentials
import HealthModel

/// A value in a row from ``ReadOnlySQL``: SQLite's five types.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLValue {
  init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
  init(_ real: Double?) { self = real.map { .real($0) } ?? .null }
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  init(_ uuid: UUID) { self = .blob(uuid.bytes) }
  init(_ time: Timestamp) { self = .integer(time.microseconds) }
}
