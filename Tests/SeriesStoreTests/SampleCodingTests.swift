import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("Samples as text")
struct SampleCodingTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test", version: "1")
  private let start = Timestamp(microseconds: 1_500_000)

  private func roundTrip<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
  }

  /// A store with a series, a night's stage and a blood pressure, the second of which was deleted.
  private func store() async throws -> HealthStore {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start, device: Device(name: "Strap"))
    try builder.insert(64, from: start, to: start)
    try builder.insert(66, from: start.advanced(by: .seconds(2)), to: start.advanced(by: .seconds(2)))
    let night = NewSample(.sleepAnalysis, .asleepREM, over: TimeSpan(at: start), metadata: ["night": 1])
    let pressure = try NewSample(
      .bloodPressure,
      of: [
        NewSample(.bloodPressureSystolic, Quantity(120, .millimeterOfMercury), over: TimeSpan(at: start)),
        NewSample(.bloodPressureDiastolic, Quantity(80, .millimeterOfMercury), over: TimeSpan(at: start)),
      ])
    let rates = try builder.finish(sync: .init(identifier: "class", version: 2))
    try await store.save([rates, night, pressure], as: program)
    try await store.delete([night.id], as: "test")
    try await store.save(night, as: program)
    return store
  }

  @Test("samples of every kind, their values, changes and anchors are decoded as they were encoded")
  func roundTrips() async throws {
    let store = try await store()
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.added.count == 5)
    #expect(try roundTrip(changes) && roundTrip(ChangeAnchor.start))
    #expect(try roundTrip(await QuantityQuery(.heartRate).result(for: store).value))
    #expect(try roundTrip(SyncIdentity(identifier: "class", version: 2)))
    #expect(try roundTrip(CommitOutcome.allCases) && roundTrip(StoreDamage(object: "a", problem: "b")))
    let descent = SampleType(identifier: "skiDescent", kind: SampleKind(rawValue: "descent"))
    #expect(try roundTrip([descent, .heartbeatSeries, .category(.sleepAnalysis), .quantity(.heartRate)]))
    let own = try QuantityType("org.example.mood", unit: .count, style: .discreteArithmetic)
    #expect(try roundTrip([SampleType.quantity(own)]))
  }

  @Test("impossible values are refused by the decoder, not repaired")
  func refusals() {
    func refuses<Value: Decodable>(_ type: Value.Type, _ text: String) -> Bool {
      (try? JSONDecoder().decode(type, from: Data(text.utf8))) == nil
    }
    #expect(refuses(ChangeAnchor.self, #""7""#) && refuses(CommitOutcome.self, #""lost""#))
    let columns = { (owners: String, starts: String) in
      #"{"samples": ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"], "owners": \#(owners), "quantities": {"starts": \#(starts), "ends": [], "values": [1]}}"#
    }
    #expect(!refuses(QuantityList.self, columns("[0]", "[5]")))
    #expect(refuses(QuantityList.self, columns("[1]", "[5]")) && refuses(QuantityList.self, columns("[-1]", "[5]")))
    #expect(refuses(QuantityList.self, columns("[0]", "[5, 6]")) && refuses(QuantityList.self, columns("[]", "[]")))
  }

  @Test("descriptions of samples, values and changes are one line")
  func descriptions() async throws {
    let store = try await store()
    let samples = try await SampleQuery(order: [.init(.change)]).result(for: store).value
    let time = "1970-01-01T00:00:01.500000Z"
    #expect("\(samples[0])" == "heartRate \(time)/1970-01-01T00:00:03.500000Z, 2 values, from test 1")
    #expect(samples[0].summary.map { "\($0)" } == "average 65.0, minimum 64.0, maximum 66.0, most recent 66.0")
    #expect("\(samples[4])" == "sleepAnalysis \(time), value 5, from test 1")
    let values = try await QuantityQuery(.heartRate).result(for: store).value
    #expect("\(values)" == "2 quantities of 1 sample" && "\(values[0])" == "64.0 at \(time)")
    try await store.delete([samples[4].id], as: "test")
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect("\(changes)" == "4 added, 2 deleted")
    #expect("\(changes.deleted[0])".hasPrefix("sleepAnalysis \(samples[4].id.uuidString.lowercased()), deleted 20"))
    #expect("\(NewSample(.sleepAnalysis, .awake, over: TimeSpan(at: start)))" == "sleepAnalysis \(time)")
    #expect("\(SyncIdentity(identifier: "class", version: 2))" == "class, version 2")
    #expect("\(SampleKind.category)" == "category")
  }
}
