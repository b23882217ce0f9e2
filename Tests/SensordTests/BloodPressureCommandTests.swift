import Foundation
import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

/// Blood pressure on the command line, with the built program.
@Suite("Blood pressure on the command line")
struct BloodPressureCommandTests {
  private let folder = TemporaryFolder()
  private static let id = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  /// 2026-11-21T12:00:00Z
  private static let noon = Timestamp(microseconds: 1_795_262_400_000_000)

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try BuiltProgram(in: folder).run(["health"] + arguments + ["--store", folder.store])
  }

  private func save(_ systolic: Double, _ diastolic: Double, at moment: Timestamp, id: UUID = UUID()) async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    let span = TimeSpan(at: moment)
    let sample = try NewSample(
      .bloodPressure,
      of: [
        try NewSample(.bloodPressureSystolic, Quantity(systolic, .millimeterOfMercury), over: span),
        try NewSample(.bloodPressureDiastolic, Quantity(diastolic, .millimeterOfMercury), over: span),
      ], id: id)
    _ = try await writer.save([sample], as: SourceRevision(identifier: "org.example.Cuff", name: "Cuff"))
    await writer.close()
  }

  @Test("measurements are a table of 80 columns and an array, between two times where they are given")
  func list() async throws {
    try await save(118.4, 79.5, at: Self.noon, id: Self.id)
    try await save(124, 81, at: Self.noon.advanced(byMicroseconds: 86_400_000_000))
    #expect(
      try run("blood-pressure").output.hasPrefix(
        """
        Measured          Systolic  Diastolic  Source
        2026-11-21 12:00       118         80  org.example.Cuff
        2026-11-22 12:00       124         81  org.example.Cuff

        """))
    #expect(
      try run("blood-pressure", "--json", "--to", "2026-11-22").output
        == "[\n" + #"{"id":"3f2a91bc-0000-4000-8000-000000000001","start":"2026-11-21T12:00:00.000Z","systolic":118.4,"#
        + #""diastolic":79.5,"source":"org.example.Cuff"}"# + "\n]\n")
    let later = try run("blood-pressure", "--from", "2026-11-22").output
    #expect(later.contains("2026-11-22 12:00") && !later.contains("2026-11-21") && !later.contains("Last seven"))
  }

  @Test("the mean is that of the last seven days")
  func mean() async throws {
    let now = Timestamp(microseconds: LocalTime.now())
    try await save(150, 100, at: now.advanced(byMicroseconds: -8 * 86_400_000_000))
    #expect(!(try run("blood-pressure").output.contains("Last")))
    try await save(120, 80, at: now.advanced(byMicroseconds: -3_600_000_000))
    #expect(try run("blood-pressure").output.hasSuffix("\nLast seven days: 120/80 mmHg, the mean of 1 measurement\n"))
    try await save(125, 83, at: now.advanced(byMicroseconds: -7_200_000_000))
    #expect(try run("blood-pressure").output.hasSuffix("\nLast seven days: 123/82 mmHg, the mean of 2 measurements\n"))
  }

  @Test("where there is none it is said, and what is no time is refused")
  func failures() async throws {
    let nothing = try BuiltProgram(in: folder).run("health", "blood-pressure")
    #expect(nothing.status == 0 && nothing.errors.hasPrefix("There is no blood pressure."))
    #expect(try run("blood-pressure", "--from", "2026-11-22", "--to", "2026-11-21").status == ExitStatus.usage.rawValue)
    #expect(try run("blood-pressure", "--from", "yesterday").status == ExitStatus.usage.rawValue)
  }
}
