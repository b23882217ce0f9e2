import CSQLite
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Quantity types of a program's own")
struct OwnTypeTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")

  private func mood() throws -> QuantityType {
    try QuantityType("org.example.mood", unit: .count, style: .discreteArithmetic)
  }

  private func sample(_ type: QuantityType, _ values: [Double] = [3, 5]) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: type, start: Timestamp(microseconds: 0))
    for (second, value) in values.enumerated() {
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      try builder.insert(value, from: time, to: time)
    }
    return try builder.finish()
  }

  @Test("a registered type is saved, found, read and averaged")
  func registered() async throws {
    let store = try HealthStore.open(folder.store, for: .writing, types: QuantityTypeRegistry([mood()]))
    try await store.save([try sample(mood())], as: program)
    let found = try #require(try await SampleQuery(.type(.quantity(mood()))).result(for: store).value.first)
    #expect(found.type == .quantity(try mood()) && found.summary?.average == 4)
    #expect(try await QuantityQuery(mood()).result(for: store).value.map(\.value) == [3, 5])
    let statistics = try await StatisticsCollectionQuery(mood(), buckets: .single).result(for: store).value
    #expect(statistics.first?.average == 4)
    #expect(try await store.quantityTypes() == [mood()])
    #expect(try await store.check() == [])
  }

  @Test("a program that does not know the type reads it as the file describes it")
  func elsewhere() async throws {
    let store = try HealthStore.open(folder.store, for: .writing, types: QuantityTypeRegistry([mood()]))
    try await store.save([try sample(mood())], as: program)
    await store.close()
    let other = try HealthStore.open(folder.store, for: .reading)
    #expect(try await SampleQuery().result(for: other).value.map(\.type) == [.quantity(mood())])
  }

  @Test("a type of a later program is shown, counted and deleted, and its values have an unknown unit")
  func opaque() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let saved = try sample(.bodyMass)
    try await store.save([saved, try sample(.heartRate)], as: program)
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
      .execute("UPDATE types SET identifier = 'aura', unit = 'quux', style = 'median' WHERE identifier = 'bodyMass'")
    let samples = try await SampleQuery().result(for: store).value
    let found = try #require(samples.first { $0.id == saved.id })
    #expect(samples.count == 2 && found.type.identifier == "aura" && found.count == 2)
    let aura = try #require(found.type.quantityType)
    #expect(!aura.isKnown && aura.unit.symbol == "quux")
    #expect(try await ChangeQuery(after: .start).result(for: store).value.added.count == 2)
    #expect(try await QuantityQuery(aura).result(for: store).value.map(\.value) == [3, 5])
    let statistics = try await StatisticsCollectionQuery(aura, buckets: .single).result(for: store).value
    #expect(statistics.first?.count == 2 && statistics.first?.average == nil)
    #expect(throws: SeriesError.unknownType("aura")) { try sample(aura) }
    #expect(try await store.check().map(\.object) == ["row 1 of types"], "which was changed behind the store's back")
    try await store.delete([saved.id], as: "test")
    #expect(try await SampleQuery().result(for: store).value.count == 1)
  }

  @Test("one identifier is stored in one unit")
  func conflict() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save([try sample(mood())], as: program)
    let percent = try QuantityType("org.example.mood", unit: .percent, style: .discreteArithmetic)
    let mass = try QuantityType("bodyMass", unit: .meter, style: .cumulative)
    for type in [percent, mass] {
      await #expect { try await store.save([try sample(type)], as: program) } throws: {
        ($0 as? StoreError)?.code == .invalid
      }
    }
    await #expect { try await QuantityQuery(percent).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .invalid
    }
    await #expect { try await StatisticsCollectionQuery(percent, buckets: .single).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .invalid
    }
    #expect(try await SampleQuery().result(for: store).value.count == 1)
  }
}
