package import Clients
package import DBus
package import HealthModel
package import Ingestion

/// Everything that a ``Door`` is given from outside.
package struct DoorSettings: Sendable {
  /// The bus on which it owns its name.
  package var bus: BusAddress
  /// Whose recorder it is.
  package var owners: Owners
  /// What the configuration decides about clients.
  package var inAdvance: [Grant]
  package var limits = ClientLimits()
  /// The version of the program.
  package var version: String
  /// Called on the door's thread, with one line each, never with health data or a client's text in it.
  package var log: @Sendable (RecorderSettings.LogLevel, String) -> Void

  package init(
    bus: BusAddress, owners: Owners, inAdvance: [Grant] = [], version: String,
    log: @escaping @Sendable (RecorderSettings.LogLevel, String) -> Void = { _, _ in }
  ) {
    self.bus = bus
    self.owners = owners
    self.inAdvance = inAdvance
    self.version = version
    self.log = log
  }
}
