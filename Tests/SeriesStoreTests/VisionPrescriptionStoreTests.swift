import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Prescriptions in a store")
struct VisionPrescriptionStoreTests {
  private let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")
  private static let issued = Timestamp(microseconds: 1_790_000_000_000_000)
  private static let all: [VisionPrescription] = [
    .glasses(
      GlassesPrescription(
        rightEye: GlassesLensSpecification(
          sphere: -1.25, cylinder: 0.5, axis: 90, addPower: 2, vertexDistance: 12,
          prism: .based(verticalAmount: 1.5, verticalBase: .up, horizontalAmount: 0, horizontalBase: .none),
          farPupillaryDistance: 31, nearPupillaryDistance: 29.5),
        leftEye: GlassesLensSpecification(sphere: 0, prism: .angled(amount: 2, angle: 45)))),
    .glasses(GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1))),
    .contacts(
      ContactsPrescription(
        rightEye: ContactsLensSpecification(sphere: -3, baseCurve: 8.6, diameter: 14.2),
        leftEye: ContactsLensSpecification(sphere: 3, cylinder: -0.75, axis: 0, addPower: 1), brand: "Clear\n")),
    .contacts(ContactsPrescription(rightEye: ContactsLensSpecification(sphere: 0.1), leftEye: nil)),
  ]

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  private func sql(_ flags: Int32 = SQLITE_OPEN_READWRITE) throws -> Connection {
    try Connection(folder.store, flags: flags)
  }

  @Test("all come back as they were, what was not prescribed absent, and are samples like all others")
  func roundTrip() async throws {
    let store = try open()
    let expires = Self.issued.advanced(byMicroseconds: 1_000_000)
    for prescription in Self.all {
      let sample = try NewSample(
        prescription, issued: Self.issued, expires: expires,
        metadata: [VisionPrescription.glassesDescriptionKey: "reading"])
      #expect(try await store.save([sample], as: program) == [.stored])
      #expect(try await VisionPrescriptionQuery(sample.id).result(for: store).value == prescription)
      let found = try #require(try await SampleQuery(.type(.visionPrescription)).result(for: store).value.first)
      #expect(found.id == sample.id && found.prescriptionType == prescription.type && found.end == expires)
      #expect(found.metadata == ["glassesPrescriptionDescription": "reading"])
      #expect(try await store.check() == [])
      try await store.delete([sample.id], as: program.identifier)
      #expect(try sql(SQLITE_OPEN_READONLY).integer("SELECT count(*) FROM prescription_lenses") == 0)
      await #expect { try await VisionPrescriptionQuery(sample.id).result(for: store) } throws: {
        ($0 as? StoreError)?.code == .notFound
      }
    }
    #expect(try await store.check() == [])
  }

  @Test("what breaks a rule is refused before anything is stored")
  func refused() {
    let none = VisionPrescription.glasses(GlassesPrescription(rightEye: nil, leftEye: nil))
    #expect(throws: VisionPrescriptionError.noLens) { try NewSample(none, issued: Self.issued) }
    #expect(throws: SeriesError.invalidPrescription(.noLens)) {
      try NewSample(SampleDraft(none, issued: Self.issued))
    }
  }

  @Test(
    "damage is found, and never answered as a prescription",
    arguments: [
      "DELETE FROM prescription_lenses WHERE eye = 1", "UPDATE prescription_lenses SET sphere = 41",
      "UPDATE prescription_lenses SET eye = 3 WHERE eye = 1", "UPDATE samples SET value = 3",
      "UPDATE samples SET value = 2", "UPDATE prescription_lenses SET sphere = NULL WHERE eye = 1",
      "UPDATE prescription_lenses SET brand = 'x' WHERE eye = 1",
      "UPDATE prescription_lenses SET prism_angle = NULL", "UPDATE samples SET count = 1",
    ])
  func damage(statement: String) async throws {
    let store = try open()
    let sample = try NewSample(Self.all[0], issued: Self.issued)
    try await store.save([sample], as: program)
    try sql().execute(statement)
    #expect(try await store.check().isEmpty == false)
    await #expect {
      try await VisionPrescriptionQuery(sample.id).result(for: store)
    } throws: {
      if case .corrupt = ($0 as? StoreError)?.code { true } else { false }
    }
  }

  @Test("a file of a program that knew none gets its table when it is opened to write, and is sound before")
  func earlierFile() async throws {
    await (try open()).close()
    try sql().execute("DROP TABLE prescription_lenses; DELETE FROM content_tables WHERE name = 'prescription_lenses'")
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.check() == [])
    #expect(try await SampleQuery(.type(.visionPrescription)).result(for: reader).value.isEmpty)
    let store = try open()
    let sample = try NewSample(Self.all[0], issued: Self.issued)
    try await store.save([sample], as: program)
    #expect(try await VisionPrescriptionQuery(sample.id).result(for: reader).value == Self.all[0])
    #expect(try await store.check() == [])
  }
}
