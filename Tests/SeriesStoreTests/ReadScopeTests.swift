import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

/// A reader who may see only some of a store cannot tell what it may not see from what is not there.
@Suite("Reading in a scope")
struct ReadScopeTests {
  private typealias Question = (name: String, ask: (HealthStore) async throws -> String)

  /// What a reader in the scope may ask, each answer as text, without what is random or the time of the test.
  private static func questions(_ world: ScopedWorld) throws -> [Question] {
    let scope = world.scope
    var questions: [Question] = []
    let hour = try CalendarInterval(parsing: "1h")
    let owned = try #require(world.visible.first)
    let predicates: [SamplePredicate] = [
      .all, .type(.quantity(.heartRate)), .type(.quantity(.stepCount)), .type(.heartbeatSeries), .type(.session),
      .not(.type(.quantity(.stepCount))), .source("com.example.other"), .source("org.example.Game"),
      .identifier([world.hidden[0]]), .identifier([world.hidden[1], owned, world.hidden[2]]), .identifier([UUID()]),
      .session(world.hiddenSession), .part(of: world.hidden[2]), .basis(of: world.hidden[1]),
      .device("C0:FF:EE:00:00:01"),
      .hasMetadata("level"), .metadata("level", .greater, 0), .value([.awake]),
      .summary(.maximum, .greater, Quantity(60, .countPerMinute)), .summary(.sum, .greater, Quantity(1, .count)),
      .summary(.start, .greater, ScopedWorld.start), .summary(.duration, .less, .seconds(1)), .count(.greater, 1),
      .time(from: ScopedWorld.start, to: ScopedWorld.start.advanced(byMicroseconds: 3_000_000_000)),
      .or([.source("com.example.other"), .hasMetadata("level")]),
    ]
    for (index, predicate) in predicates.enumerated() {
      questions.append(
        (
          "samples \(index)",
          { store in try await Self.text(store.answer(SampleQuery(predicate), in: scope)) }
        ))
      for type in [.heartRate, .stepCount, .bodyMass] as [QuantityType] {
        questions.append(
          (
            "quantities \(type.identifier) \(index)",
            { store in
              try await Self.text(store.answer(QuantityQuery(type, predicate: predicate), in: scope))
            }
          ))
      }
    }
    for type in [.heartRate, .stepCount, .height] as [QuantityType] {
      for buckets in [.single, .natural(hour, zone: .utc)] as [StatisticsCollectionQuery.Buckets] {
        for options in [StatisticsOptions.all(for: type), .all(for: type).union(.separateBySource)] {
          let query = try StatisticsCollectionQuery(type, options, buckets: buckets)
          questions.append(("statistics", { store in try await Self.text(store.answer(query, in: scope)) }))
        }
      }
    }
    questions.append(
      (
        "ordered",
        { store in
          let query = SampleQuery(order: [.init(.end, isDescending: true), .init(.count)], limit: 4)
          return try await Self.text(store.answer(query, in: scope))
        }
      ))
    for id in [world.hidden[1], UUID(), owned] {
      questions.append(
        (
          "beats",
          { store in
            let series: HeartbeatSeries
            do throws(StoreError) { series = try await store.answer(HeartbeatQuery(id), in: scope) } catch {
              return "\(error.code)"
            }
            return try Self.text(series)
          }
        ))
    }
    for limit in [nil, 1, 3, 100] as [Int?] {
      questions.append(("changes", { store in try await Self.changes(of: store, scope, limit: limit) }))
    }
    return questions
  }

  private static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// All changes, answer by answer, without the anchors' text.
  private static func changes(of store: HealthStore, _ scope: ReadScope, limit: Int?) async throws -> String {
    var query = ChangeQuery(after: .start, limit: limit)
    var text = ""
    while true {
      let answer = try await store.answer(query, of: ScopedWorld.client, in: scope)
      text += try "\(Self.text(answer.added)) \(answer.sessions) \(answer.deleted.map(\.id)) \(answer.hasMore)\n"
      guard answer.hasMore else { return text }
      query.anchor = answer.anchor
    }
  }

