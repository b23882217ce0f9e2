/// A typed value in a session's metadata: the types of the store that a capture can hold.
public enum CaptureMetadataValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  /// A finite number. A value that is not finite is not written.
  case real(Double)
  case boolean(Bool)
  /// Microseconds since 1970 (UTC), within ±317 years.
  case time(microseconds: Int64)
  /// A finite number in a unit, by its symbol in the store.
  case quantity(Double, unit: String)
}

extension CaptureMetadataValue: ExpressibleByStringLiteral {
  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }
}
