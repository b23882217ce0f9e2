import HealthModel

/// The types of objects: one row for each, and for each version of a quantity type's style.
struct TypeTable {
  let connection: Connection

  /// Every type by its row. There are a few dozen, so all are read at once.
  func all() throws(StoreError) -> [Int64: SampleType] {
    var statement = try connection.prepare("SELECT id, identifier, kind, unit, style, style_version FROM types")
    var types: [Int64: SampleType] = [:]
    while try statement.step() {
      let identifier = statement.text(1) ?? ""
      let kind = SampleKind(rawValue: statement.text(2) ?? "")
      types[statement.integer(0)] =
        kind == .quantity
        ? .quantity(
          connection.quantityTypes.type(
            identifier: identifier, storedUnit: statement.text(3) ?? "", style: statement.text(4) ?? "",
            styleVersion: Int(clamping: statement.integer(5))))
        : SampleType(identifier: identifier, kind: kind)
    }
    return types
  }

  /// The quantity types of which the store has or had samples; see ``HealthStore/quantityTypes()``.
  func quantityTypes() throws(StoreError) -> [QuantityType] {
    Set(try all().values.compactMap(\.quantityType))
      .sorted { ($0.identifier, $0.styleVersion) < ($1.identifier, $1.styleVersion) }
  }

  /// Throws if values of the type are stored in another unit than the caller's.
  func checkUnit(of type: QuantityType) throws(StoreError) {
    var statement = try connection.prepare("SELECT unit FROM types WHERE identifier = ?1 AND kind = ?2")
    try statement.bind(type.identifier, at: 1)
    try statement.bind(SampleKind.quantity.rawValue, at: 2)
    while try statement.step() {
      guard let unit = statement.text(0), unit != type.unit.symbol else { continue }
      throw StoreError(
        .invalid, "\(type.identifier) is stored in '\(unit)' here, and is taken to be in '\(type.unit.symbol)'")
    }
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
