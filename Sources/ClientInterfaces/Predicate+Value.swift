import DBus
import HealthModel

/// What the two forms of predicates have in common on the bus: each is an `a{sv}` whose keys are conditions, all of which have to
/// hold, and conditions can be joined (`and`, `or`) and turned round (`not`).
protocol PredicateOnBus {
  static var all: Self { get }
  static func and(_ parts: [Self]) -> Self
  static func or(_ parts: [Self]) -> Self
  static func not(_ part: Self) -> Self

  /// The conditions but those that join others.
  static func conditions(_ arguments: inout Arguments, depth: Int) throws(ArgumentError) -> [Self]
}

extension PredicateOnBus {
  /// How deep conditions may be within conditions: a message may nest 64 containers, and a condition takes four.
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
