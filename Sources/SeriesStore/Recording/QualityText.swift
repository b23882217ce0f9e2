import HealthModel

/// A quality report in a session's row: a JSON array, which SQLite itself can unpack (``view``).
///
/// The figures are at fixed positions, in the order of ``HealthModel/QualityReport/Figure``. Missing ones are null; nulls
/// at the end are left out. Everything else is in one object after them: `"key": [form, value, unit]`. Reals are texts,
/// since SQLite does not parse every number exactly.
enum QualityText {
  /// The packed form; nil for an empty report. A number that is not finite is left out.
  static func pack(_ report: QualityReport) -> String? {
    var items = QualityReport.Figure.allCases.map { report[$0].flatMap(text(of:)) ?? "null" }
    let others = report.metadataBesideFigures.sorted { $0.key < $1.key }.compactMap { key, value in
      text(of: value).map { text in
        var parts = ["\(value.form.rawValue)", text]
        if case .quantity(let quantity) = value { parts.append(quoted(quantity.unit.symbol)) }
        return "\(quoted(key)):[\(parts.joined(separator: ","))]"
      }
    }
    while items.last == "null" { items.removeLast() }
    if !others.isEmpty { items.append("{\(others.joined(separator: ","))}") }
    return items.isEmpty ? nil : "[\(items.joined(separator: ","))]"
  }

  private static func text(of value: MetadataValue) -> String? {
    switch value {
    case .text(let text): quoted(text)
    case .integer(let integer): "\(integer)"
    case .flag(let flag): flag ? "1" : "0"
    case .time(let time): "\(time.microseconds)"
    case .real(let real): real.isFinite ? "\"\(real)\"" : nil
    case .quantity(let quantity): quantity.value.isFinite ? "\"\(quantity.value)\"" : nil
    }
  }

  /// A string of JSON (RFC 8259, section 7).
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted.unicodeScalars.append(contentsOf: ["\\", scalar])
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// A damaged report has no rows: SQLite would abort the whole statement at invalid JSON. `check` names the row by its
  /// checksum.
  private static let valid = "CASE WHEN json_valid(sessions.quality) THEN sessions.quality END"

  /// The rows `id`, `key`, `form`, `value`, `unit` of all reports; `id` is the session's.
  static let rows: String = {
    let known = QualityReport.Figure.allCases.enumerated().map { place, figure in
      "SELECT \(place)\(place == 0 ? " AS place" : ""), '\(figure.rawValue)'\(place == 0 ? " AS key" : ""), "
        + "\(figure.form.rawValue)\(place == 0 ? " AS form" : "")"
    }
    return """
      SELECT sessions.id, known.key, known.form, item.value, NULL AS unit
        FROM sessions JOIN json_each(\(valid)) AS item
          JOIN (\(known.joined(separator: " UNION ALL "))) AS known ON known.place = item.key
        WHERE item.type NOT IN ('null', 'object')
      UNION ALL
      SELECT sessions.id, other.key, json_extract(other.value, '$[0]'), json_extract(other.value, '$[1]'),
          json_extract(other.value, '$[2]')
        FROM sessions JOIN json_each(\(valid)) AS item
          JOIN json_each(CASE item.type WHEN 'object' THEN item.value END) AS other
        WHERE item.type = 'object' AND other.type = 'array'
      """
  }()

  /// The reports as rows, for every program that reads SQLite.
  static let view = """
    CREATE VIEW quality_list AS
      SELECT lower(hex(change.uuid)) AS session, key,
        CASE WHEN form IN (\(MetadataTable.Form.real.rawValue), \(MetadataTable.Form.quantity.rawValue))
          THEN CAST(value AS REAL) ELSE value END AS value, unit
      FROM (\(rows)) AS report JOIN changes AS change ON change.number = report.id
    """
}

extension QualityReport.Figure {
  fileprivate var form: MetadataTable.Form {
    switch kind {
    case .integer: .integer
    case .real: .real
    case .time: .time
    case .text: .text
    }
  }
}
