import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Correlations")
struct CorrelationTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")
  private let moment = TimeSpan(at: Timestamp(microseconds: 7_000_000))

  private func part(
    _ type: QuantityType, _ value: Double, sync: SyncIdentity? = nil
  ) throws -> NewSample {
    try NewSample(type, Quantity(value, type.unit), over: moment, sync: sync)
  }

  private func bloodPressure(
    _ systolic: Double, _ diastolic: Double, sync: SyncIdentity? = nil
  ) throws -> NewSample {
    try NewSample(
      .bloodPressure, of: [part(.bloodPressureSystolic, systolic), part(.bloodPressureDiastolic, diastolic)],
      metadata: ["arm": "left"], sync: sync)
  }

  @Test("its samples are found through it and by themselves, with their statistics")
  func roundTrip() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let saved = try bloodPressure(120, 80)
    try await store.save([saved], as: program)
    let found = try await SampleQuery(.type(.correlation(.bloodPressure))).result(for: store).value
    #expect(found.map(\.id) == [saved.id] && found.first?.count == 2 && found.first?.metadata == ["arm": "left"])
    #expect(found.first?.start == moment.start && found.first?.end == moment.end)
    let parts = try await SampleQuery(.part(of: saved.id), order: [.init(.change)]).result(for: store).value
    #expect(parts.map(\.type) == [.quantity(.bloodPressureSystolic), .quantity(.bloodPressureDiastolic)])
    #expect(parts.map(\.summary?.mostRecent) == [120, 80])
    let statistics = try await StatisticsCollectionQuery(.bloodPressureSystolic, buckets: .single).result(for: store)
    #expect(statistics.value.first?.average == 120)
    #expect(try await store.check() == [])
  }

  @Test("it is saved whole or not at all")
  func incomplete() async throws {
    #expect(throws: SeriesError.empty) { try NewSample(.bloodPressure, of: []) }
    #expect(throws: SeriesError.partMissing("bloodPressureDiastolic")) {
      try NewSample(.bloodPressure, of: [try part(.bloodPressureSystolic, 120)])
    }
    let store = try HealthStore.open(folder.store, for: .writing)
    let systolic = try part(.bloodPressureSystolic, 120)
    let both = try NewSample(.bloodPressure, of: [systolic, try part(.bloodPressureDiastolic, 80)])
    try await store.save([systolic], as: program)
    await #expect { try await store.save([both], as: program) } throws: { ($0 as? StoreError)?.code == .invalid }
    #expect(try await SampleQuery().result(for: store).value.map(\.id) == [systolic.id])
  }

  @Test("it is deleted with its samples, and none of them is deleted without it")
  func deletion() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let saved = try bloodPressure(120, 80)
    try await store.save([saved], as: program)
    let parts = try await SampleQuery(.part(of: saved.id)).result(for: store).value.map(\.id)
    await #expect { try await store.delete([parts[0]], as: "test") } throws: {
      ($0 as? StoreError)?.code == .invalid && "\($0)".contains(saved.id.uuidString.lowercased())
    }
    #expect(try await SampleQuery().result(for: store).value.count == 3)
    try await store.delete([saved.id], as: "test")
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(Set(changes.deleted.map(\.id)) == Set(parts + [saved.id]) && changes.added.isEmpty)
    #expect(try Connection(folder.store, flags: SQLITE_OPEN_READONLY).integer("SELECT count(*) FROM associations") == 0)
    #expect(try await store.check() == [])
  }

  @Test("a predicate that matches its samples deletes none of them without it, and all of them with it")
  func deletionByPredicate() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save([try bloodPressure(120, 80)], as: program)
    #expect(try await store.delete(.type(.quantity(.bloodPressureSystolic)), as: "test") == 0)
    #expect(try await SampleQuery().result(for: store).value.count == 3)
    #expect(try await store.delete(.all, as: "test") == 1)
    #expect(try await SampleQuery().result(for: store).value.isEmpty)
    #expect(try await store.check() == [])
  }

  @Test("a later version replaces it with its samples")
  func versions() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let sync = { (version: Int64) in SyncIdentity(identifier: "morning", version: version) }
    try await store.save([try bloodPressure(120, 80, sync: sync(1))], as: program)
    #expect(try await store.save([try bloodPressure(125, 85, sync: sync(2))], as: program) == [.replaced])
    let values = try await QuantityQuery(.bloodPressureSystolic).result(for: store).value.map(\.value)
    #expect(values == [125])
    #expect(try await store.check() == [])
  }

  @Test("a part that is lost is damage")
  func damage() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save([try bloodPressure(120, 80)], as: program)
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("DELETE FROM associations WHERE position = 1")
    #expect(try await store.check().map(\.problem) == ["2 parts are said to be there, 1 are"])
  }

  @Test("parts that a damaged file names in a circle are deleted with their whole, each once")
  func circle() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let saved = try bloodPressure(120, 80)
    try await store.save([saved, try bloodPressure(130, 90)], as: program)
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(
      "UPDATE associations SET member = (SELECT max(owner) FROM associations) WHERE position = 1")
    #expect(try await !store.check().isEmpty)
    try await store.delete([saved.id], as: "test")
    let deleted = try await ChangeQuery(after: .start).result(for: store).value.deleted.map(\.id)
    #expect(deleted.count == 4 && Set(deleted).count == 4 && deleted.contains(saved.id))
  }

  @Test("a sample belongs to one whole at a time, and no correlation to another")
  func shared() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let one = SyncIdentity(identifier: "one", version: 1)
    let systolic = try NewSample(
      .bloodPressureSystolic, Quantity(120, .millimeterOfMercury), over: moment, sync: one)
    func whole(_ parts: [NewSample], sync: SyncIdentity? = nil) throws -> NewSample {
      try NewSample(CorrelationType(identifier: "pair", parts: []), of: parts, sync: sync)
    }
    func isRefused(_ sample: NewSample) async -> Bool {
      do throws(StoreError) {
        try await store.save(sample, as: program)
        return false
      } catch {
        return error.code == .invalid
      }
    }
    // The part has the identity of its own whole, and comes twice.
    #expect(await isRefused(try whole([systolic], sync: .init(identifier: "one", version: 2))))
    #expect(await isRefused(try whole([systolic, systolic])))
    for version in [1, 2] as [Int64] {
      let other = try part(.bodyMass, 1, sync: .init(identifier: "one", version: version))
      #expect(await isRefused(try whole([systolic, other])))
    }
    try await store.save(try whole([systolic]), as: program)
    #expect(await isRefused(try whole([systolic])))
    #expect(await isRefused(try whole([try part(.bodyMass, 1, sync: .init(identifier: "one", version: 2))])))
    #expect(try await SampleQuery().result(for: store).value.count == 2)
    #expect(try await store.check() == [])
    // It would take the place of a part.
    #expect(await isRefused(try whole([part(.bodyMass, 1)], sync: .init(identifier: "one", version: 2))))
    // The store knows the part as a correlation.
    let two = SyncIdentity(identifier: "two", version: 2)
    try await store.save(try whole([part(.bodyMass, 1)], sync: two), as: program)
    #expect(await isRefused(try whole([part(.bodyMass, 1, sync: .init(identifier: "two", version: 1))])))
    #expect(throws: SeriesError.correlationWithin) { try whole([whole([systolic])]) }
  }
}
