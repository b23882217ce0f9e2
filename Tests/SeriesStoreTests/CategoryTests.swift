import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Categories")
struct CategoryTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")

  private func span(_ start: Int64, _ end: Int64) throws -> TimeSpan {
    try #require(
      TimeSpan(start: Timestamp(microseconds: start * 1_000_000), end: Timestamp(microseconds: end * 1_000_000)))
  }

  @Test("a value of every type comes back, unknown values too, and predicates find values")
  func roundTrip() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let samples = [
      NewSample(
        .sleepAnalysis, .asleepREM, over: try span(0, 60), device: Device(name: "Ring"), metadata: ["night": 1]),
      NewSample(.sleepAnalysis, .awake, over: try span(60, 70)),
      NewSample(.highHeartRateEvent, .notApplicable, over: try span(5, 700)),
      NewSample(.environmentalAudioExposureEvent, .momentaryLimit, over: try span(6, 7)),
      NewSample(CategoryType(identifier: "mood"), CategoryValue(rawValue: -7), over: try span(8, 8)),
    ]
    try await store.save(samples, as: program)
    let found = try await SampleQuery(order: [.init(.change)]).result(for: store).value
    #expect(found.map(\.id) == samples.map(\.id) && found.map(\.category?.rawValue) == [5, 2, 0, 1, -7])
    #expect(found[0].type == .category(.sleepAnalysis) && found[0].metadata == ["night": 1] && found[0].count == 1)
    let asleep = SamplePredicate.and([.type(.category(.sleepAnalysis)), .value(CategoryValue.allAsleepValues)])
    #expect(try await SampleQuery(asleep).result(for: store).value.map(\.id) == [samples[0].id])
    #expect(try await SampleQuery(.value([.awake])).result(for: store).value.map(\.id) == [samples[1].id])
    #expect(try await SampleQuery(.value([])).result(for: store).value.isEmpty)
    #expect(try await store.check() == [])
  }

  @Test("a missing value is damage; a beat or a quantity has no category")
  func damage() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let sample = NewSample(.sleepAnalysis, .inBed, over: try span(0, 60))
    try await store.save([sample], as: program)
    await #expect { try await HeartbeatQuery(sample.id).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("UPDATE samples SET value = 3")
    #expect(try await store.check().count == 1)
  }

  @Test("a later version replaces an earlier one, and deletion leaves a tombstone with type and source")
  func versions() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    func version(_ version: Int64, _ value: CategoryValue) throws -> NewSample {
      NewSample(.sleepAnalysis, value, over: try span(0, 60), sync: .init(identifier: "night", version: version))
    }
    let second = try version(2, .asleepDeep)
    #expect(try await store.save([try version(1, .asleepCore)], as: program) == [.stored])
    #expect(try await store.save([second], as: program) == [.replaced])
    #expect(try await SampleQuery().result(for: store).value.map(\.category) == [.asleepDeep])
    try await store.delete([second.id], as: "test")
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.deleted.map(\.type) == [.category(.sleepAnalysis), .category(.sleepAnalysis)])
    #expect(changes.deleted.map(\.source) == ["test", "test"])
  }

  @Test("100,000 of them take at most 150 bytes each in the file")
  func size() async throws {
    let count: Int64 = 20_000
    let sizes = try await [0, count].asyncMap { count in
      let path = "\(folder.path)/\(count).sqlite"
      let store = try HealthStore.open(path, for: .writing)
      let samples = try (0..<count).map { index in
        NewSample(
          .sleepAnalysis, CategoryValue(rawValue: index % 6),
          over: try span(1_700_000_000 + index * 600, 1_700_000_000 + index * 600 + 599))
      }
      try await store.save(samples, as: program)
      await store.close()
      let connection = try Connection(path, flags: SQLITE_OPEN_READONLY)
      return try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
    }
    #expect(sizes[1] - sizes[0] <= 150 * count, "\(Double(sizes[1] - sizes[0]) / Double(count)) bytes each")
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
