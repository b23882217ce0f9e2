import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Audiograms in a store")
struct AudiogramStoreTests {
  private let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")
  private static let span = TimeSpan(at: Timestamp(microseconds: 1_790_000_000_000_000))
  private static let audiogram = Audiogram([
    AudiogramSensitivityPoint(hertz: 250, left: 34, right: 27),
    AudiogramSensitivityPoint(hertz: 125, left: 11, right: 31),
    AudiogramSensitivityPoint(hertz: 8_000, left: nil, right: -0.1),
  ])

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  private func sql(_ flags: Int32 = SQLITE_OPEN_READWRITE) throws -> Connection {
    try Connection(folder.store, flags: flags)
  }

  @Test("it comes back as it was, what was not measured too, and is a sample like all others")
  func roundTrip() async throws {
    let store = try open()
    let sample = try NewSample(
      Self.audiogram, over: Self.span, device: Device(name: "Audiometer"), metadata: ["room": "booth"])
    #expect(try await store.save([sample], as: program) == [.stored])
    #expect(try await AudiogramQuery(sample.id).result(for: store).value == Self.audiogram)
    let found = try #require(try await SampleQuery(.type(.audiogram)).result(for: store).value.first)
    #expect(found.id == sample.id && found.count == 3 && found.metadata == ["room": "booth"] && found.summary == nil)
    #expect(try await store.check() == [])
    try await store.delete([sample.id], as: program.identifier)
    #expect(try sql(SQLITE_OPEN_READONLY).integer("SELECT count(*) FROM audiogram_points") == 0)
    await #expect { try await AudiogramQuery(sample.id).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
    #expect(try await store.check() == [])
  }

  @Test("a later version replaces it, and another kind of that name is none")
  func versions() async throws {
    let store = try open()
    func version(_ number: Int64, _ left: Double) throws -> NewSample {
      let audiogram = Audiogram([AudiogramSensitivityPoint(hertz: 500, left: left, right: nil)])
      return try NewSample(audiogram, over: Self.span, sync: SyncIdentity(identifier: "ears", version: number))
    }
    try await store.save([try version(1, 10)], as: program)
    let second = try version(2, 15)
    try await store.save([second], as: program)
    #expect(try await SampleQuery(.type(.audiogram)).result(for: store).value.map(\.id) == [second.id])
    #expect(try await AudiogramQuery(second.id).result(for: store).value.sensitivityPoints[0].leftEarSensitivity == 15)
    let sleep = NewSample(.sleepAnalysis, .awake, over: Self.span)
    try await store.save([sleep], as: program)
    await #expect { try await AudiogramQuery(sleep.id).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
  }

  @Test("what breaks a rule is refused before anything is stored")
  func refused() {
    #expect(throws: AudiogramError.noPoints) { try NewSample(Audiogram([]), over: Self.span) }
    #expect(throws: SeriesError.invalidAudiogram(.noPoints)) {
      try NewSample(SampleDraft(Audiogram([]), over: Self.span))
    }
  }

  @Test(
    "damage is found, and never answered as an audiogram",
    arguments: [
      "DELETE FROM audiogram_points WHERE frequency = 250", "UPDATE audiogram_points SET left_ear = 1e9",
      "UPDATE audiogram_points SET frequency = -frequency", "UPDATE samples SET count = 2",
      "UPDATE audiogram_points SET left_ear = NULL, right_ear = NULL WHERE frequency = 125",
    ])
  func damage(statement: String) async throws {
    let store = try open()
    let sample = try NewSample(Self.audiogram, over: Self.span)
    try await store.save([sample], as: program)
    try sql().execute(statement)
    #expect(try await store.check().isEmpty == false)
    await #expect {
      try await AudiogramQuery(sample.id).result(for: store)
    } throws: {
      if case .corrupt = ($0 as? StoreError)?.code { true } else { false }
    }
  }

  @Test("a file of a program that knew no audiograms gets its table when it is opened to write, and is sound before")
  func earlierFile() async throws {
    await (try open()).close()
    try sql().execute("DROP TABLE audiogram_points; DELETE FROM content_tables WHERE name = 'audiogram_points'")
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.check() == [])
    #expect(try await SampleQuery(.type(.audiogram)).result(for: reader).value.isEmpty)
    let store = try open()
    let sample = try NewSample(Self.audiogram, over: Self.span)
    try await store.save([sample], as: program)
    #expect(try await AudiogramQuery(sample.id).result(for: reader).value == Self.audiogram)
    #expect(try await store.check() == [])
  }
}
