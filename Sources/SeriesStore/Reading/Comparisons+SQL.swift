import CSQLite
import HealthModel

// The columns of figures and keys in conditions on a sample under the name `sample`, and the comparisons with them.

extension SamplePredicate.QuantityFigure {
  var column: String { "sample.\(name)" }

  /// The name of the column without the table: every table of figures has a column of that name.
  var name: String {
    switch self {
    case .sum: "sum"
    case .average: "average"
    case .minimum: "minimum"
    case .maximum: "maximum"
    case .mostRecent: "most_recent"
    }
  }
}

extension SamplePredicate.TimeFigure {
  var column: String {
    switch self {
    case .start: "sample.start"
    case .end: "sample.end"
    case .mostRecentStart: "sample.most_recent_start"
    case .mostRecentEnd: "sample.most_recent_end"
    }
  }
}

extension SamplePredicate.DurationFigure {
  var column: String {
    switch self {
    case .duration: "sample.duration"
    case .mostRecentDuration: "(sample.most_recent_end - sample.most_recent_start)"
    }
  }
}

extension SampleQuery.Order.Key {
  var column: String {
    switch self {
    case .start: "sample.start"
    case .end: "sample.end"
    case .count: "sample.count"
    case .change: "sample.id"
    }
  }
}

extension SamplePredicate.Comparison {
  var sql: String {
    switch self {
    case .less: "<"
    case .lessOrEqual: "<="
    case .equal: "="
    case .notEqual: "<>"
    case .greaterOrEqual: ">="
    case .greater: ">"
    }
  }
}

extension Connection {
  /// The SQL function that compares two quantities of any units.
  static let comparingQuantities = "sensord_compare_quantities"

  /// Registers `sensord_compare_quantities(value, unit, value, unit)`: −1, 0, 1, or NULL if they cannot be compared.
  func addQuantityComparison() throws(StoreError) {
    try check(
      unsafe sqlite3_create_function_v2(
        handle, Self.comparingQuantities, 4, Self.directOnly, nil,
        { context, count, values in
          guard let context = unsafe context, let values = unsafe values, count == 4 else { return }
          let order = unsafe Connection.order(
            Connection.quantity(values[0], values[1]), Connection.quantity(values[2], values[3]))
          if let order {
            unsafe sqlite3_result_int64(context, order)
          } else {
            unsafe sqlite3_result_null(context)
          }
        }, nil, nil, nil))
  }

  private static func quantity(_ value: OpaquePointer?, _ unit: OpaquePointer?) -> Quantity? {
    guard let value = unsafe value, unsafe sqlite3_value_numeric_type(value) != SQLITE_NULL, let unit = unsafe unit,
      let symbol = unsafe sqlite3_value_text(unit), let unit = Unit(unsafe String(cString: symbol))
    else { return nil }
    return Quantity(unsafe sqlite3_value_double(value), unit)
  }

  /// The order of two quantities: −1, 0 or 1; nil if they cannot be compared. Quantities that differ only by the
  /// rounding of a conversion are equal: 70 cm are 0.7 m.
  private static func order(_ one: Quantity?, _ other: Quantity?) -> Int64? {
    guard let one, let other, let value = try? one.value(in: other.unit), !value.isNaN, !other.value.isNaN else {
      return nil
    }
    if value == other.value { return 0 }
    if one.unit != other.unit,
      (value - other.value).magnitude <= 1e-12 * max(value.magnitude, other.value.magnitude)
    {
      return 0
    }
    return value < other.value ? -1 : 1
  }
}
