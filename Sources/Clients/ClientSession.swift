package import FoundationEssentials
package import HealthModel
package import Sensors

/// A session that a client asked for.
package struct ClientSession: Hashable, Sendable {
  /// What it is called, to its end.
  package let identifier: UUID
  /// Whose it is: every connection of the same user and application.
  package let owner: ClientIdentity
  package let sensor: SensorAddress
  /// When it began, in microseconds since 1970 (UTC).
  package let start: Int64
  /// The connection with whose end it ends; nil where it outlives its program.
  package internal(set) var connection: String?
  /// Whether its end was asked for, and is not stored yet.
  package internal(set) var isEnding = false
  /// Whether a grant allows it. What an owner began needs none.
  var needsGrant = false

  /// One that began, or that an earlier run of the recorder left.
  package init(
    identifier: UUID, owner: ClientIdentity, sensor: SensorAddress, start: Int64, connection: String? = nil
  ) {
    self.identifier = identifier
    self.owner = owner
    self.sensor = sensor
    self.start = start
    self.connection = connection
  }
}

/// A series that a client inserts.
package struct ClientSeriesEntry: Hashable, Sendable {
  package let identifier: UUID
  /// Whose it is: every connection of the same user and application.
  package let owner: ClientIdentity
  /// The identifier of its type.
  package let type: String
  /// The connection with whose end it ends.
  package let connection: String
  /// Whether its end was asked for, and is not stored yet.
  package internal(set) var isEnding = false
  var needsGrant = false

  package init(identifier: UUID, owner: ClientIdentity, type: String, connection: String) {
    self.identifier = identifier
    self.owner = owner
    self.type = type
    self.connection = connection
  }
}
