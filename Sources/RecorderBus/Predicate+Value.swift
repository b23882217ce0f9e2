package import DBus
import FoundationEssentials
package import HealthModel

/// The common part of the two forms of predicates on the bus: each is an `a{sv}` whose keys are conditions, all of
/// which have to hold, and conditions can be joined (`and`, `or`) and turned round (`not`).
protocol PredicateOnBus {
  static var all: Self { get }
  static func and(_ parts: [Self]) -> Self
  static func or(_ parts: [Self]) -> Self
  static func not(_ part: Self) -> Self

  /// The conditions but those that join others.
  static func conditions(_ arguments: inout Arguments, depth: Int) throws(ArgumentError) -> [Self]
}

extension PredicateOnBus {
  /// The greatest depth of conditions within conditions: a message may nest 64 containers, and a condition takes four.
  static var greatestDepth: Int { 12 }

  /// `depth` is how deep it stands in another one.
  ///
  /// - Throws: ``ArgumentError``.
  init(_ value: Value, depth: Int) throws(ArgumentError) {
    guard depth <= Self.greatestDepth else { throw .tooComplex }
    var arguments = try Arguments(value, at: "predicate")
    var parts = try Self.conditions(&arguments, depth: depth)
    if let members = try arguments.take("and", { $0.array }) {
      parts.append(.and(try Self.members(members, depth: depth + 1)))
    }
    if let members = try arguments.take("or", { $0.array }) {
      parts.append(.or(try Self.members(members, depth: depth + 1)))
    }
    if let part = arguments.take("not") { parts.append(.not(try Self(part, depth: depth + 1))) }
    try arguments.finish()
    self =
      switch parts.count {
      case 0: .all
      case 1: parts[0]
      default: .and(parts)
      }
  }

  private static func members(_ values: [Value], depth: Int) throws(ArgumentError) -> [Self] {
    var parts: [Self] = []
    for value in values { parts.append(try Self(value, depth: depth)) }
    return parts
  }
}

// A condition on a workout or an activity is an `a{sv}` within that of a predicate. Each key is a condition, and all have to hold.

extension WorkoutPredicate: PredicateOnBus {
  /// As it stands on the bus.
  package var value: Value { .properties(conditions) }

  private var conditions: [String: Value] {
    switch form {
    case .all: [:]
    case .activityType(let types): ["activity_types": .strings(types.map(\.description).sorted())]
    case .time(let from, let to, let strictness): SamplePredicate.span(from, to, strictness)
    case .start(let comparison, let moment):
      ["start": .structure([.string(comparison.rawValue), .int64(moment.microseconds)])]
    case .end(let comparison, let moment):
      ["end": .structure([.string(comparison.rawValue), .int64(moment.microseconds)])]
    case .duration(let comparison, let microseconds):
      ["duration": .structure([.string(comparison.rawValue), .int64(microseconds)])]
    case .statistic(let figure, let type, let comparison, let quantity):
      [
        "statistic": .structure([
          .string(figure.rawValue), .string(type), .string(comparison.rawValue), .double(quantity.value),
          .string(quantity.unit.symbol),
        ])
      ]
    case .and(let parts): ["and": .array(parts.map(\.value), of: "a{sv}")]
    case .or(let parts): ["or": .array(parts.map(\.value), of: "a{sv}")]
    case .not(let part): ["not": part.value]
    }
  }

  static func conditions(_ arguments: inout Arguments, depth: Int) throws(ArgumentError) -> [WorkoutPredicate] {
    var parts: [WorkoutPredicate] = []
    func add(_ part: WorkoutPredicate?) { if let part { parts.append(part) } }

    if let words = try arguments.texts("activity_types") {
      let types = words.compactMap { WorkoutActivityType($0) }
      guard types.count == words.count else { throw .invalid("activity_types") }
      parts.append(.activityType(Set(types)))
    }
    add(try SamplePredicate.span(&arguments).map { .time(from: $0.from, to: $0.to, strictness: $0.strictness) })
    add(try arguments.take("start") { Self.compared($0) }.map { .start($0, Timestamp(microseconds: $1)) })
    add(try arguments.take("end") { Self.compared($0) }.map { .end($0, Timestamp(microseconds: $1)) })
    add(try arguments.take("duration") { Self.compared($0) }.map { .duration($0, .microseconds($1)) })
    add(try arguments.take("statistic") { Self.statistic($0) })
    return parts
  }

  private static func compared(_ value: Value) -> (SamplePredicate.Comparison, Int64)? {
    guard let fields = value.structure, fields.count == 2, let comparison = SamplePredicate.comparison(fields[0]),
      let number = fields[1].int64
    else { return nil }
    return (comparison, number)
  }

  private static func statistic(_ value: Value) -> WorkoutPredicate? {
    guard let fields = value.structure, fields.count == 5,
      let figure = fields[0].string.flatMap(SamplePredicate.QuantityFigure.init(rawValue:)),
      let type = fields[1].string, type.utf8.count <= 100, let comparison = SamplePredicate.comparison(fields[2]),
      let number = fields[3].double, number.isFinite, let unit = fields[4].string.flatMap({ Unit($0) })
    else { return nil }
    return .statistic(figure, ofTypeNamed: type, comparison, Quantity(number, unit))
  }
}
