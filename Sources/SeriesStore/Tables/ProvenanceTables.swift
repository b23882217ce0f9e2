import HealthModel

/// Sources and devices: one row for each distinct set of texts.
struct ProvenanceTables {
  let connection: Connection

  /// The row of a source, inserted if it is new.
  func row(of source: SourceRevision) throws(StoreError) -> Int64 {
    try row(
      in: Schema.sources, by: Self.sourceQuery,
      [source.identifier, source.name, source.version, source.productType, source.operatingSystemVersion])
  }

  /// The row of a device, inserted if it is new.
  func row(of device: Device) throws(StoreError) -> Int64 {
    try row(
      in: Schema.devices, by: Self.deviceQuery,
      [
        device.name, device.manufacturer, device.model, device.hardwareVersion, device.firmwareVersion,
        device.softwareVersion, device.localIdentifier, device.uniqueDeviceIdentifier,
      ])
  }

  // Asked for each sample.
  private static let (sourceQuery, deviceQuery) = (query(Schema.sources), query(Schema.devices))

  private static func query(_ table: Table) -> String {
    let condition = table.columns.dropFirst().enumerated().map { "\($1) IS ?\($0 + 1)" }.joined(separator: " AND ")
    return "SELECT id FROM \(table.name) WHERE \(condition)"
  }

  private func row(in table: Table, by query: String, _ values: [String?]) throws(StoreError) -> Int64 {
    do {
      var statement = try connection.prepare(query)
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      if try statement.step() { return statement.integer(0) }
    }
    let id = try connection.nextRow(of: table)
    try connection.insert([.integer(id)] + values.map { SQLValue($0) }, into: table)
    return id
  }

  /// Removes devices that are no longer used, with their names and addresses, also as a sensor's former ones, and sources too. If only tombstones use a
  /// source, its identifier is kept.
  func deleteUnused() throws(StoreError) {
    let names = Schema.sources.columns.joined(separator: ", ")
    try connection.execute(
      """
      DELETE FROM devices WHERE id NOT IN (SELECT device FROM sessions)
        AND id NOT IN (SELECT device FROM samples WHERE device IS NOT NULL);
      DELETE FROM successors
        WHERE predecessor NOT IN (SELECT local_identifier FROM devices WHERE local_identifier IS NOT NULL);
      DELETE FROM sources WHERE id NOT IN (SELECT source FROM sessions) AND id NOT IN (SELECT source FROM samples)
        AND id NOT IN (SELECT source FROM changes WHERE source IS NOT NULL);
      UPDATE sources SET name = '', version = NULL, product_type = NULL, operating_system_version = NULL
        WHERE id NOT IN (SELECT source FROM sessions) AND id NOT IN (SELECT source FROM samples);
      UPDATE sources SET checksum = \(RowChecksum.name)(\(names)) WHERE name = '';
      """)
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
