extension HealthStore {
  /// The sensors that may be recorded, in the order in which they were added.
  package func allowedSensors() throws(StoreError) -> [AllowedSensor] {
    try opened().read { (connection) throws(StoreError) in try connection.sensors.all() }
  }

  /// Adds a sensor, or gives the one with that address this name; false where nothing changed.
  @discardableResult
  package func allow(_ sensor: AllowedSensor) throws(StoreError) -> Bool {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.allow(sensor) }
  }

  /// Names an allowed sensor; ``StoreError/Code/notFound`` where it is not allowed.
  package func renameSensor(_ address: String, to name: String?) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.rename(address, to: name) }
  }

  /// Takes a sensor off the list; ``StoreError/Code/notFound`` where it is not there. Its sessions stay.
  package func removeSensor(_ address: String) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.remove(address) }
  }
}
