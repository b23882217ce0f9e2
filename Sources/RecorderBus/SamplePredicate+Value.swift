package import DBus
import FoundationEssentials
package import HealthModel

// A predicate is an `a{sv}`. Each key is a condition, and all have to hold; without a key every sample matches.

extension SamplePredicate: PredicateOnBus {
  /// As it stands on the bus.
  package var value: Value { .properties(conditions) }

  private var conditions: [String: Value] {
    switch form {
    case .all: [:]
    case .type(let type): ["type": .string(type.identifier), "kind": .string(type.kind.rawValue)]
    case .time(let from, let to, let strictness): Self.span(from, to, strictness)
    case .source(let identifier): ["source": .string(identifier)]
    case .device(let identifier): ["device": .string(identifier)]
    case .session(let id): ["session": .string(id)]
    case .identifier(let ids): ["ids": .strings(ids.map { $0.uuidString.lowercased() }.sorted())]
    case .part(let id): ["part_of": .string(id)]
    case .basis(let id): ["basis_of": .string(id)]
    case .collected(let id): ["collected_in": .string(id)]
    case .workout(let predicate): ["workout": predicate.value]
    case .workoutActivity(let predicate): ["workout_activity": predicate.value]
    case .value(let values): ["values": .array(values.map(\.rawValue).sorted().map { .int64($0) }, of: "x")]
    case .hasMetadata(let key): ["has_metadata": .string(key)]
    case .metadata(let key, let comparison, let value):
      ["metadata_figure": .structure([.string(key), .string(comparison.rawValue), .variant(value.value)])]
    case .quantity(let figure, let comparison, let quantity):
      [
        "quantity_figure": .structure([
          .string(figure.rawValue), .string(comparison.rawValue), .double(quantity.value),
          .string(quantity.unit.symbol),
        ])
      ]
    case .moment(let figure, let comparison, let moment):
      [
        "time_figure": .structure([
          .string(figure.rawValue), .string(comparison.rawValue), .int64(moment.microseconds),
        ])
      ]
    case .length(let figure, let comparison, let microseconds):
      ["duration_figure": .structure([.string(figure.rawValue), .string(comparison.rawValue), .int64(microseconds)])]
    case .count(let comparison, let count):
      ["count": .structure([.string(comparison.rawValue), .int64(Int64(count))])]
    case .and(let parts): ["and": .array(parts.map(\.value), of: "a{sv}")]
    case .or(let parts): ["or": .array(parts.map(\.value), of: "a{sv}")]
    case .not(let part): ["not": part.value]
    }
  }

  /// Conditions on a time, of whatever has a start and an end.
  static func span(_ from: Timestamp?, _ to: Timestamp?, _ strictness: TimeStrictness) -> [String: Value] {
    var conditions: [String: Value] = [:]
    conditions["from_us"] = from.map { .int64($0.microseconds) }
    conditions["to_us"] = to.map { .int64($0.microseconds) }
    let strict = (strictness.contains(.start) ? ["start"] : []) + (strictness.contains(.end) ? ["end"] : [])
    if !strict.isEmpty { conditions["strict"] = .strings(strict) }
    return conditions
  }

  /// - Throws: ``ArgumentError``.
  package init(_ value: Value) throws(ArgumentError) {
    try self.init(value, depth: 0)
  }

  static func conditions(_ arguments: inout Arguments, depth: Int) throws(ArgumentError) -> [SamplePredicate] {
    var parts: [SamplePredicate] = []
    func add(_ part: SamplePredicate?) { if let part { parts.append(part) } }

    add(try Self.type(&arguments))
    add(try Self.time(&arguments))
    add(try arguments.text("source").map { .source($0) })
    add(try arguments.text("device").map { .device($0) })
    add(try arguments.identifier("session").map { .session($0) })
    add(try arguments.take("ids") { Self.identifiers($0) }.map { .identifier($0) })
    add(try arguments.identifier("part_of").map { .part(of: $0) })
    add(try arguments.identifier("basis_of").map { .basis(of: $0) })
    add(try arguments.identifier("collected_in").map { .collected(in: $0) })
    if let value = arguments.take("workout") { parts.append(.workout(try WorkoutPredicate(value, depth: depth + 1))) }
    if let value = arguments.take("workout_activity") {
      parts.append(.workoutActivity(try WorkoutPredicate(value, depth: depth + 1)))
    }
    add(try arguments.take("values") { Self.categories($0) }.map { .value($0) })
    add(try arguments.text("has_metadata").map { .hasMetadata($0) })
    if let value = arguments.take("metadata") {
      for (key, value) in try Metadata(value).sorted(by: { $0.key < $1.key }) {
        parts.append(.metadata(key, .equal, value))
      }
    }
    add(try arguments.take("metadata_figure") { Self.metadataFigure($0) })
    add(try arguments.take("quantity_figure") { Self.quantityFigure($0) })
    add(try arguments.take("time_figure") { Self.timeFigure($0) })
    add(try arguments.take("duration_figure") { Self.durationFigure($0) })
    add(try arguments.take("count") { Self.countFigure($0) })
    return parts
  }

