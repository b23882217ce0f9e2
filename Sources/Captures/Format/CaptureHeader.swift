public import FoundationEssentials
public import Sensors

/// What is known of a session when it opens: everything in a capture except its events.
public struct CaptureHeader: Hashable, Sendable {
  /// The session's identity, which is also its sync identifier in the store.
  public var session: UUID
  public var sensor: SensorIdentity
  /// The program that recorded it, with its version, such as `sensord 0.1.0`.
  public var source: String
  /// Metadata from the person or program that requested the session, such as a game's name.
  public var metadata: [String: CaptureMetadataValue]
  /// Who asked for the session; nil where it began by itself.
  public var request: SessionRequest?
  /// The session that this one continues because it reached its maximum length.
  public var linkedTo: UUID?

  public init(
    session: UUID, sensor: SensorIdentity, source: String, metadata: [String: CaptureMetadataValue] = [:],
    request: SessionRequest? = nil, linkedTo: UUID? = nil
  ) {
    self.session = session
    self.sensor = sensor
    self.source = source
    self.metadata = metadata
    self.request = request
    self.linkedTo = linkedTo
  }
}
