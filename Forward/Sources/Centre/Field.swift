/// A value of a parameter.
public enum Field: Hashable, Sendable {
  /// SQL's NULL.
  case null
  /// As the server reads it.
  case text(String)
  /// As they are, for a `bytea`.
  case bytes([UInt8])
}

extension Field {
  /// A number, or NULL.
  public init(_ number: Int64?) { self = number.map { .text(String($0)) } ?? .null }
  /// A text, or NULL.
  public init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

extension Field {
  /// A real with all its digits, or NULL.
  public init(_ real: Double?) {
    self = real.map { .text($0.isInfinite ? ($0 < 0 ? "-Infinity" : "Infinity") : "\($0)") } ?? .null
  }
}
