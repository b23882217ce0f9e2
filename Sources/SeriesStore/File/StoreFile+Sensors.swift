import HealthModel

extension StoreFile {
  func allowedSensors() throws(StoreError) -> [AllowedSensor] {
    var statement = try connection.prepare("SELECT address, name, added FROM sensor ORDER BY added, rowid")
    var sensors: [AllowedSensor] = []
    while try statement.step() {
      sensors.append(
        AllowedSensor(
          address: statement.text(0) ?? "", name: statement.text(1),
          added: Timestamp(microseconds: statement.integer(2))))
    }
    return sensors
  }

  func allow(_ sensor: AllowedSensor) throws(StoreError) -> Bool {
    try connection.transaction { () throws(StoreError) in
      var statement = try connection.prepare(
        """
        INSERT INTO sensor (address, name, added) VALUES (?1, ?2, ?3)
        ON CONFLICT (address) DO UPDATE SET name = ?2 WHERE ?2 IS NOT NULL AND name IS NOT ?2
        """)
      try statement.bind(sensor.address.uppercased(), at: 1)
      try statement.bind(sensor.name, at: 2)
      try statement.bind(sensor.added.microseconds, at: 3)
      try statement.run()
      return connection.changes > 0
    }
  }

  func renameSensor(_ address: String, to name: String?) throws(StoreError) {
    var statement = try connection.prepare("UPDATE sensor SET name = ?2 WHERE address = ?1")
    try statement.bind(address.uppercased(), at: 1)
    try statement.bind(name, at: 2)
    try statement.run()
    try checkFound(address)
  }

  func removeSensor(_ address: String) throws(StoreError) {
    var statement = try connection.prepare("DELETE FROM sensor WHERE address = ?1")
    try statement.bind(address.uppercased(), at: 1)
    try statement.run()
    try checkFound(address)
  }

  private func checkFound(_ address: String) throws(StoreError) {
    guard connection.changes > 0 else {
      throw StoreError(.notFound, "no sensor \(Self.quoted(address)) is allowed; 'sensord devices' lists them")
    }
  }
}
