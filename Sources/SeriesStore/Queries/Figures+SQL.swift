import HealthModel

// The columns of figures and keys, of a sample under the name `sample`.

extension SamplePredicate.QuantityFigure {
  var column: String { "sample.\(name)" }

  /// The same without the table: it is called so wherever figures are kept.
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
