import HealthModel

extension StoreFile {
  /// The row of a source, made where it is new.
  func identifier(of source: SourceRevision) throws(StoreError) -> Int64 {
    try identifier(
      in: "source", columns: ["identifier", "name", "version", "product_type", "operating_system_version"],
      values: [source.identifier, source.name, source.version, source.productType, source.operatingSystemVersion])
  }

  /// The row of a device, made where it is new.
  func identifier(of device: Device) throws(StoreError) -> Int64 {
    try identifier(
      in: "device",
      columns: [
        "name", "manufacturer", "model", "hardware_version", "firmware_version", "software_version",
        "local_identifier", "unique_device_identifier",
      ],
      values: [
        device.name, device.manufacturer, device.model, device.hardwareVersion, device.firmwareVersion,
        device.softwareVersion, device.localIdentifier, device.uniqueDeviceIdentifier,
      ])
  }

  private func identifier(in table: String, columns: [String], values: [String?]) throws(StoreError) -> Int64 {
    let places = columns.indices.map { "?\($0 + 1)" }
    let condition = zip(columns, places).map { "\($0) IS \($1)" }.joined(separator: " AND ")
    do {
      var statement = try connection.prepare("SELECT id FROM \(table) WHERE \(condition)")
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      if try statement.step() { return statement.integer(0) }
    }
    let names = columns.joined(separator: ", ")
    var statement = try connection.prepare(
      "INSERT INTO \(table) (\(names)) VALUES (\(places.joined(separator: ", ")))")
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
    try statement.run()
    return connection.lastInsertedRow
  }

  /// The device in a row whose columns begin at `column`.
  static func device(in row: borrowing Statement, from column: Int32) -> Device {
    Device(
      name: row.text(column), manufacturer: row.text(column + 1), model: row.text(column + 2),
      hardwareVersion: row.text(column + 3), firmwareVersion: row.text(column + 4),
      softwareVersion: row.text(column + 5), localIdentifier: row.text(column + 6),
      uniqueDeviceIdentifier: row.text(column + 7))
  }

  /// The columns of ``device(in:from:)``, of the table under the name `device`.
  static let deviceColumns = """
    device.name, device.manufacturer, device.model, device.hardware_version, device.firmware_version,
    device.software_version, device.local_identifier, device.unique_device_identifier
    """

  /// The source in a row whose columns begin at `column`.
  static func source(in row: borrowing Statement, from column: Int32) -> SourceRevision {
    SourceRevision(
      identifier: row.text(column) ?? "", name: row.text(column + 1) ?? "", version: row.text(column + 2),
      productType: row.text(column + 3), operatingSystemVersion: row.text(column + 4))
  }

  /// The columns of ``source(in:from:)``, of the table under the name `source`.
  static let sourceColumns = """
    source.identifier, source.name, source.version, source.product_type, source.operating_system_version
    """
}
