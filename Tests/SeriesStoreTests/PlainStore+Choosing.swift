import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport

extension PlainStore {
  /// A selection of samples: as a predicate of the store, and as a closure.
  struct Choice {
    var predicate: SamplePredicate
    var holds: (Object) -> Bool
  }

  /// A predicate at random; `depth` is how deep it may be.
  func choice(depth: Int = 3, _ random: inout SeededGenerator) -> Choice {
    switch Int.random(in: 0..<(depth > 0 ? 18 : 14), using: &random) {
    case 0: return Choice(predicate: .all) { _ in true }
    case 1, 2:
      let type = Self.types.randomElement(using: &random)!
      return Choice(predicate: .type(type)) { $0.sample.type == type }
    case 3:
      let source = Self.programs.randomElement(using: &random)!
      return Choice(predicate: .source(source)) { $0.sample.source.identifier == source }
    case 4: return Choice(predicate: .device("strap")) { $0.sample.device?.localIdentifier == "strap" }
    case 5: return time(&random)
    case 6:
      let ids = Set(objects.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)).map(\.id))
      return Choice(predicate: .identifier(ids)) { ids.contains($0.id) }
    case 7:
      let owner = (parts.keys.sorted { "\($0)" < "\($1)" } + [UUID()]).randomElement(using: &random)!
      let members = parts[owner] ?? []
      return Choice(predicate: .part(of: owner)) { members.contains($0.id) }
    case 8:
      let values = Set((0..<2).map { _ in CategoryValue(rawValue: .random(in: -1...5, using: &random)) })
      return Choice(predicate: .value(values)) { $0.sample.category.map(values.contains) ?? false }
    case 9: return Choice(predicate: .hasMetadata("room")) { $0.sample.metadata["room"] != nil }
    case 10: return metadata(&random)
    case 11: return figure(&random)
    case 12:
      let (comparison, compare) = comparison(of: Int.self, &random)
      let count = Int.random(in: 0...6, using: &random)
      return Choice(predicate: .count(comparison, count)) { compare($0.sample.count, count) }
    case 13: return workout(&random)
    case 14:
      let part = choice(depth: depth - 1, &random)
      return Choice(predicate: .not(part.predicate)) { !part.holds($0) }
    default:
      let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in choice(depth: depth - 1, &random) }
      return Bool.random(using: &random)
        ? Choice(predicate: .and(parts.map(\.predicate))) { object in parts.allSatisfy { $0.holds(object) } }
        : Choice(predicate: .or(parts.map(\.predicate))) { object in parts.contains { $0.holds(object) } }
    }
  }

  private func time(_ random: inout SeededGenerator) -> Choice {
    let from = Bool.random(using: &random) ? nil : Self.time(.random(in: 0..<Self.length, using: &random))
    let to = Bool.random(using: &random) ? nil : Self.time(.random(in: 0..<Self.length, using: &random))
    let strictness = SamplePredicate.TimeStrictness(rawValue: .random(in: 0...3, using: &random))
    return Choice(predicate: .time(from: from, to: to, strictness: strictness)) { object in
      let (start, end) = (object.sample.start, object.sample.end)
      if let from {
        guard end > from || start >= from, !strictness.contains(.start) || start >= from else { return false }
      }
      guard let to else { return true }
      return start < to && (!strictness.contains(.end) || end < to)
    }
  }

  private func workout(_ random: inout SeededGenerator) -> Choice {
    let second = Int.random(in: 0..<Self.length, using: &random)
    let begin = Self.time(second)
    if Bool.random(using: &random) {
      let (comparison, compare) = comparison(of: Timestamp.self, &random)
      let predicate = WorkoutPredicate.and([.activityType(.running), .start(comparison, begin)])
      return Choice(predicate: .workoutActivity(predicate)) { object in
        object.workout?.configuration.activityType == .running
          && object.workout?.activities.contains { compare($0.span.start, begin) } ?? false
      }
    }
    return Choice(predicate: .workout(.or([.activityType(.fitnessGaming), .end(.greater, begin)]))) { object in
      object.sample.activityType == .fitnessGaming || object.sample.type == .workout && object.sample.end > begin
    }
  }

  private func metadata(_ random: inout SeededGenerator) -> Choice {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let (comparison, compare) = comparison(of: Int64.self, &random)
      let level = Int64.random(in: 0..<4, using: &random)
      return Choice(predicate: .metadata("level", comparison, .integer(level))) { object in
        guard case .integer(let value)? = object.sample.metadata["level"] else { return false }
        return compare(value, level)
      }
    case 1:
      let (comparison, compare) = comparison(of: String.self, &random)
      return Choice(predicate: .metadata("room", comparison, "kitchen")) { object in
        guard case .text(let value)? = object.sample.metadata["room"] else { return false }
        return compare(value, "kitchen")
      }
    default:
      let (comparison, compare) = comparison(of: Double.self, &random)
      let grams = Quantity(2000, Unit("g")!)
      return Choice(predicate: .metadata("dose", comparison, .quantity(grams))) { object in
        guard case .quantity(let value)? = object.sample.metadata["dose"] else { return false }
        return compare(value.value, 2)
      }
    }
  }

  private func figure(_ random: inout SeededGenerator) -> Choice {
    let rate = Double(Int.random(in: 80...200, using: &random)) / 2
    let (comparison, compare) = comparison(of: Double.self, &random)
    func choice(
      _ figure: SamplePredicate.QuantityFigure, _ unit: Unit, _ value: @escaping (SampleSummary) -> Double?
    ) -> Choice {
      Choice(predicate: .summary(figure, comparison, Quantity(rate, unit))) { object in
        guard object.sample.type.quantityType?.unit == unit, let value = object.sample.summary.flatMap(value) else {
          return false
        }
        return compare(value, rate)
      }
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return choice(.maximum, .countPerMinute, \.maximum)
    case 1: return choice(.sum, .count, \.sum)
    case 2: return choice(.average, .kilogram, \.average)
    default: return choice(.mostRecent, .count, \.mostRecent)
    }
  }

  private func comparison<Value: Comparable>(
    of type: Value.Type, _ random: inout SeededGenerator
  ) -> (SamplePredicate.Comparison, (Value, Value) -> Bool) {
    let comparison = SamplePredicate.Comparison.allCases.randomElement(using: &random)!
    switch comparison {
    case .less: return (comparison, { $0 < $1 })
    case .lessOrEqual: return (comparison, { $0 <= $1 })
    case .equal: return (comparison, { $0 == $1 })
    case .notEqual: return (comparison, { $0 != $1 })
    case .greaterOrEqual: return (comparison, { $0 >= $1 })
    case .greater: return (comparison, { $0 > $1 })
    }
  }
}
