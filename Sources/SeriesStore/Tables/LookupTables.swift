import HealthModel

/// The types of objects: one row for each, and for each version of a quantity type's style.
struct TypeTable {
  let connection: Connection

  private static let columns = "id, identifier, kind, unit, style, style_version"

  /// Every type by its row. There are a few dozen, so all are read at once.
  func all() throws(StoreError) -> [Int64: SampleType] {
    var statement = try connection.prepare("SELECT \(Self.columns) FROM types")
    var types: [Int64: SampleType] = [:]
    while try statement.step() { types[statement.integer(0)] = type(in: statement) }
    return types
  }

  /// The type in a row; nil if there is no such row. Reads no other row.
  func type(row: Int64) throws(StoreError) -> SampleType? {
    var statement = try connection.prepare("SELECT \(Self.columns) FROM types WHERE id = ?1")
    try statement.bind(row, at: 1)
    return try statement.step() ? type(in: statement) : nil
  }

  private func type(in row: borrowing Statement) -> SampleType {
    let identifier = row.text(1) ?? ""
    let kind = SampleKind(rawValue: row.text(2) ?? "")
    guard kind == .quantity else { return SampleType(identifier: identifier, kind: kind) }
    return .quantity(
      connection.quantityTypes.type(
        identifier: identifier, storedUnit: row.text(3) ?? "", style: row.text(4) ?? "",
        styleVersion: Int(clamping: row.integer(5))))
  }

  /// The quantity types of which the store has or had samples; see ``HealthStore/quantityTypes()``.
  func quantityTypes() throws(StoreError) -> [QuantityType] {
    Set(try all().values.compactMap(\.quantityType))
      .sorted { ($0.identifier, $0.styleVersion) < ($1.identifier, $1.styleVersion) }
  }

  /// The units in which the values that a reader with that scope sees may be stored: the units of the types that this
  /// program knows, and those of the scope's types.
  func units(in scope: ReadScope) throws(StoreError) -> [Unit] {
    var units = connection.quantityTypes.types.map(\.unit)
    var statement = try connection.prepare("SELECT unit FROM types WHERE identifier = ?1 AND kind = 'quantity'")
    for type in scope.types.sorted() {
      try statement.bind(type, at: 1)
      while try statement.step() {
        if let unit = statement.text(0).flatMap({ Unit($0) }) { units.append(unit) }
      }
      statement.reset()
    }
    return units
  }

  /// Throws if values of the type are stored in another unit than the caller's.
  ///
  /// A reader that may not read the type does not learn the stored unit: all samples that it sees were saved in the
  /// unit that this program knows.
  func checkUnit(of type: QuantityType, in scope: ReadScope? = nil) throws(StoreError) {
    if let scope, !scope.types.contains(type.identifier) {
      guard let known = connection.quantityTypes[type.identifier], known.unit != type.unit else { return }
      throw otherUnit(type, known.unit.symbol)
    }
    var statement = try connection.prepare("SELECT unit FROM types WHERE identifier = ?1 AND kind = ?2")
    try statement.bind(type.identifier, at: 1)
    try statement.bind(SampleKind.quantity.rawValue, at: 2)
    while try statement.step() {
      guard let unit = statement.text(0), unit != type.unit.symbol else { continue }
      throw otherUnit(type, unit)
    }
  }

  private func otherUnit(_ type: QuantityType, _ unit: String) -> StoreError {
    StoreError(.invalid, "\(type.identifier) is stored in '\(unit)' here, and is taken to be in '\(type.unit.symbol)'")
  }

  /// The row of a type in the version of its style that this program computes, inserted if it is new.
  func row(of type: SampleType) throws(StoreError) -> Int64 {
    if let known = connection.typeRows[type] { return known }
    let row = try findRow(of: type)
    connection.typeRows[type] = row
    return row
  }

  private func findRow(of type: SampleType) throws(StoreError) -> Int64 {
    let quantity = type.quantityType
    if let quantity {
      guard quantity.isKnown, connection.quantityTypes[quantity.identifier].map({ $0 == quantity }) ?? true else {
        throw StoreError(
          .invalid, "\(quantity.identifier) cannot be saved: the store was opened with another type of that name")
      }
      try checkUnit(of: quantity)
    }
    let version = Int64(quantity?.styleVersion ?? 1)
    do {
      var statement = try connection.prepare(
        "SELECT id FROM types WHERE identifier = ?1 AND kind = ?2 AND style_version = ?3")
      try statement.bind(type.identifier, at: 1)
      try statement.bind(type.kind.rawValue, at: 2)
      try statement.bind(version, at: 3)
      if try statement.step() { return statement.integer(0) }
    }
    let id = try connection.nextRow(of: Schema.types)
    try connection.insert(
      [
        .integer(id), .text(type.identifier), .text(type.kind.rawValue), .text(quantity?.unit.symbol ?? ""),
        .text(quantity?.style.rawValue ?? "none"), .integer(version),
      ], into: Schema.types)
    return id
  }
}

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

  // Constants, because each sample needs them.
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

  /// Removes devices that are no longer used, with their names and addresses, also as former addresses of a sensor, and
  /// sources that are no longer used. Of a source that only tombstones use, the identifier stays.
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
