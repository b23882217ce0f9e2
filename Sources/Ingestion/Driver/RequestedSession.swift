public import FoundationEssentials
public import Sensors

/// A session that somebody asked for.
public struct RequestedSession: Hashable, Sendable {
  /// The session's identity, also in the store.
  public var id: UUID
  /// Whose values it holds.
  public var sensor: SensorAddress
  /// When it began, in microseconds since 1970 (UTC).
  public var start: Int64
}
