import FoundationEssentials
import TestSupport

@testable import HealthModel
@testable import SeriesStore

/// One program of random saves, corrections, deletions and queries on a store, and on plain values beside it.
struct RandomProgram {
  let store: HealthStore
  private var plain = PlainStore()
  private var random: SeededGenerator
  /// Anchors that a caller kept, and how many changes it had seen then.
  private var anchors: [(anchor: ChangeAnchor, seen: Int)] = [(.start, 0)]

  init(in store: HealthStore, seed: UInt64) {
    self.store = store
    random = SeededGenerator(seed: seed)
  }

  /// The store's first fault; nil if it agreed with the plain values.
  mutating func run(steps: Int) async throws -> String? {
    for step in 0..<steps {
      var wrong =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try await delete()
        case 1: try await deleteByPredicate()
        default: try await save()
        }
      for _ in 0..<2 where wrong == nil { wrong = try await ask() }
      if let wrong { return "step \(step): \(wrong)" }
    }
    let damages = try await store.check()
    return damages.isEmpty ? nil : "damaged at the end: \(damages)"
  }

  private mutating func save() async throws -> String? {
    let program = PlainStore.programs.randomElement(using: &random)!
    let source = PlainStore.source(program, &random)
    var news: [PlainStore.Made] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      // Now and then one that is there, or was there before.
      let id = Int.random(in: 0..<10, using: &random) == 0 ? plain.changes.randomElement(using: &random)?.id : nil
      news.append(try PlainStore.sample(from: source, id: id ?? UUID(), &random))
    }
    var expected: [CommitOutcome]?
    do { expected = try plain.save(news.map(\.plain)) } catch { expected = nil }
    do throws(StoreError) {
      let outcomes = try await store.save(news.map(\.new), as: source)
      return outcomes == expected ? nil : "saved \(news.map(\.plain)): \(outcomes), not \(String(describing: expected))"
    } catch {
      return expected == nil && error.code == .invalid ? nil : "saving \(news.map(\.plain)) fails: \(error)"
    }
  }

  private mutating func delete() async throws -> String? {
    var ids = plain.objects.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)).map(\.id)
    if Int.random(in: 0..<8, using: &random) == 0 { ids.append(UUID()) }
    let source = PlainStore.programs.randomElement(using: &random)!
    var expected: StoreError.Code?
    do {
      try plain.delete(ids, as: source)
    } catch {
      expected =
        switch error {
        case .missing: .notFound
        case .foreign: .permission
        case .part, .present: .invalid
        }
    }
    do throws(StoreError) {
      try await store.delete(ids, as: source)
      return expected == nil ? nil : "deleted \(ids), and that is not allowed"
    } catch {
      return error.code == expected ? nil : "deleting \(ids): \(error)"
    }
  }

  private mutating func deleteByPredicate() async throws -> String? {
    let choice = plain.choice(&random)
    let source = PlainStore.programs.randomElement(using: &random)!
    // The order in which they are deleted is the store's own, and is looked up.
    let meant = plain.objects.filter {
      choice.holds($0) && $0.sample.source.identifier == source && plain.owner(of: $0.id) == nil
    }
    let before = try await ChangeQuery(after: .start).result(for: store).value.anchor
    let count = try await store.delete(choice.predicate, as: source)
    guard count == meant.count else { return "\(count) deleted, not \(meant.count), by \(choice.predicate)" }
    let deleted = try await ChangeQuery(after: before).result(for: store).value.deleted.map(\.id)
    try plain.delete(deleted.filter { id in meant.contains { $0.id == id } }, as: source)
    return nil
  }

  private mutating func ask() async throws -> String? {
    switch Int.random(in: 0..<6, using: &random) {
    case 4: try await askForWorkouts()
    case 0: try await askForQuantities()
    case 1: try await askForBeats()
    case 2, 3: try await askForChanges()
    default: try await askForSamples()
    }
  }

  private mutating func askForSamples() async throws -> String? {
    let choice = plain.choice(&random)
    let keys: [(SampleQuery.Order.Key, (HealthSample) -> Int64)] = [
      (.start, \.start.microseconds), (.end, \.end.microseconds), (.count, { Int64($0.count) }), (.change, \.change),
    ]
    let order = keys.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)).map { key, value in
      (key: key, value: value, isDescending: Bool.random(using: &random))
    }
    let limit = Bool.random(using: &random) ? nil : Int.random(in: 0...5, using: &random)
    let query = SampleQuery(
      choice.predicate, order: order.map { SampleQuery.Order($0.key, isDescending: $0.isDescending) }, limit: limit)
    let found = try await query.result(for: store).value
    let expected = plain.objects.map(\.sample).filter { plain.object($0.id).map(choice.holds) ?? false }.sorted {
      for (_, value, isDescending) in order where value($0) != value($1) {
        return isDescending ? value($0) > value($1) : value($0) < value($1)
      }
      return $0.change < $1.change
    }.prefix(limit ?? .max)
    return found.elementsEqual(expected) ? nil : "\(found)\n  instead of \(expected)\n  for \(query)"
  }

  private mutating func askForQuantities() async throws -> String? {
    let type = [QuantityType.heartRate, .stepCount, .bodyMass].randomElement(using: &random)!
    let choice = plain.choice(depth: 1, &random)
    let from = Int.random(in: 0..<PlainStore.length, using: &random)
    let to = Int.random(in: from...PlainStore.length, using: &random)
    let found = try await QuantityQuery(
      type, predicate: choice.predicate, from: PlainStore.time(from), to: PlainStore.time(to)
    ).result(for: store).value
    let rows = plain.objects.filter { $0.sample.type == .quantity(type) && choice.holds($0) }.flatMap { object in
      object.rows.filter { $0.start >= from && $0.start < to }.map { (object: object, row: $0) }
    }
    let places = rows.indices.sorted { (rows[$0].row.start, $0) < (rows[$1].row.start, $1) }
    let expected = places.map { place in
      QuantityList.Element(
        value: rows[place].row.value,
        span: TimeSpan(start: PlainStore.time(rows[place].row.start), end: PlainStore.time(rows[place].row.end))!,
        sample: rows[place].object.id)
    }
    return Array(found) == expected ? nil : "\(Array(found))\n  instead of \(expected)"
  }

  private mutating func askForBeats() async throws -> String? {
    guard let object = plain.objects.randomElement(using: &random) else { return nil }
    do throws(StoreError) {
      let found = try await HeartbeatQuery(object.id).result(for: store).value
      return found == object.beats ? nil : "\(found.beats)\n  instead of \(String(describing: object.beats?.beats))"
    } catch {
      return object.beats == nil && error.code == .notFound ? nil : "beats of \(object.id): \(error)"
    }
  }

  private mutating func askForWorkouts() async throws -> String? {
    let choice = plain.choice(depth: 1, &random)
    let found = try await WorkoutQuery(choice.predicate, order: [.init(.change)]).result(for: store).value
    let expected = plain.objects.filter(choice.holds).compactMap(\.workout)
    return found == expected ? nil : "\(found)\n  instead of \(expected)"
  }

  private mutating func askForChanges() async throws -> String? {
    let (anchor, seen) = anchors.randomElement(using: &random)!
    let choice = plain.choice(depth: 1, &random)
    let limit = Bool.random(using: &random) ? nil : Int.random(in: 1...6, using: &random)
    let found = try await ChangeQuery(after: anchor, predicate: choice.predicate, limit: limit).result(for: store).value
    let end = min(plain.changes.count, seen + (limit ?? plain.changes.count))
    let added = plain.objects.map(\.sample).filter { $0.change > Int64(seen) && $0.change <= Int64(end) }.filter {
      plain.object($0.id).map(choice.holds) ?? false
    }
    guard found.added == added else { return "added \(found.added)\n  instead of \(added)" }
    let deleted = (seen..<max(seen, end)).filter { number in
      let change = plain.changes[number]
      return change.isDeletion && !(plain.object(change.id).map(choice.holds) ?? false)
    }
    guard found.deleted.map(\.change) == deleted.map({ Int64($0) + 1 }),
      found.deleted.map(\.id) == deleted.map({ plain.changes[$0].id }),
      found.deleted.map(\.type) == deleted.map({ plain.changes[$0].type }),
      found.deleted.map(\.source) == deleted.map({ plain.changes[$0].source })
    else { return "deleted \(found.deleted)\n  instead of \(deleted.map { plain.changes[$0] })" }
    guard let kept = ChangeAnchor(found.anchor.description) else { return "an anchor that cannot be kept" }
    anchors.append((kept, end))
    return nil
  }
}