  @Test(
    "a hundred thousand hidden samples change no byte of an answer and no step of the work", arguments: [false, true])
  func denialIsAbsence(ownRates: Bool) async throws {
    let world = try await ScopedWorld(hiddenCount: 100_000, ownRates: ownRates)
    let counting = try Connection(world.full.path, flags: SQLITE_OPEN_READONLY)
    #expect(try counting.integer("SELECT count(*) FROM samples") > 100_000)
    for (name, ask) in try Self.questions(world) {
      var answers: [String] = []
      var work: [Int64] = []
      for store in [world.full, world.bare] {
        // The first time a client has no anchors yet; the second time it has.
        let first = try await ask(store)
        let before = try await store.steps()
        answers.append(try await ask(store))
        work.append(try await store.steps() - before)
        #expect(answers.last == first, "\(name)")
      }
      #expect(answers[0] == answers[1], "\(name)")
      #expect(work[0] == work[1] && work[0] > 0, "\(name): \(work)")
    }
  }

  @Test("a reader is answered as from a store that has only what it may see")
  func sameAsBare() async throws {
    let world = try await ScopedWorld(hiddenCount: 0, ownRates: true)
    func unnumbered(_ samples: [HealthSample]) -> [HealthSample] {
      samples.map { sample in
        var sample = sample
        sample.change = 0
        return sample
      }
    }
    let all = try await SampleQuery().result(for: world.bare).value
    #expect(all.count == world.visible.count)
    #expect(try await world.full.answer(SampleQuery(), in: world.scope) == unnumbered(all))
    let changes = try await ChangeQuery(after: .start).result(for: world.bare).value
    let seen = try await world.full.answer(ChangeQuery(after: .start), of: ScopedWorld.client, in: world.scope)
    #expect(seen.added == unnumbered(changes.added) && seen.sessions == [])
    #expect(seen.deleted.map(\.id) == changes.deleted.map(\.id) && seen.deleted.count == 1)
    #expect(seen.deleted.allSatisfy { $0.change == 0 })
    for type in [.heartRate, .stepCount, .bodyMass, .height] as [QuantityType] {
      let list = try await QuantityQuery(type).result(for: world.bare).value
      #expect(try await world.full.answer(QuantityQuery(type), in: world.scope) == list)
      var (parts, cursor) = ([Double](), nil as QuantityCursor?)
      while let (part, next) = try await world.full.batch(QuantityQuery(type), in: world.scope, at: cursor) {
        parts += part.quantities.values
        cursor = next
      }
      #expect(parts == list.quantities.values)
      let options = StatisticsOptions.all(for: type).union(.separateBySource)
      let query = try StatisticsCollectionQuery(type, options, buckets: .single)
      #expect(try await world.full.answer(query, in: world.scope) == query.result(for: world.bare).value)
    }
  }

  @Test("a reader who may see nothing sees nothing")
  func nothing() async throws {
    let world = try await ScopedWorld(hiddenCount: 0, ownRates: true)
    #expect(try await world.full.answer(SampleQuery(), in: ReadScope()) == [])
    #expect(try await world.full.answer(QuantityQuery(.stepCount), in: ReadScope()).isEmpty)
    let statistics = try StatisticsCollectionQuery(.stepCount, buckets: .single)
    #expect(try await world.full.answer(statistics, in: ReadScope()) == [])
    let changes = try await world.full.answer(ChangeQuery(after: .start), of: ScopedWorld.client, in: ReadScope())
    #expect(changes.added == [] && changes.deleted == [] && changes.anchor == .start && !changes.hasMore)
  }

