package import DBus
package import FoundationEssentials
package import HealthModel

/// A question to the recorder's store: one of the queries of HealthModel, as the arguments of `Query`.
package enum ClientQuery: Sendable {
  case samples(SampleQuery)
  case quantities(QuantityQuery)
  /// The content of the sample with that identifier.
  case content(ContentKind, of: UUID)
  case statistics(StatisticsCollectionQuery)
  case changes(ChangeQuery)

  /// The first argument: which question it is.
  package var kind: String {
    switch self {
    case .samples: "samples"
    case .quantities: "quantities"
    case .content(let kind, _): kind.rawValue
    case .statistics: "statistics"
    case .changes: "changes"
    }
  }

  /// The second argument.
  package var value: Value {
    switch self {
    case .samples(let query):
      var values = Self.properties(query.predicate, limit: query.limit)
      values["order"] = .array(
        query.order.map { .structure([.string($0.key.rawValue), .boolean($0.isDescending)]) }, of: "(sb)")
      return .properties(values)
    case .quantities(let query):
      var values = Self.properties(query.predicate)
      values["type"] = .string(query.type.identifier)
      values["from_us"] = query.from.map { .int64($0.microseconds) }
      values["to_us"] = query.to.map { .int64($0.microseconds) }
      if query.isGroupedBySample { values["by_sample"] = .boolean(true) }
      return .properties(values)
    case .content(_, let sample): return .properties(["sample": .string(sample)])
    case .statistics(let query): return .properties(query.values)
    case .changes(let query):
      var values = Self.properties(query.predicate, limit: query.limit)
      values["anchor"] = .string(query.anchor.description)
      return .properties(values)
    }
  }

  private static func properties(_ predicate: SamplePredicate, limit: Int? = nil) -> [String: Value] {
    var values: [String: Value] = [:]
    if predicate != .all { values["predicate"] = predicate.value }
    values["limit"] = limit.map { .int64(Int64($0)) }
    return values
  }

  /// The question that the arguments of a call ask.
  ///
  /// - Parameters:
  ///   - kind: The first.
  ///   - value: The second.
  ///   - zone: Finds a time zone by its name.
  /// - Throws: ``ArgumentError``.
  package init(
    kind: String, _ value: Value, zone: (String) -> TimeZoneRules?
  ) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "query")
    switch kind {
    case "samples":
      self = .samples(
        SampleQuery(
          try arguments.predicate(), order: try arguments.order() ?? [SampleQuery.Order(.start)],
          limit: try arguments.limit()))
    case "quantities":
      self = .quantities(
        QuantityQuery(
          try arguments.quantityType(), predicate: try arguments.predicate(), from: try arguments.moment("from_us"),
          to: try arguments.moment("to_us"), isGroupedBySample: try arguments.flag("by_sample") ?? false))
    case "statistics": self = .statistics(try StatisticsCollectionQuery(&arguments, zone: zone))
    case "changes":
      let anchor = try arguments.take("anchor") { $0.string.flatMap { ChangeAnchor($0) } }
      self = .changes(
        ChangeQuery(
          after: anchor ?? .start, predicate: try arguments.predicate(), limit: try arguments.limit()))
    default:
      guard let content = ContentKind(rawValue: kind) else { throw .invalid("kind") }
      self = .content(content, of: try arguments.identifier("sample").required("sample"))
    }
    try arguments.finish()
  }
}

extension Arguments {
  fileprivate mutating func predicate() throws(ArgumentError) -> SamplePredicate {
    guard let value = take("predicate") else { return .all }
    return try SamplePredicate(value)
  }

  fileprivate mutating func limit() throws(ArgumentError) -> Int? {
    try take("limit") { $0.integer.flatMap { $0 >= 0 ? $0 : nil } }
  }

  fileprivate mutating func order() throws(ArgumentError) -> [SampleQuery.Order]? {
    try take("order") { value in
      guard let values = value.array else { return nil }
      var order: [SampleQuery.Order] = []
      for value in values {
        guard let fields = value.structure, fields.count == 2, let isDescending = fields[1].boolean,
          let key = fields[0].string.flatMap(SampleQuery.Order.Key.init(rawValue:))
        else { return nil }
        order.append(SampleQuery.Order(key, isDescending: isDescending))
      }
      return order
    }
  }

  mutating func quantityType() throws(ArgumentError) -> QuantityType {
    let identifier = try text("type").required("type")
    guard let type = QuantityType(identifier: identifier) else { throw .unknownType }
    return type
  }
}
