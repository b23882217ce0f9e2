import Documents
import Foundation
import HealthModel
import Ingestion
import RecordingSamples
import Reports
import SeriesStore
import Support
import TestSupport
import Testing

@testable import sensord

@Suite("Dates of a clock that was not set")
struct ClockNotSetTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }

  @Test("they are marked wherever a session is listed, until a person says when it was")
  func marked() async throws {
    let recorded = try SampleSession.recorded()
    let store = try HealthStore.open(folder.store, for: .writing)
    let clock = RecordedClock(boot: UUID(), lead: 7, belief: .notSynchronised, isDoubtful: true)
    _ = try await store.commit(recorded, clock: clock)
    await store.close()
    let name = String(recorded.id.uuidString.lowercased().prefix(8))
    let listed = try sensord.run("sessions", "--store", folder.store)
    #expect(listed.output.contains("2026-11-21 02:08?"), "\(listed.output)")
    #expect(listed.output.hasSuffix("\n" + ClockText.note))
    #expect(listed.output.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
    #expect(try sensord.run("sessions", "--json", "--store", folder.store).output.contains(#","clockNotSet":true}"#))
    let shown = try sensord.run("show", name, "--store", folder.store)
    #expect(shown.output.contains("\nClock     not set, so the dates may be wrong: sensord sessions date \(name)"))
    #expect(try sensord.run("show", name, "--json", "--store", folder.store).output.contains(#""clockNotSet":true"#))

    let dated = try sensord.run("sessions", "date", name, "--start", "2025-01-02T03:04:05Z", "--store", folder.store)
    #expect(dated.output == "Session \(name) begins 2025-01-02 03:04:05 +0000.\n", "\(dated.errors)")
    let after = try sensord.run("sessions", "--store", folder.store).output
    #expect(after.contains("2025-01-02 03:04 ") && !after.contains("?"), "\(after)")
    let again = try sensord.run(
      "sessions", "date", name, "--start", "2025-01-02T04:04:05Z", "--json", "--store", folder.store)
    let whole = recorded.id.uuidString.lowercased()
    #expect(again.output == #"{"sessions":["\#(whole)"],"workouts":[],"staying":[],"movedSeconds":3600}"# + "\n")
  }

  @Test("a time that is none, and a session that is not there, change nothing")
  func refused() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(SampleSession.recorded())
    await store.close()
    for arguments in [["3f2a91bc", "--start", "yesterday"], ["ffffffff", "--start", "2025-01-02"]] {
      let outcome = try sensord.run(["sessions", "date"] + arguments + ["--store", folder.store])
      #expect(outcome.status != 0 && outcome.errorLines.count >= 1 && outcome.output.isEmpty)
    }
    #expect(try sensord.run("sessions", "--store", folder.store).output.contains("2026-11-21 02:08 "))
  }

  @Test("status and doctor count them, and doctor says what is known of the clock")
  func counted() {
    var document = SampleStatus.document()
    #expect(!StatusReport.text(document, now: document.updated, columns: 80).contains("clock"))
    document.status.doubtful = 2
    let line = "2 recordings have dates of a clock that was not set; 'sensord sessions' marks them"
    #expect(StatusReport.text(document, now: document.updated, columns: 80).contains("\n\(line)\n"))
    #expect(StatusDocument(reading: document.json.bytes)?.status.doubtful == 2)
    #expect(ClockCheckup.finding(.synchronised, doubtful: 0).text == "✓ clock           synchronised\n")
    #expect(ClockCheckup.finding(.synchronised, doubtful: 2).text == "- clock           synchronised; \(line)\n")
    #expect(ClockCheckup.finding(.notSynchronised, doubtful: 0).text.contains("timedatectl"))
    let finding = ClockCheckup.finding(.notKnown, doubtful: 0)
    #expect(finding.text.contains("nobody says") && Finding.status([finding]) == .success)
  }
}
