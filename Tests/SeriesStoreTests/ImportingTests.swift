import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Importing")
struct ImportingTests {
  private let folder = TemporaryFolder()
  private let source = SourceRevision(identifier: "apple.Watch", name: "Watch")
  private let identity = ImportIdentity(digest: Array(1...32))

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  private func series(_ seconds: [Int64], isContinued: Bool = false) -> ImportedItem {
    let values = seconds.map { SampleDraft.QuantityValue(60, over: TimeSpan(at: Timestamp(milliseconds: $0 * 1000))) }
    return ImportedItem(
      identity, from: source,
      .series(ImportedSeries(.heartRate, device: nil, metadata: ["a": 1], values: values, isContinued: isContinued)))
  }

  private func counts(_ store: HealthStore) async throws -> [Int] {
    try await store.answer(SampleQuery(.all), in: nil).map(\.count)
  }

  @Test("a day is stored once, and one that has grown replaces itself")
  func growing() async throws {
    let store = try open()
    #expect(try await store.save(imported: [series([1, 2])]) == [ImportOutcome(outcome: .stored, added: 2)])
    #expect(try await store.save(imported: [series([1, 2])]) == [ImportOutcome(outcome: .unchanged, added: 0)])
    // A part of it, of a damaged file, takes nothing away.
    #expect(try await store.save(imported: [series([1])]) == [ImportOutcome(outcome: .unchanged, added: 0)])
    #expect(
      try await store.outcomes(ofImporting: [series([1, 2, 3])]) == [ImportOutcome(outcome: .replaced, added: 1)])
    #expect(try await counts(store) == [2])
    #expect(try await store.save(imported: [series([1, 2, 3])]) == [ImportOutcome(outcome: .replaced, added: 1)])
    #expect(try await counts(store) == [3])
    #expect(try await store.check().isEmpty)
  }

  @Test(
    "a day of as many values but other ones stays as it is stored, which is said; the same ones are known, packed or not"
  )
  func differing() async throws {
    let store = try open()
    func packed(_ values: [Int64]) -> ImportedItem {
      var item = series(values)
      item.pack()
      return item
    }
    #expect(try await store.save(imported: [packed([1, 2])]) == [ImportOutcome(outcome: .stored, added: 2)])
    #expect(try await store.save(imported: [packed([1, 2])]) == [ImportOutcome(outcome: .unchanged, added: 0)])
    for other in [[1, 3], [0, 2]] as [[Int64]] {
      let answer = [ImportOutcome(outcome: .unchanged, added: 0, differs: true)]
      #expect(try await store.outcomes(ofImporting: [packed(other)]) == answer)
      #expect(try await store.save(imported: [packed(other)]) == answer)
    }
    #expect(try await store.save(imported: [packed([1])]) == [ImportOutcome(outcome: .unchanged, added: 0)])
    #expect(try await store.save(imported: [packed([1, 2])]) == [ImportOutcome(outcome: .unchanged, added: 0)])
  }

  @Test("a series that goes on keeps what is stored of it")
  func continued() async throws {
    let store = try open()
    _ = try await store.save(imported: [series([1, 5])])
    #expect(
      try await store.save(imported: [series([3, 5], isContinued: true)]) == [
        ImportOutcome(outcome: .replaced, added: 1)
      ])
    #expect(try await counts(store) == [3])
    #expect(
      try await store.save(imported: [series([1, 3], isContinued: true)]) == [
        ImportOutcome(outcome: .unchanged, added: 0)
      ])
  }

  @Test("what was deleted stays deleted, whatever its version was and will be")
  func deleted() async throws {
    let store = try open()
    _ = try await store.save(imported: [series([1])])
    _ = try await store.save(imported: [series([1, 2])])
    try await store.delete(.all, as: source.identifier)
    let gone = [ImportOutcome(outcome: .deletedBefore, added: 0)]
    #expect(try await store.outcomes(ofImporting: [series([1, 2, 3])]) == gone)
    #expect(try await store.save(imported: [series([1, 2, 3])]) == gone)
    #expect(try await counts(store).isEmpty)
    // Another object is no part of it.
    let other = ImportedItem(
      ImportIdentity(digest: Array(2...33)), from: source, series([1]).content)
    #expect(try await store.save(imported: [other]) == [ImportOutcome(outcome: .stored, added: 1)])
  }

  private func workout(version: Int64) throws -> ImportedItem {
    let (identity, span) = (ImportIdentity(digest: Array(4...35)), try Self.span(100, 200))
    let workout = Workout(id: identity.id(version: version), WorkoutConfiguration(.running), over: span)
    let sync = SyncIdentity(identifier: identity.syncIdentifier, version: version)
    return ImportedItem(identity, from: source, .sample(try NewSample(workout, sync: sync)))
  }

  private func route(_ seconds: [Int64], comesWithWorkout: Bool = true) -> ImportedItem {
    let locations = seconds.map {
      RouteLocation(at: Timestamp(milliseconds: $0 * 1000), latitude: 37, longitude: -122)
    }
    let route = ImportedRoute(
      ImportIdentity(digest: Array(4...35)), comesWithWorkout: comesWithWorkout, device: nil, locations: locations)
    return ImportedItem(ImportIdentity(digest: Array(5...36)), from: source, .route(route))
  }

  private static func span(_ start: Int64, _ end: Int64) throws -> TimeSpan {
    try #require(TimeSpan(start: Timestamp(milliseconds: start * 1000), end: Timestamp(milliseconds: end * 1000)))
  }

  @Test("a route belongs to its workout, whatever the version of both, and goes where that went")
  func routes() async throws {
    let store = try open()
    let stored = ImportOutcome(outcome: .stored, added: 1)
    let replaced = ImportOutcome(outcome: .replaced, added: 0)
    #expect(try await store.outcomes(ofImporting: [workout(version: 1), route([110])]) == [stored, stored])
    #expect(try await store.save(imported: [workout(version: 1), route([110])]) == [stored, stored])
    #expect(try await store.save(imported: [workout(version: 3)]) == [replaced])
    #expect(
      try await store.save(imported: [workout(version: 2), route([110])]).map(\.outcome) == [.unchanged, .unchanged])
    #expect(try await store.save(imported: [route([110, 120])]) == [replaced])
    let newest = ImportIdentity(digest: Array(4...35)).id(version: 3)
    let query = SampleQuery(.and([.type(.workoutRoute), .collected(in: newest)]))
    #expect(try await store.answer(query, in: nil).map(\.count) == [2])
    #expect(try await store.check().isEmpty)
    try await store.delete(.all, as: source.identifier)
    let gone = ImportOutcome(outcome: .deletedBefore, added: 0)
    #expect(try await store.save(imported: [workout(version: 4), route([110])]) == [gone, gone])
  }

  @Test("the first route of a workout that was deleted before does not come in")
  func routesOfDeleted() async throws {
    let store = try open()
    _ = try await store.save(imported: [workout(version: 1)])
    try await store.delete(.all, as: source.identifier)
    let gone = ImportOutcome(outcome: .deletedBefore, added: 0)
    #expect(try await store.outcomes(ofImporting: [route([110])]) == [gone])
    #expect(try await store.save(imported: [route([110])]) == [gone])
    #expect(try await counts(store).isEmpty)
  }

  @Test("a route without its workout is refused; asked for alone, it belongs to the one that is there")
  func routesAlone() async throws {
    let store = try open()
    let refused = ImportOutcome(outcome: nil, added: 0)
    let alone = route([110], comesWithWorkout: false)
    #expect(try await store.outcomes(ofImporting: [alone]) == [refused])
    // It was to come with its workout, and that could not be stored.
    #expect(try await store.save(imported: [alone, route([110])]) == [refused, refused])
    #expect(try await counts(store).isEmpty)
    _ = try await store.save(imported: [workout(version: 1)])
    let stored = ImportOutcome(outcome: .stored, added: 1)
    #expect(try await store.outcomes(ofImporting: [alone]) == [stored])
    #expect(try await store.save(imported: [alone]) == [stored])
  }

  @Test("one that cannot be stored takes all of its batch with it")
  func whole() async throws {
    let store = try open()
    let bad = ImportedItem(
      ImportIdentity(digest: Array(3...34)), from: source,
      .series(ImportedSeries(.heartRate, device: nil, metadata: [:], values: [], isContinued: false)))
    await #expect(throws: StoreError.self) { try await store.save(imported: [series([1]), bad]) }
    #expect(try await counts(store).isEmpty)
  }
}
