extension HealthStore {
  /// The sensors that may be recorded, in the order in which they were added.
  package func allowedSensors() throws(StoreError) -> [AllowedSensor] {
    try opened().read { (connection) throws(StoreError) in try connection.sensors.all() }
  }

  /// Adds a sensor, or renames the one with that address. Returns false if nothing changed.
  @discardableResult
  package func allow(_ sensor: AllowedSensor) throws(StoreError) -> Bool {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.allow(sensor) }
  }

  /// Renames an allowed sensor; throws ``StoreError/Code/notFound`` if it is not on the list.
  package func renameSensor(_ address: String, to name: String?) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.rename(address, to: name) }
  }

  /// Removes a sensor from the list; throws ``StoreError/Code/notFound`` if it is not there. Its sessions stay.
  package func removeSensor(_ address: String) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.remove(address) }
  }

  /// Puts the sensor with the address `new` in the place of `old`, of which it gets the name; returns it. From then on a device predicate
  /// of `new` matches `old` as well. Samples are not changed.
  ///
  /// - Throws: ``StoreError/Code/notFound`` where `old` is not on the list, unless `new` is and something was recorded of `old`.
  @discardableResult
  package func replaceSensor(_ old: String, by new: String) throws(StoreError) -> AllowedSensor {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.replace(old, by: new) }
  }
}
