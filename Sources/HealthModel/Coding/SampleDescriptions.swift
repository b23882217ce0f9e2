import FoundationEssentials

// Descriptions for a person. They contain health data and must not be logged.

extension SampleKind: CustomStringConvertible {
  /// The name in the file.
  public var description: String { rawValue }
}

extension HealthSample: CustomStringConvertible {
  /// `heartRate 2026-11-22T10:30:00.000000Z/2026-11-22T10:30:08.000000Z, 5 values, from com.example.gym 1.0`.
  public var description: String {
    let content = value.map { "value \($0)" } ?? "\(count) \(count == 1 ? "value" : "values")"
    let span = start == end ? "\(start)" : "\(start)/\(end)"
    return "\(type) \(span), \(content), from \(source)"
  }
}

extension SampleSummary: CustomStringConvertible {
  /// Its figures by name, in the type's unit.
  public var description: String {
    let total = [("sum", sum), ("average", average)].compactMap { name, value in value.map { "\(name) \($0), " } }
    return "\(total.joined())minimum \(minimum), maximum \(maximum), most recent \(mostRecent)"
  }
}

extension ChangeSet: CustomStringConvertible {
  /// `3 added, 1 deleted`.
  public var description: String { "\(added.count) added, \(deleted.count) deleted" }
}

extension DeletedObject: CustomStringConvertible {
  /// The type and identifier, and when it was deleted.
  public var description: String {
    "\(type?.identifier ?? "object") \(id.uuidString.lowercased()), deleted \(deleted)"
  }
}

extension QuantityList: CustomStringConvertible {
  /// `4 quantities of 2 samples`.
  public var description: String {
    "\(count) \(count == 1 ? "quantity" : "quantities") of \(samples.count) \(samples.count == 1 ? "sample" : "samples")"
  }
}

extension QuantityList.Element: CustomStringConvertible {
  /// The value, in the type's unit, and its time: `64.0 at 2026-11-22T10:30:00.000000Z`.
  public var description: String { "\(value) at \(span)" }
}

extension SyncIdentity: CustomStringConvertible {
  /// `class-42, version 1`.
  public var description: String { "\(identifier), version \(version)" }
}
