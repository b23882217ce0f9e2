import DBus
import HealthModel

extension StatisticsCollectionQuery {
  /// The figures by name.
  private static let figures: [(name: String, option: StatisticsOptions)] = [
    ("average", .average), ("minimum", .minimum), ("maximum", .maximum), ("sum", .sum), ("mostRecent", .mostRecent),
    ("duration", .duration), ("separateBySource", .separateBySource),
  ]

  /// As an `a{sv}`.
  var values: [String: Value] {
    var values: [String: Value] = [
      "type": .string(type.identifier),
      "figures": .strings(Self.figures.filter { options.contains($0.option) }.map(\.name)),
    ]
    switch policy {
    case .ownDuration: break
    case .holdLast(let gap), .trapezoid(let gap):
      values["policy"] = .string(policy.description)
      values["longest_gap_us"] = .int64(gap)
    }
    switch buckets {
    case .calendar(let interval, let anchor, let zone):
      values["every"] = .string(interval.description)
      values["anchor_us"] = .int64(anchor.microseconds)
      values["zone"] = .string(zone.name)
    case .natural(let interval, let zone):
      values["every"] = .string(interval.description)
      values["zone"] = .string(zone.name)
    case .single: break
    }
    values["from_us"] = from.map { .int64($0.microseconds) }
    values["to_us"] = to.map { .int64($0.microseconds) }
    if predicate != .all { values["predicate"] = predicate.value }
    if !priority.isEmpty {
      values["priority"] = .array(
        priority.map { .structure([.string($0.source), .string($0.device ?? "")]) }, of: "(ss)")
    }
    return values
  }

  /// - Throws: ``ArgumentError``.
  init(_ arguments: inout Arguments, zone: (String) -> TimeZoneRules?) throws(ArgumentError) {
    let type = try arguments.quantityType()
    var options: StatisticsOptions?
    if let names = try arguments.texts("figures") {
      options = []
      for name in names {
        guard let figure = Self.figures.first(where: { $0.name == name }) else { throw .invalid("figures") }
        options?.insert(figure.option)
      }
    }
    let buckets = try arguments.buckets(zone: zone)
    let policy = try arguments.policy()
    let from = try arguments.moment("from_us")
    let to = try arguments.moment("to_us")
    var predicate = SamplePredicate.all
    if let value = arguments.take("predicate") { predicate = try SamplePredicate(value) }
    let priority = try arguments.priority() ?? []
    do throws(StatisticsError) {
      self = try StatisticsCollectionQuery(
        type, options, buckets: buckets, from: from, to: to, policy: policy, predicate: predicate, priority: priority)
    } catch {
      throw .invalid("figures")
    }
  }
}

extension Arguments {
  fileprivate mutating func buckets(
    zone: (String) -> TimeZoneRules?
  ) throws(ArgumentError) -> StatisticsCollectionQuery.Buckets {
    let anchor = try moment("anchor_us")
    let name = try text("zone")
    guard let every = try text("every") else {
      guard anchor == nil, name == nil else { throw .missing("every") }
      return .single
    }
    guard let interval = try? CalendarInterval(parsing: every) else { throw .invalid("every") }
    guard let rules = name == nil ? .utc : name.flatMap(zone) else { throw .invalid("zone") }
    return anchor.map { .calendar(interval, anchor: $0, zone: rules) } ?? .natural(interval, zone: rules)
  }

  fileprivate mutating func policy() throws(ArgumentError) -> WeightingPolicy {
    let gap = try integer("longest_gap_us")
    guard (gap ?? 0) >= 0 else { throw .invalid("longest_gap_us") }
    let longest = gap ?? WeightingPolicy.standardGapMicroseconds
    switch try text("policy") {
    case nil, "ownDuration":
      guard gap == nil else { throw .invalid("longest_gap_us") }
      return .ownDuration
    case "holdLast": return .holdLast(maximumGapMicroseconds: longest)
    case "trapezoid": return .trapezoid(maximumGapMicroseconds: longest)
    default: throw .invalid("policy")
    }
  }

  /// A source without a device has an empty text in its place.
  fileprivate mutating func priority() throws(ArgumentError) -> [DataSource]? {
    try take("priority") { value in
      guard let values = value.array else { return nil }
      var sources: [DataSource] = []
      for value in values {
        guard let fields = value.structure, fields.count == 2, let source = fields[0].string,
          let device = fields[1].string
        else { return nil }
        sources.append(DataSource(source: source, device: device.isEmpty ? nil : device))
      }
      return sources
    }
  }
}
