internal import Documents
internal import HealthModel

/// The rows of `show` for what was said of a recording.
enum MetadataTable {
  static func table(_ metadata: [(key: String, value: MetadataValue)]) -> TextTable {
    var table = TextTable([.init("Metadata"), .init("Value", shrinks: true)])
    for (key, value) in metadata { table.add([key, text(value)]) }
    return table
  }

  private static func text(_ value: MetadataValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .flag(let flag): flag ? "yes" : "no"
    case .time(let time): LocalTime.second(time.microseconds)
    case .quantity(let quantity): "\(quantity.value) \(quantity.unit.symbol)"
    }
  }
}

/// The lines of `show` above its tables: a label, and what is known.
enum FactLines {
  /// Those without a value are left out.
  static func text(_ facts: [(label: String, value: String)]) -> String {
    facts.filter { !$0.value.isEmpty }.map { label, value in
      label + String(repeating: " ", count: max(1, 10 - label.count)) + PrintableText.line(value) + "\n"
    }.joined()
  }
}
