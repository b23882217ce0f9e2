package import HealthModel

/// A sensor that may be recorded because its owner added it.
package struct AllowedSensor: Hashable, Sendable {
  /// The Bluetooth address as text, upper case: `C0:FF:EE:00:00:01`.
  package var address: String
  /// The name given by its owner.
  package var name: String?
  /// When its owner added it.
  package var added: Timestamp

  /// A sensor with the given parts.
  package init(address: String, name: String?, added: Timestamp) {
    self.address = address
    self.name = name
    self.added = added
  }
}
