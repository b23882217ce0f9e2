import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Random workouts against plain values")
struct RandomWorkoutTests {
  @Test("calls in any order, samples in any order, figures, predicates and deletions agree with seconds in an array")
  func agreement() async throws {
    // SENSORD_SEED plays one trial again; SENSORD_TRIALS=10 makes 2,000 workouts.
    let seed = ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) }
    let first = seed ?? .random(in: 0...1 << 40)
    let count = seed == nil ? 50 * UInt64(Trials.factor) : 1
    for seed in first..<first + count {
      let folder = TemporaryFolder(inMemory: true)
      var trial = WorkoutTrial(in: try HealthStore.open(folder.store, for: .writing), seed: seed)
      if let wrong = try await trial.run(workouts: 4) {
        Issue.record("SENSORD_SEED=\(seed), \(wrong.prefix(4000))")
        return
      }
    }
  }
}

/// Some workouts in one store, and the same as plain seconds.
private struct WorkoutTrial {
  private struct Known {
    var id: UUID
    var plain: PlainWorkout
    var rates: [UUID: [(second: Int, value: Double)]] = [:]
    var amounts: [UUID: [(start: Int, end: Int, value: Double)]] = [:]

    var allRates: [(second: Int, value: Double)] { rates.values.flatMap { $0 } }
    var allAmounts: [(start: Int, end: Int, value: Double)] { amounts.values.flatMap { $0 } }
    var samples: Set<UUID> { Set(rates.keys).union(amounts.keys) }
  }

  private typealias World = WorkoutWorld
  private let store: HealthStore
  private var random: SeededGenerator
  private var known: [Known] = []

  init(in store: HealthStore, seed: UInt64) {
    self.store = store
    random = SeededGenerator(seed: seed)
  }

  mutating func run(workouts: Int) async throws -> String? {
    for _ in 0..<workouts {
      if let wrong = try await play() { return wrong }
    }
    for step in 0..<4 {
      if let wrong = try await compare() { return "after \(step) deletions: \(wrong)" }
      try await delete()
    }
    let damages = try await store.check()
    return damages.isEmpty ? nil : "damaged: \(damages)"
  }

  /// One workout by random calls, every one of which has the same end as the plain one's.
  private mutating func play() async throws -> String? {
    let types: [WorkoutActivityType] = [.swimBikeRun, .running, .fitnessGaming]
    let type = types.randomElement(using: &random)!
    var plain = PlainWorkout(type)
    var session = try WorkoutSession(.init(type))
    var second = Int.random(in: 0...20, using: &random)
    for number in 0..<Int.random(in: 4...40, using: &random) {
      second += Int.random(in: -1...6, using: &random)
      let call = number == 0 ? .start : call(at: second)
      let expected = plain.play(call, at: second)
      let found = Self.error { () throws(WorkoutError) in try Self.play(call, at: second, on: &session) }
      guard found == expected, session.state == plain.state else {
        return "\(call) at \(second): \(String(describing: found)), not \(String(describing: expected))"
      }
    }
    // Whatever came before, it ends, and has begun.
    second += 9
    _ = plain.play(.start, at: second)
    _ = Self.error { () throws(WorkoutError) in try session.startActivity(at: World.time(second)) }
    _ = plain.play(.end, at: second + 3)
    _ = Self.error { () throws(WorkoutError) in try session.end(at: World.time(second + 3)) }
    guard plain.start != nil else { return session.start == nil ? nil : "a session without a start has one" }
    return try await save(session, plain)
  }

  private mutating func call(at second: Int) -> PlainWorkout.Call {
    switch Int.random(in: 0..<24, using: &random) {
    case 0: .prepare
    case 1: .start
    case 2, 3, 4: .pause
    case 5, 6, 7, 8: .resume
    case 9, 10: .endActivity
    case 11: Bool.random(using: &random) ? .stop : .pause
    case 12: Int.random(in: 0..<4, using: &random) == 0 ? .end : .resume
    case 13, 14, 15, 16: .lap(second - Int.random(in: 0...5, using: &random))
    default:
      .begin(
        [.swimming, .cycling, .running, .running, .transition, .fitnessGaming, .fitnessGaming, .yoga]
          .randomElement(using: &random)!)
    }
  }