  private static func type(_ arguments: inout Arguments) throws(ArgumentError) -> SamplePredicate? {
    let kind = try arguments.text("kind").map { SampleKind(rawValue: $0) }
    guard let identifier = try arguments.text("type") else {
      guard kind == nil else { throw .missing("type") }
      return nil
    }
    if let type = SampleType(identifier: identifier), kind == nil || kind == type.kind { return .type(type) }
    // A type of another program's; its kind has to be named.
    guard let kind, identifier.utf8.count <= 100 else { throw .unknownType }
    return .type(SampleType(identifier: identifier, kind: kind))
  }

  private static func time(_ arguments: inout Arguments) throws(ArgumentError) -> SamplePredicate? {
    try span(&arguments).map { .time(from: $0.from, to: $0.to, strictness: $0.strictness) }
  }

  /// A time as it was read from conditions; nil without one.
  static func span(
    _ arguments: inout Arguments
  ) throws(ArgumentError) -> (from: Timestamp?, to: Timestamp?, strictness: TimeStrictness)? {
    let from = try arguments.moment("from_us")
    let to = try arguments.moment("to_us")
    var strictness: TimeStrictness = []
    for word in try arguments.texts("strict") ?? [] {
      switch word {
      case "start": strictness.insert(.start)
      case "end": strictness.insert(.end)
      default: throw .invalid("strict")
      }
    }
    return from == nil && to == nil ? nil : (from, to, strictness)
  }

  private static func identifiers(_ value: Value) -> Set<UUID>? {
    guard let texts = value.strings else { return nil }
    let ids = texts.compactMap { UUID(uuidString: $0) }
    return ids.count == texts.count ? Set(ids) : nil
  }

  private static func categories(_ value: Value) -> Set<CategoryValue>? {
    guard let values = value.array else { return nil }
    let integers = values.compactMap(\.integer)
    return integers.count == values.count ? Set(integers.map { CategoryValue(rawValue: Int64($0)) }) : nil
  }

  private static func metadataFigure(_ value: Value) -> SamplePredicate? {
    guard let fields = value.structure, fields.count == 3, let key = fields[0].string,
      let comparison = comparison(fields[1]), let value = MetadataValue(fields[2])
    else { return nil }
    return .metadata(key, comparison, value)
  }

  private static func quantityFigure(_ value: Value) -> SamplePredicate? {
    guard let fields = value.structure, fields.count == 4,
      let figure = fields[0].string.flatMap(QuantityFigure.init(rawValue:)), let comparison = comparison(fields[1]),
      let number = fields[2].double, number.isFinite, let unit = fields[3].string.flatMap({ Unit($0) })
    else { return nil }
    return .summary(figure, comparison, Quantity(number, unit))
  }

  private static func timeFigure(_ value: Value) -> SamplePredicate? {
    guard let fields = value.structure, fields.count == 3,
      let figure = fields[0].string.flatMap(TimeFigure.init(rawValue:)), let comparison = comparison(fields[1]),
      let moment = fields[2].int64
    else { return nil }
    return .summary(figure, comparison, Timestamp(microseconds: moment))
  }

  private static func durationFigure(_ value: Value) -> SamplePredicate? {
    guard let fields = value.structure, fields.count == 3,
      let figure = fields[0].string.flatMap(DurationFigure.init(rawValue:)), let comparison = comparison(fields[1]),
      let microseconds = fields[2].int64
    else { return nil }
    return .summary(figure, comparison, .microseconds(microseconds))
  }

  private static func countFigure(_ value: Value) -> SamplePredicate? {
    guard let fields = value.structure, fields.count == 2, let comparison = comparison(fields[0]),
      let count = fields[1].integer
    else { return nil }
    return .count(comparison, count)
  }

  static func comparison(_ value: Value) -> Comparison? {
    value.string.flatMap(Comparison.init(rawValue:))
  }
}

extension Value {
  static func string(_ id: UUID) -> Value { .string(id.uuidString.lowercased()) }
}
