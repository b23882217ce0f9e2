import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Clinical records in a store")
struct ClinicalRecordStoreTests {
  private let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "clinic", name: "Clinic")
  private static let moment = Timestamp(microseconds: 1_790_000_000_000_000)
  private static let record = ClinicalRecord(
    .labResultRecord, displayName: "Sodium",
    FHIRResource(
      resourceType: "Observation", identifier: "na-1", fhirVersion: "4.0.1", sourceURL: "https://clinic.example",
      data: Array(#"{"resourceType":"Observation","note":"unmistakable"}"#.utf8)))

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  private func sql(_ flags: Int32 = SQLITE_OPEN_READWRITE) throws -> Connection {
    try Connection(folder.store, flags: flags)
  }

  @Test("records come back byte for byte, and are samples like all others")
  func roundTrip() async throws {
    let store = try open()
    var bare = ClinicalRecord(.allergyRecord, displayName: "♥", FHIRResource(resourceType: "x", data: [0, 255, 10]))
    bare.resource.data += [UInt8](repeating: 7, count: FHIRResource.mostBytes - 3)
    for record in [Self.record, bare] {
      let sample = try NewSample(record, at: Self.moment, metadata: ["room": 7])
      #expect(try await store.save([sample], as: program) == [.stored])
      #expect(try await ClinicalRecordQuery(sample.id).result(for: store).value == record)
      let found = try await SampleQuery(.type(.clinical(record.type))).result(for: store).value
      #expect(found.map(\.id) == [sample.id] && found.first?.metadata == ["room": 7] && found.first?.value == nil)
      #expect(try await store.clinicalRecordNames(of: [sample.id, UUID()]) == [sample.id: record.displayName])
      #expect(try await store.check() == [])
    }
  }

  @Test("a deleted record leaves no byte in any file")
  func deletion() async throws {
    let store = try open()
    let sample = try NewSample(Self.record, at: Self.moment)
    try await store.save([sample], as: program)
    try await store.delete([sample.id], as: program.identifier)
    await #expect { try await ClinicalRecordQuery(sample.id).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
    #expect(try await store.check() == [])
    await store.close()
    for name in folder.names {
      let bytes = folder.bytes(of: name)
      #expect(bytes.firstRange(of: Array("unmistakable".utf8)) == nil, "\(name)")
      #expect(bytes.firstRange(of: Array("Sodium".utf8)) == nil, "\(name)")
    }
  }

  @Test("what cannot be stored is refused before anything is")
  func refused() {
    func refusal(_ change: (inout ClinicalRecord) -> Void) -> ClinicalRecordError? {
      var record = Self.record
      change(&record)
      do throws(ClinicalRecordError) {
        _ = try NewSample(record, at: Self.moment)
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal { $0.displayName = "" } == .noName && refusal { $0.resource.resourceType = "" } == .noName)
    #expect(refusal { $0.resource.sourceURL = String(repeating: "x", count: 1_001) } == .textTooLong)
    #expect(refusal { $0.resource.data = [] } == .empty)
    #expect(refusal { $0.resource.data = [UInt8](repeating: 0, count: FHIRResource.mostBytes + 1) } == .tooLarge)
  }

  @Test(
    "damage is found, and never answered as a record",
    arguments: [
      "DELETE FROM clinical_records", "UPDATE clinical_records SET data = x'7B7D'",
      "UPDATE clinical_records SET name = ''", "UPDATE clinical_records SET data = x''",
      "UPDATE samples SET count = 2", "UPDATE samples SET value = 1",
    ])
  func damage(statement: String) async throws {
    let store = try open()
    let sample = try NewSample(Self.record, at: Self.moment)
    try await store.save([sample], as: program)
    try sql().execute(statement)
    #expect(try await store.check().isEmpty == false)
    await #expect {
      try await ClinicalRecordQuery(sample.id).result(for: store)
    } throws: {
      if case .corrupt = ($0 as? StoreError)?.code { true } else { false }
    }
  }

  @Test("a file of a program that knew none gets its table when it is opened to write, and is sound before")
  func earlierFile() async throws {
    await (try open()).close()
    try sql().execute("DROP TABLE clinical_records; DELETE FROM content_tables WHERE name = 'clinical_records'")
    let reader = try HealthStore.open(folder.store, for: .reading)
    let found = try await reader.check()
    #expect(found.isEmpty, "\(found)")
    #expect(try await reader.clinicalRecordNames(of: [UUID()]) == [:])
    let store = try open()
    let sample = try NewSample(Self.record, at: Self.moment)
    try await store.save([sample], as: program)
    #expect(try await ClinicalRecordQuery(sample.id).result(for: reader).value == Self.record)
    #expect(try await store.check() == [])
  }
}