  private static func play(
    _ call: PlainWorkout.Call, at second: Int, on session: inout WorkoutSession
  ) throws(WorkoutError) {
    let time = World.time(second)
    switch call {
    case .prepare: try session.prepare(at: time)
    case .start: try session.startActivity(at: time)
    case .pause: try session.pause(at: time)
    case .resume: try session.resume(at: time)
    case .endActivity: try session.endCurrentActivity(on: time)
    case .stop: try session.stopActivity(at: time)
    case .end: try session.end(at: time)
    case .begin(let type): try session.beginNewActivity(.init(type), at: time)
    case .lap(let start): try session.addEvent(WorkoutEvent(.lap, over: World.span(start, second)), at: time)
    }
  }

  private static func error(_ body: () throws(WorkoutError) -> Void) -> WorkoutError? {
    do throws(WorkoutError) {
      try body()
      return nil
    } catch { return error }
  }

  /// Saves it with rates and amounts, in one call or some of them before, in any order.
  private mutating func save(_ session: WorkoutSession, _ plain: PlainWorkout) async throws -> String? {
    var known = Known(id: session.id, plain: plain)
    let (start, end) = (plain.start ?? 0, plain.end ?? 0)
    var samples: [NewSample] = []
    var seconds = Array((start - 3)...(end + 3)).shuffled(using: &random)
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let rows = seconds.prefix(Int.random(in: 1...20, using: &random)).map { second in
        (second: second, value: Double(Int.random(in: 160...380, using: &random)) / 2)
      }
      // No second has two values, so that the latest is one.
      seconds.removeFirst(min(seconds.count, rows.count))
      guard !rows.isEmpty else { break }
      let sample = try World.rates(rows)
      known.rates[sample.id] = rows
      samples.append(sample)
    }
    if Bool.random(using: &random) {
      var rows: [(start: Int, end: Int, value: Double)] = []
      var second = start - 2
      while second < end + 2, rows.count < 12 {
        let length = Int.random(in: 1...8, using: &random)
        rows.append((second, second + length, Double(Int.random(in: 0...40, using: &random))))
        second += length + Int.random(in: 0...4, using: &random)
      }
      let sample = try World.amounts(.distanceWalkingRunning, rows.shuffled(using: &random))
      known.amounts[sample.id] = rows
      samples.append(sample)
    }
    var builder = try WorkoutBuilder(of: session)
    let workout = try builder.finishWorkout()
    samples.shuffle(using: &random)
    let new = try NewSample(workout, collected: samples.map(\.id).shuffled(using: &random))
    if Bool.random(using: &random), !samples.isEmpty {
      try await store.save([samples.removeFirst()], as: World.program)
    }
    try await store.save(samples + [new], as: World.program)
    self.known.append(known)
    return nil
  }

  /// Deletes a sample or a workout.
  private mutating func delete() async throws {
    guard let index = known.indices.randomElement(using: &random) else { return }
    if let sample = known[index].samples.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random),
      Int.random(in: 0..<3, using: &random) > 0
    {
      try await store.delete([sample], as: "test")
      known[index].rates[sample] = nil
      known[index].amounts[sample] = nil
    } else {
      try await store.delete([known[index].id], as: "test")
      known.remove(at: index)
    }
  }

  private mutating func compare() async throws -> String? {
    for known in known {
      let found = try await store.workout(known.id)
      if let wrong = Self.difference(found, known) { return "\(wrong)\n  in \(found)\n  for \(known.plain)" }
      let collected = try await store.identifiers(SampleQuery(.collected(in: known.id)))
      guard Set(collected) == known.samples else { return "collected \(collected), not \(known.samples)" }
    }
    let limit = Double(Int.random(in: 180...360, using: &random)) / 2
    let quantity = Quantity(limit, .countPerMinute)
    func expect(_ predicate: WorkoutPredicate, _ holds: (Known, Int, Int) -> Bool) async throws -> String? {
      let activities = Set(
        known.filter { known in known.plain.activities.contains { holds(known, $0.start, $0.end) } }.map(\.id))
      let wholes = Set(known.filter { holds($0, $0.plain.start ?? 0, $0.plain.end ?? 0) }.map(\.id))
      guard try await Set(store.identifiers(SampleQuery(.workoutActivity(predicate)))) == activities,
        try await Set(store.identifiers(SampleQuery(.workout(predicate)))) == wholes
      else { return "other workouts by \(predicate)" }
      return nil
    }
    func rates(_ known: Known, _ from: Int, _ to: Int) -> PlainWorkout.Figures {
      known.plain.figures(of: known.allRates, from: from, to: to)
    }
    let seconds = Int.random(in: 1...30, using: &random)
    let hard = WorkoutPredicate.statistic(.average, of: .heartRate, .greater, quantity)
    // An average of half numbers is compared exactly: both sides divide the same sum by the same count.
    let isHard = { (known: Known, from: Int, to: Int) in
      let figures = rates(known, from, to)
      return figures.count > 0 && figures.sum / Double(figures.count) > limit
    }
    if let wrong = try await expect(hard, isHard) { return wrong }
    if let wrong = try await expect(
      .statistic(.maximum, of: .heartRate, .lessOrEqual, quantity),
      {
        let figures = rates($0, $1, $2)
        return figures.count > 0 && figures.maximum <= limit
      })
    {
      return wrong
    }
    let short = WorkoutPredicate.duration(.less, .seconds(seconds))
    if let wrong = try await expect(
      .and([hard, short]), { isHard($0, $1, $2) && $0.plain.duration(from: $1, to: $2) < seconds })
    {
      return wrong
    }
    return try await expect(
      .or([.not(hard), short]), { !isHard($0, $1, $2) || $0.plain.duration(from: $1, to: $2) < seconds })
  }

  private static func difference(_ found: Workout, _ known: Known) -> String? {
    let plain = known.plain
    let (start, end) = (plain.start ?? 0, plain.end ?? 0)
    guard found.span == World.span(start, end) else { return "another span" }
    guard found.duration == .seconds(plain.duration(from: start, to: end)) else { return "another duration" }
    guard found.activities.map(\.span) == plain.activities.map({ World.span($0.start, $0.end) }),
      found.activities.map(\.configuration.activityType) == plain.activities.map(\.type),
      found.activities.map({ found.duration(of: $0) })
        == plain.activities.map({ .seconds(plain.duration(from: $0.start, to: $0.end)) })
    else { return "other activities" }
    let laps = (found.events + found.activities.flatMap(\.events)).filter { $0.type == .lap }.map(\.span)
    guard Set(laps) == Set(plain.laps.map { World.span($0.start, $0.end) }), laps.count == plain.laps.count else {
      return "other laps"
    }
    for (figures, part) in [(found.allStatistics, (start, end))]
      + zip(found.activities, plain.activities).map({ ($0.allStatistics, ($1.start, $1.end)) })
    {
      let rates = plain.figures(of: known.allRates, from: part.0, to: part.1)
      let foundRates = figures.first { $0.type == .heartRate }
      guard foundRates?.count ?? 0 == rates.count else { return "another count in \(part)" }
      if let foundRates {
        guard foundRates.average == rates.sum / Double(rates.count), foundRates.minimum == rates.minimum,
          foundRates.maximum == rates.maximum, foundRates.mostRecentSpan == TimeSpan(at: World.time(rates.latest))
        else { return "other figures in \(part)" }
      }
      let amount = plain.amount(of: known.allAmounts, from: part.0, to: part.1)
      let foundAmount = figures.first { $0.type == .distanceWalkingRunning }?.sum
      guard (amount == nil) == (foundAmount == nil), abs((amount ?? 0) - (foundAmount ?? 0)) < 1e-6 else {
        return "another sum in \(part): \(String(describing: foundAmount)), not \(String(describing: amount))"
      }
    }
    return nil
  }
}
