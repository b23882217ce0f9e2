import Documents
import Foundation
import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

/// Prescriptions on the command line, with the built program.
@Suite("Prescriptions on the command line")
struct PrescriptionsCommandTests {
  private let folder = TemporaryFolder()
  private static let first = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  private static let second = UUID(uuidString: "3F2A0000-0000-4000-8000-000000000002")!

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try BuiltProgram(in: folder).run(arguments + ["--store", folder.store])
  }

  /// Glasses with everything, issued 2026-11-21T12:00:00Z for two days, and contacts an hour later.
  private func save() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    let moment = Timestamp(microseconds: 1_795_262_400_000_000)
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(
        rightEye: GlassesLensSpecification(
          sphere: -1.25, cylinder: 0.5, axis: 90, addPower: 2, vertexDistance: 12,
          prism: .based(verticalAmount: 1.5, verticalBase: .up, horizontalAmount: 2, horizontalBase: .in),
          farPupillaryDistance: 31, nearPupillaryDistance: 29.5),
        leftEye: GlassesLensSpecification(sphere: 0, prism: .angled(amount: 2, angle: 45))))
    let contacts = VisionPrescription.contacts(
      ContactsPrescription(
        rightEye: ContactsLensSpecification(sphere: -3, baseCurve: 8.6, diameter: 14.2), leftEye: nil,
        brand: "Clear\u{1B}[31m"))
    let program = SourceRevision(identifier: "org.example.Optician", name: "Optician")
    _ = try await writer.save(
      [
        try NewSample(
          glasses, issued: moment, expires: moment.advanced(byMicroseconds: 2 * 86_400_000_000), id: Self.first,
          metadata: [VisionPrescription.glassesDescriptionKey: "Reading glasses"]),
        try NewSample(contacts, issued: moment.advanced(byMicroseconds: 3_600_000_000), id: Self.second),
      ], as: program)
    await writer.close()
  }

  @Test("prescriptions are a table of 80 columns, and an array")
  func list() async throws {
    try await save()
    let output = try run("health", "prescriptions").output
    #expect(
      output == """
        Name      Issued      Expires     For       Description      Source
        3f2a91bc  2026-11-21  2026-11-23  glasses   Reading glasses  org.example.Optician
        3f2a0000  2026-11-21  –           contacts  –                org.example.Optician

        """)
    let json = try run("health", "prescriptions", "--json").output
    #expect(
      json.hasSuffix(
        #"{"id":"3f2a0000-0000-4000-8000-000000000002","issued":"2026-11-21T13:00:00.000Z","expires":null,"#
          + #""source":"org.example.Optician","lenses":[{"prescription":2,"eye":2,"sphere":-3,"baseCurve":8.6,"#
          + #""diameter":14.2,"brand":"Clear\u001b[31m"}]}]"# + "\n"), "\(json)")
    #expect(json.contains(#""description":"Reading glasses","lenses":[{"prescription":1,"eye":2,"sphere":-1.25,"#))
  }

  @Test("one is written as opticians do, in 80 columns, and no text of a program reaches the terminal as it came")
  func one() async throws {
    try await save()
    let output = try run("health", "prescriptions", "3f2a9").output
    #expect(
      output == """
        Prescription 3f2a91bc for glasses, 2026-11-21 to 2026-11-23
        Reading glasses

             Sph    Cyl  Axis    Add        Prism  VD  PD far  PD near
        R  −1.25  +0.50   90°  +2.00  1.5 up 2 in  12      31     29.5
        L  +0.00      –     –      –      2 @ 45°   –       –        –

        """)
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let last = try run("health", "prescriptions", "last").output
    #expect(last.contains("R  −3.00  8.6  14.2\n") && !last.contains("\u{1B}"), "\(last)")
  }

  @Test("what is not there or is not clear is told with its exit code")
  func failures() async throws {
    let nothing = try BuiltProgram(in: folder).run("health", "prescriptions")
    #expect(nothing.status == 0 && nothing.errors.hasPrefix("There are no prescriptions."))
    try await save()
    let missing = try run("health", "prescriptions", "beef")
    #expect(missing.status == ExitStatus.noInput.rawValue)
    #expect(missing.errors == "sensord: there is no prescription beef; 'sensord health prescriptions' lists them\n")
    for unclear in ["3f2a", ""] {
      let several = try run("health", "prescriptions", unclear)
      #expect(several.status == ExitStatus.usage.rawValue)
      #expect(several.errors == "sensord: several prescriptions begin with '\(unclear)'; give more digits\n")
    }
  }

  @Test("the owner allows single ones by their names, or none where a name fits nothing")
  func allowed() async throws {
    try await save()
    func allow(_ names: String) throws -> BuiltProgram.Outcome {
      try run("grants", "allow", "org.example.Glasses@1000", "--prescription", names)
    }
    #expect(try allow("3f2a9,beef").status == ExitStatus.noInput.rawValue)
    #expect(try allow("3f2a9,").status == ExitStatus.usage.rawValue)
    let allowed = try allow("3f2a9")
    #expect(allowed.output == "org.example.Glasses@1000 may read visionPrescription 3f2a91bc.\n", "\(allowed)")
    let listed = try run("grants", "list", "--json").output
    #expect(listed.split(separator: "\n").count == 3, "\(listed)")
    #expect(
      listed.contains(#""decision":"allowed""#) && listed.contains(#""object":"3f2a91bc-0000-4000-8000-000000000001""#))
    #expect(try run("grants", "deny", "org.example.Glasses@1000", "--prescription", "3f2a9").status == 0)
    #expect(try !run("grants", "list", "--json").output.contains(#""decision":"allowed""#))
  }
}
