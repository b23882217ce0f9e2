import HealthModel

/// The sensors that may be recorded.
struct SensorList {
  let connection: Connection

  /// In the order in which they were added.
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
