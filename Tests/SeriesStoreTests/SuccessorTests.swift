import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("A sensor with another address")
struct SuccessorTests {
  private let folder = TemporaryFolder()
  private let first = "C0:FF:EE:00:00:01"
  private let second = "C0:FF:EE:00:00:02"
  private let third = "C0:FF:EE:00:00:03"

  /// A store with a session of each of these devices, and the first on the list.
  private func store(sessionsOf devices: [String]) async throws -> HealthStore {
    let store = try HealthStore.open(folder.store, for: .writing)
    for (index, device) in devices.enumerated() {
      let start = Timestamp(microseconds: Int64(index) * 1_000_000)
      var session = RecordedSession(
        id: UUID(), syncVersion: 1, device: Device(name: "Strap", localIdentifier: device),
        source: SourceRevision(identifier: "sensord", name: "sensord"), start: start, end: start, endReason: "request")
      session.rates = [HeartRateValue(time: start, beatsPerMinute: 60)]
      _ = try await store.commit(session)
    }
    try await store.allow(AllowedSensor(address: first, name: "Strap", added: Timestamp(microseconds: 5)))
    return store
  }

  /// The devices of the rates that a query for this device finds.
  private func found(_ device: String, in store: HealthStore, isNot: Bool = false) async throws -> [String?] {
    let predicate = SamplePredicate.device(device)
    return try await SampleQuery(.and([.type(.quantity(.heartRate)), isNot ? .not(predicate) : predicate]))
      .result(for: store).value.map { $0.device?.localIdentifier }
  }

  @Test("its name and place go to the new address, which finds what was recorded under the old one as well")
  func replace() async throws {
    let store = try await store(sessionsOf: [first, second, third])
    let sensor = try await store.replaceSensor(first, by: second)
    #expect(sensor == AllowedSensor(address: second, name: "Strap", added: Timestamp(microseconds: 5)))
    #expect(try await store.allowedSensors() == [sensor])
    #expect(try await found(second, in: store) == [first, second], "the samples are not changed")
    #expect(try await found(second, in: store, isNot: true) == [third])
    #expect(try await found(first, in: store) == [first])
    let changes = try await ChangeQuery(after: .start, predicate: .device(second)).result(for: store).value
    #expect(Set(changes.added.map { $0.device?.localIdentifier }) == [first, second])
    #expect(try await store.alterations().isEmpty)
    await store.close()
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await found(second, in: reader) == [first, second])
    await reader.close()
  }

  @Test("a second change leads from all former addresses to the present one, and back again where it is undone")
  func chain() async throws {
    let store = try await store(sessionsOf: [first, second, third])
    try await store.replaceSensor(first, by: second)
    try await store.replaceSensor(second, by: third)
    #expect(try await found(third, in: store) == [first, second, third])
    #expect(try await found(second, in: store) == [second])
    try await store.replaceSensor(third, by: first)
    #expect(try await found(first, in: store) == [first, second, third])
    #expect(try await found(third, in: store) == [third])
    #expect(try await store.allowedSensors().map(\.address) == [first])
    await store.close()
  }

  @Test("a sensor that was added under its new address already gets the history of one that is on the list no more")
  func addedBefore() async throws {
    let store = try await store(sessionsOf: [second])
    await #expect(throws: StoreError.self, "nothing is known of it") { try await store.replaceSensor(third, by: first) }
    await #expect(throws: StoreError.self) { try await store.replaceSensor(first, by: first.lowercased()) }
    try await store.replaceSensor(second, by: first)
    #expect(try await store.allowedSensors().map(\.name) == ["Strap"])
    #expect(try await found(first, in: store) == [second])
    await store.close()
  }

  @Test("a former address is forgotten with the last that was recorded under it")
  func forgotten() async throws {
    let store = try await store(sessionsOf: [first])
    try await store.replaceSensor(first, by: second)
    let session = try #require(try await store.sessions().first)
    try await store.delete(session.id)
    await store.close()
    let connection = try Connection(folder.store, flags: 1)
    #expect(try connection.integer("SELECT count(*) FROM successors") == 0)
  }

  @Test("a store from before there were successors is read as it is, and has them when it is written")
  func olderFile() async throws {
    let store = try await store(sessionsOf: [first])
    await store.close()
    do { try Connection.undefended(folder.store).execute("DROP TABLE successors") }
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await found(first, in: reader) == [first])
    await reader.close()
    let writer = try HealthStore.open(folder.store, for: .writing)
    try await writer.replaceSensor(first, by: second)
    #expect(try await found(second, in: writer) == [first])
    await writer.close()
  }
}
