package import HealthModel

/// The sensors that may be recorded.
struct SensorList {
  let connection: Connection

  /// The sensors in the order in which they were added.
  func all() throws(StoreError) -> [AllowedSensor] {
    // Sorted here: SQLite would hold rows without end in its memory before it hands over the first one.
    var statement = try connection.prepare("SELECT address, name, added FROM sensors ORDER BY rowid")
    var sensors: [AllowedSensor] = []
    while try statement.step() {
      sensors.append(
        AllowedSensor(
          address: statement.text(0) ?? "", name: statement.text(1),
          added: Timestamp(microseconds: statement.integer(2))))
    }
    return sensors.enumerated().sorted { ($0.element.added, $0.offset) < ($1.element.added, $1.offset) }.map(\.element)
  }

  /// Adds a sensor, or renames it. Returns false if nothing changed.
  func allow(_ sensor: AllowedSensor) throws(StoreError) -> Bool {
    let address = sensor.address.uppercased()
    guard try contains(address) else {
      try connection.insert([.text(address), SQLValue(sensor.name), SQLValue(sensor.added)], into: Schema.sensors)
      return true
    }
    guard let name = sensor.name else { return false }
    return try setName(name, of: address, onlyWhereOther: true)
  }

  func rename(_ address: String, to name: String?) throws(StoreError) {
    guard try contains(address.uppercased()) else { throw notFound(address) }
    _ = try setName(name, of: address.uppercased(), onlyWhereOther: false)
  }

  func remove(_ address: String) throws(StoreError) {
    var statement = try connection.prepare("DELETE FROM sensors WHERE address = ?1")
    try statement.bind(address.uppercased(), at: 1)
    try statement.run()
    guard connection.changes > 0 else { throw notFound(address) }
  }

  /// Puts `new` in the place of `old`, with its name; returns it. Samples keep the address under which they were recorded, and
  /// ``predecessors(of:)`` leads to them.
  func replace(_ old: String, by new: String) throws(StoreError) -> AllowedSensor {
    let (old, new) = (old.uppercased(), new.uppercased())
    guard old != new else { throw StoreError(.invalid, "a sensor cannot take its own place") }
    let sensors = try all()
    let listed = sensors.first { $0.address == old }
    let present = sensors.first { $0.address == new }
    let isKnown = if listed == nil { try hasHistory(old) } else { true }
    guard isKnown, var sensor = listed ?? present else { throw notFound(old) }
    (sensor.address, sensor.name) = (new, sensor.name ?? present?.name)
    try execute("DELETE FROM sensors WHERE address IN (?1, ?2)", old, new)
    try connection.insert([.text(new), SQLValue(sensor.name), SQLValue(sensor.added)], into: Schema.sensors)
    // One step from each former address to the present one: nothing has to be followed, so nothing can go in circles.
    try execute("DELETE FROM successors WHERE predecessor IN (?1, ?2)", old, new)
    try execute(
      """
      UPDATE successors SET successor = ?2, checksum = \(RowChecksum.name)(predecessor, ?2) WHERE successor = ?1
      """, old, new)
    try connection.insert([.text(old), .text(new)], into: Schema.successors)
    return sensor
  }

  /// The former addresses of a sensor; empty for an earlier file without a table of them, which only a writer makes.
  func predecessors(of address: String) throws(StoreError) -> [String] {
    guard try connection.has(Schema.successors) else { return [] }
    var statement = try connection.prepare(
      "SELECT predecessor FROM successors WHERE successor = ?1 ORDER BY predecessor")
    try statement.bind(address, at: 1)
    var addresses: [String] = []
    while try statement.step() { addresses.append(statement.text(0) ?? "") }
    return addresses
  }

  private func hasHistory(_ address: String) throws(StoreError) -> Bool {
    var statement = try connection.prepare("SELECT 1 FROM devices WHERE local_identifier = ?1 LIMIT 1")
    try statement.bind(address, at: 1)
    return try statement.step()
  }

  private func execute(_ text: String, _ first: String, _ second: String) throws(StoreError) {
    var statement = try connection.prepare(text)
    try statement.bind(first, at: 1)
    try statement.bind(second, at: 2)
    try statement.run()
  }

  private func contains(_ address: String) throws(StoreError) -> Bool {
    var statement = try connection.prepare("SELECT 1 FROM sensors WHERE address = ?1")
    try statement.bind(address, at: 1)
    return try statement.step()
  }

  private func setName(_ name: String?, of address: String, onlyWhereOther: Bool) throws(StoreError) -> Bool {
    var statement = try connection.prepare(
      """
      UPDATE sensors SET name = ?2, checksum = \(RowChecksum.name)(address, ?2, added)
      WHERE address = ?1\(onlyWhereOther ? " AND name IS NOT ?2" : "")
      """)
    try statement.bind(address, at: 1)
    try statement.bind(name, at: 2)
    try statement.run()
    return connection.changes > 0
  }

  private func notFound(_ address: String) -> StoreError {
    StoreError(
      .notFound, "no sensor \(SessionName.quoted(address)) is allowed; 'sensord devices' lists them")
  }
}

/// A sensor that may be recorded because its owner added it.
package struct AllowedSensor: Hashable, Sendable {
  /// The Bluetooth address as text, upper case: `C0:FF:EE:00:00:01`.
  package var address: String
  /// The name given by its owner.
  package var name: String?
  /// The time at which its owner added the sensor.
  package var added: Timestamp

  /// A sensor with the given parts.
  package init(address: String, name: String?, added: Timestamp) {
    self.address = address
    self.name = name
    self.added = added
  }
}

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

  /// Replaces the sensor with the address `old` by that with the address `new`, which gets the name; returns the new
  /// one. From then on a device predicate of `new` matches `old` as well. Samples are not changed.
  ///
  /// - Throws: ``StoreError/Code/notFound`` where `old` is not on the list, unless `new` is on it and `old` has
  ///   stored samples.
  @discardableResult
  package func replaceSensor(_ old: String, by new: String) throws(StoreError) -> AllowedSensor {
    try opened().write { (connection) throws(StoreError) in try connection.sensors.replace(old, by: new) }
  }
}
