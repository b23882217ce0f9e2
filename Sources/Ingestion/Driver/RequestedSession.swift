package import FoundationEssentials
package import HealthModel
package import Sensors

/// A session that somebody asked for.
package struct RequestedSession: Hashable, Sendable {
  /// What it is asked for by, to its end: the identity of its first session.
  package var request: UUID
  /// The session in which it goes on, also in the store: another than the first after 24 hours.
  package var session: UUID
  /// Whose values it holds.
  package var sensor: SensorAddress
  /// When it began, in microseconds since 1970 (UTC).
  package var start: Int64
  /// Who asked for it.
  package var owner: ClientIdentity
  /// Whether it ends when its program goes.
  package var endsWithClient: Bool

  package init(
    request: UUID, session: UUID, sensor: SensorAddress, start: Int64, owner: ClientIdentity, endsWithClient: Bool
  ) {
    self.request = request
    self.session = session
    self.sensor = sensor
    self.start = start
    self.owner = owner
    self.endsWithClient = endsWithClient
  }
}

/// A requested session that has ended.
package struct EndedSession: Hashable, Sendable {
  /// The last session of the request.
  package var session: UUID
  /// Its bounds in the store; nil where there was nothing to store.
  package var span: TimeSpan?
}
