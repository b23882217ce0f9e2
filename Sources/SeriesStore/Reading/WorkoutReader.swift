import FoundationEssentials
import HealthModel

/// Answers about workouts: their activities, events and figures.
struct WorkoutReader {
  let connection: Connection
  /// The scope that the reader may see; nil for a reader who may see everything.
  var scope: ReadScope?

  func workouts(_ query: WorkoutQuery) throws(StoreError) -> [Workout] {
    let samples = SampleReader(connection: connection, scope: scope)
    var workouts: [Workout] = []
    for number in try samples.numbers(query.samples) {
      try connection.checkCancellation()
      workouts.append(try workout(number))
    }
    return workouts
  }

  /// The workout with that identifier; ``StoreError/Code/notFound`` if there is none that the reader may see.
  func workout(_ id: UUID) throws(StoreError) -> Workout {
    let query = SampleQuery(.and([.type(.workout), .identifier([id])]), order: [])
    guard let number = try SampleReader(connection: connection, scope: scope).numbers(query).first else {
      throw StoreError(.notFound, "there is no workout \(id.uuidString.lowercased())")
    }
    return try workout(number)
  }

  private func workout(_ number: Int64) throws(StoreError) -> Workout {
    guard let id = try connection.samples.uuid(of: number),
      let found = try connection.workouts.workout(number, id: id, in: scope), found.isWhole
    else { throw connection.samples.corrupt(number) }
    let workout = found.workout
    return Workout(
      id: id, workout.configuration, over: workout.span, events: workout.events, activities: workout.activities,
      metadata: try connection.metadata.values(of: number), allStatistics: workout.allStatistics)
  }
}

/// Conditions on workouts and their activities: on a row of `workout_parts` under the name `part`.
extension SamplePredicate.Condition {
  /// The deepest alternation of `and` and `or` in a condition on workouts, which stands in a statement within the whole
  /// statement.
  static let deepestOfWorkouts = 4

  /// The condition that a sample is a workout which matches the predicate or, with `isActivity`, one with a matching
  /// activity. In a file without workouts no sample matches.
  mutating func workout(_ predicate: WorkoutPredicate, isActivity: Bool) throws(StoreError) -> String {
    guard hasWorkouts else { return "0" }
    let isMeant = isActivity ? "> 0" : "= 0"
    guard scope == nil else {
      // The search begins with the samples that the reader may see, and looks at no other workout.
      let condition = try compile(predicate, level: 0)
      return """
        EXISTS (SELECT 1 FROM workout_parts AS part WHERE part.workout = sample.id AND part.ordinal \(isMeant)
          AND \(condition))
        """
    }
    // The search begins with a condition on a figure that must hold in any case: the index has all parts that match it.
    var conjuncts = predicate.conjuncts
    guard let first = conjuncts.firstIndex(where: \.isStatistic),
      case .statistic(let figure, let type, let comparison, let quantity) = conjuncts.remove(at: first).form
    else {
      let condition = try compile(predicate, level: 0)
      return
        "sample.id IN (SELECT part.workout FROM workout_parts AS part WHERE part.ordinal \(isMeant) AND \(condition))"
    }
    guard let leading = try statistic(figure, of: type, comparison, quantity) else { return "0" }
    guard !conjuncts.isEmpty else {
      return
        "sample.id IN (SELECT figures.workout FROM workout_statistics AS figures WHERE figures.part \(isMeant) AND \(leading))"
    }
    let rest = try compile(.and(conjuncts), level: 0)
    return """
      sample.id IN (SELECT part.workout FROM workout_statistics AS figures CROSS JOIN workout_parts AS part
        WHERE figures.part \(isMeant) AND \(leading) AND part.workout = figures.workout AND part.ordinal = figures.part
          AND \(rest))
      """
  }

  private mutating func compile(_ predicate: WorkoutPredicate, level: Int) throws(StoreError) -> String {
    switch predicate.form {
    case .all: return "1"
    case .activityType(let types):
      var places: [String] = []
      for type in types.map(\.rawValue).sorted() { places.append(try place(.integer(type))) }
      return "part.activity_type IN (\(places.joined(separator: ", ")))"
    case .time(let from, let to, let strictness): return try time(from, to, strictness, of: "part")
    case .start(let comparison, let moment):
      return "part.start \(comparison.sql) \(try place(.integer(moment.microseconds)))"
    case .end(let comparison, let moment):
      return "part.end \(comparison.sql) \(try place(.integer(moment.microseconds)))"
    case .duration(let comparison, let microseconds):
      return "part.duration \(comparison.sql) \(try place(.integer(microseconds)))"
    case .statistic(let figure, let type, let comparison, let quantity):
      guard let condition = try statistic(figure, of: type, comparison, quantity) else { return "0" }
      return """
        EXISTS (SELECT 1 FROM workout_statistics AS figures WHERE figures.workout = part.workout
          AND figures.part = part.ordinal AND \(condition))
        """
    case .not(let part): return "NOT (\(try compile(part, level: level)))"
    case .and(let parts): return try join(parts, isAnd: true, level: level)
    case .or(let parts): return try join(parts, isAnd: false, level: level)
    }
  }

  private mutating func join(
    _ parts: [WorkoutPredicate], isAnd: Bool, level: Int
  ) throws(StoreError) -> String {
    guard level < Self.deepestOfWorkouts else {
      throw StoreError(
        .tooComplex(limit: Self.deepestOfWorkouts),
        "a condition on workouts may alternate between and and or \(Self.deepestOfWorkouts) times at most")
    }
    var texts: [String] = []
    for part in parts { texts.append(try compile(part, level: level + 1)) }
    return Self.joined(texts, isAnd: isAnd)
  }

  /// The condition on a row under the name `figures`; nil where no row can match, because the reader may not read the
  /// type or the unit of the quantity is not compatible with it.
  private mutating func statistic(
    _ figure: SamplePredicate.QuantityFigure, of type: String, _ comparison: SamplePredicate.Comparison,
    _ quantity: Quantity
  ) throws(StoreError) -> String? {
    let values = units.compactMap { unit in
      (try? quantity.value(in: unit)).flatMap { $0.isNaN ? nil : (unit: unit.symbol, value: $0) }
    }
    // Decided before a value gets a parameter: SQLite knows only the parameters that the statement names.
    guard scope?.types.contains(type) ?? true, !values.isEmpty else { return nil }
    let name = try place(.text(type))
    let rows = "FROM types WHERE identifier = \(name) AND kind = '\(SampleKind.quantity.rawValue)'"
    var cases = ""
    for (unit, value) in values { cases += " WHEN \(try place(.text(unit))) THEN \(try place(.real(value)))" }
    // All values of a type are stored in one unit, so that the number is one for the statement, and the index finds it.
    return """
      figures.type IN (SELECT id \(rows))
        AND figures.\(figure.name) \(comparison.sql) (SELECT CASE unit\(cases) END \(rows) LIMIT 1)
      """
  }
}

extension WorkoutPredicate {
  /// Conditions that all have to hold.
  fileprivate var conjuncts: [WorkoutPredicate] {
    guard case .and(let parts) = form else { return [self] }
    return parts.flatMap(\.conjuncts)
  }

  fileprivate var isStatistic: Bool {
    if case .statistic = form { true } else { false }
  }
}
