import HealthModel

extension StoreFile {
  /// What is stored: every type by its row. They are a few dozen, so that an answer reads them all at once.
  func sampleTypes() throws(StoreError) -> [Int64: SampleType] {
    var statement = try connection.prepare("SELECT id, identifier, unit, style, style_version FROM type")
    var types: [Int64: SampleType] = [:]
    while try statement.step() {
      let identifier = statement.text(1) ?? ""
      types[statement.integer(0)] =
        identifier == SampleType.heartbeatSeries.identifier
        ? .heartbeatSeries
        : .quantity(
          self.types.type(
            identifier: identifier, storedUnit: statement.text(2) ?? "", style: statement.text(3) ?? "",
            styleVersion: Int(clamping: statement.integer(4))))
    }
    return types
  }

  /// The quantity types of which the store has, or had, samples; see ``HealthStore/quantityTypes()``.
  func quantityTypes() throws(StoreError) -> [QuantityType] {
    let stored = try sampleTypes().values.compactMap { if case .quantity(let type) = $0 { type } else { nil } }
    return Set(stored).sorted { ($0.identifier, $0.styleVersion) < ($1.identifier, $1.styleVersion) }
  }

  /// Throws where values of the type are stored in another unit than the caller takes them to be in.
  func checkUnit(of type: QuantityType) throws(StoreError) {
    var statement = try connection.prepare("SELECT unit FROM type WHERE identifier = ?1")
    try statement.bind(type.identifier, at: 1)
    while try statement.step() {
      guard let unit = statement.text(0), unit != type.unit.symbol else { continue }
      throw StoreError(
        .invalid, "\(type.identifier) is stored in '\(unit)' here, and is taken to be in '\(type.unit.symbol)'")
    }
  }

  /// The row of a type in the version of its style that this program computes, made where it is new.
  func identifier(of type: SampleType) throws(StoreError) -> Int64 {
    var unit = ""
    var style = "none"
    var version: Int64 = 1
    if case .quantity(let quantity) = type {
      guard quantity.isKnown, types[quantity.identifier].map({ $0 == quantity }) ?? true else {
        throw StoreError(
          .invalid, "\(quantity.identifier) cannot be saved: the store was opened with another type of that name")
      }
      try checkUnit(of: quantity)
      unit = quantity.unit.symbol
      style = quantity.style.rawValue
      version = Int64(quantity.styleVersion)
    }
    do {
      var statement = try connection.prepare("SELECT id FROM type WHERE identifier = ?1 AND style_version = ?2")
      try statement.bind(type.identifier, at: 1)
      try statement.bind(version, at: 2)
      if try statement.step() { return statement.integer(0) }
    }
    var statement = try connection.prepare(
      "INSERT INTO type (identifier, unit, style, style_version) VALUES (?1, ?2, ?3, ?4)")
    try statement.bind(type.identifier, at: 1)
    try statement.bind(unit, at: 2)
    try statement.bind(style, at: 3)
    try statement.bind(version, at: 4)
    try statement.run()
    return connection.lastInsertedRow
  }
}