  @Test("what may be seen for several reasons is answered once")
  func severalReasons() async throws {
    let world = try await ScopedWorld(hiddenCount: 0, ownRates: true)
    var scope = world.scope
    scope.types.formUnion(["heartRate", "sleepAnalysis"])
    let wide = try await world.full.answer(SampleQuery(), in: scope).map(\.id)
    #expect(wide.count > world.visible.count)
    scope.objects.formUnion(world.visible + [world.hidden[0]])
    #expect(try await world.full.answer(SampleQuery(), in: scope).map(\.id) == wide)
    let changes = try await world.full.answer(ChangeQuery(after: .start), of: ScopedWorld.client, in: scope)
    #expect(
      changes.added.map(\.id).sorted { $0.uuidString < $1.uuidString } == wide.sorted { $0.uuidString < $1.uuidString })
    scope = ReadScope(objects: Set(world.hidden))
    let single = try await world.full.answer(SampleQuery(), in: scope).map(\.id)
    // Of the six of each round one was deleted.
    #expect(single.count == world.hidden.count / 6 * 5 && Set(single).isStrictSubset(of: Set(world.hidden)))
  }

  @Test("an anchor is a random token, and stays as it is while the reader sees nothing new")
  func anchors() async throws {
    let world = try await ScopedWorld(hiddenCount: 0, ownRates: false)
    func ask(_ anchor: ChangeAnchor) async throws -> ChangeSet {
      try await world.full.answer(ChangeQuery(after: anchor), of: ScopedWorld.client, in: world.scope)
    }
    let anchor = try await ask(.start).anchor
    #expect(anchor.place == nil && ChangeAnchor(anchor.description) == anchor)
    let span = TimeSpan(at: ScopedWorld.start)
    let hidden = try NewSample(.heartRate, Quantity(60, .countPerMinute), over: span)
    try await world.full.save(hidden, as: SourceRevision(identifier: "com.example.other", name: "Other"))
    #expect(try await ask(anchor).anchor == anchor)
    let steps = try NewSample(.stepCount, Quantity(6, .count), over: span)
    try await world.full.save(steps, as: SourceRevision(identifier: "com.example.other", name: "Other"))
    let answer = try await ask(anchor)
    #expect(answer.added.map(\.id) == [steps.id] && answer.anchor != anchor)
    // Whoever may see everything has another kind of anchors.
    let error = await #expect(throws: StoreError.self) { try await ChangeQuery(after: anchor).result(for: world.full) }
    #expect(error?.code == .foreignAnchor)
  }

  @Test("an anchor is of one client, and is lost with its place, when it is old, and when the owner has decided anew")
  func lostAnchors() async throws {
    let world = try await ScopedWorld(hiddenCount: 0, ownRates: false)
    func code(_ anchor: ChangeAnchor, _ client: ClientIdentity = ScopedWorld.client) async -> StoreError.Code? {
      do throws(StoreError) {
        _ = try await world.full.answer(ChangeQuery(after: anchor), of: client, in: world.scope)
        return nil
      } catch {
        return error.code
      }
    }
    let first = try await world.full.answer(ChangeQuery(after: .start), of: ScopedWorld.client, in: world.scope).anchor
    #expect(await code(first) == nil)
    #expect(await code(first, ClientIdentity(uid: 1001, application: ScopedWorld.client.application)) == .lostAnchor)
    #expect(await code(ChangeAnchor(token: UUID())) == .lostAnchor)
    let numbered = try await ChangeQuery(after: .start).result(for: world.full).value.anchor
    #expect(await code(numbered) == .lostAnchor)
    var anchor = first
    for round in 1...AnchorTable.limit {
      #expect(await code(first) == nil)
      try await world.full.save(
        try NewSample(.stepCount, Quantity(Double(round), .count), over: TimeSpan(at: ScopedWorld.start)),
        as: SourceRevision(identifier: "com.example.other", name: "Other"))
      anchor = try await world.full.answer(ChangeQuery(after: anchor), of: ScopedWorld.client, in: world.scope).anchor
    }
    #expect(await code(first) == .lostAnchor)
    #expect(await code(anchor) == nil)
    try await world.full.revoke(ScopedWorld.client, permission: .share)
    #expect(await code(anchor) == nil)
    try await world.full.revoke(ScopedWorld.client, permission: .read)
    #expect(await code(anchor) == .lostAnchor)
    #expect(try await world.bare.check() == [])
  }

  @Test("a live observation is woken by what the reader sees, and by nothing else")
  func live() async throws {
    let world = try await ScopedWorld(hiddenCount: 0, ownRates: false)
    let other = SourceRevision(identifier: "com.example.other", name: "Other")
    let span = TimeSpan(at: ScopedWorld.start)
    let rate = try NewSample(.heartRate, Quantity(60, .countPerMinute), over: span)
    let steps = try NewSample(.stepCount, Quantity(6, .count), over: span)
    for (sample, isSeen) in [(rate, false), (steps, true)] {
      let store = try HealthStore.open(world.full.path, for: .writing)
      var signals = await store.changeSignals({ world.scope.includes($0) }).makeAsyncIterator()
      try await store.save(sample, as: other)
      await store.close()
      // Closing ends the stream after what was signalled before.
      #expect((await signals.next() != nil) == isSeen)
    }
  }
}
