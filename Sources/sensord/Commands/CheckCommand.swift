internal import ArgumentParser
internal import Captures
internal import Documents
internal import Reports
internal import SeriesStore
import Support
internal import Synchronization

/// `sensord check`: reads everything that is stored, and names what is damaged.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Read what is stored and name what is damaged.",
    discussion: """
      Unpacks every value of the store, compares it with its summaries and every row
      with its checksum, and reads the journal and the kept captures. Changes
      nothing. What is not named is sound, but for what the last line says was
      not looked at.
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the findings as JSON.")
  var json = false

  mutating func run() throws {
    let location = try store.location()
    guard let reader = try store.openToRead() else {
      return try report(StoreFindings(), samples: 0, captures: 0)
    }
    defer { Progress.clear() }
    var (findings, samples) = try CommandLoop.run {
      let samples = Mutex(0)
      let findings = try await reader.examine { done, total in
        if done % 16 == 0 { Progress.show("checking sample \(done) of \(total)") }
        samples.withLock { $0 = total }
      }
      return (findings, samples.withLock { $0 })
    }
    Progress.show("checking the journal")
    findings.damages += try Self.journalDamages(location.journal) + location.setAside()
    let kept = try CaptureArchive(directory: location.captures, maximumAgeSeconds: nil, maximumBytes: nil).files()
    for (index, capture) in kept.enumerated() {
      Progress.show("checking capture \(index + 1) of \(kept.count)")
      findings.damages += Self.damages(ofCapture: capture.path)
    }
    Progress.clear()
    try report(findings, samples: samples, captures: kept.count)
    guard findings.damages.isEmpty else { throw EarlierReport(status: .badData) }
  }

  private func report(_ findings: StoreFindings, samples: Int, captures: Int) throws {
    let damages = findings.damages
    if json {
      let places = damages.map { ["object": .string($0.object), "problem": .string($0.problem)] as JSONValue }
      let report: JSONValue = [
        "sound": .bool(damages.isEmpty), "samples": .integer(samples), "captures": .integer(captures),
        "damages": .array(places), "notLookedAt": .array(findings.unexamined.map { .string($0) }),
      ]
      return try StandardOutput.write(report.bytes + [UInt8(ascii: "\n")])
    }
    for damage in damages { try StandardOutput.write(PrintableText.line("✗ \(damage)") + "\n") }
    let what =
      "\(samples) sample\(samples == 1 ? "" : "s"), the journal and \(captures) kept capture\(captures == 1 ? "" : "s")"
    try StandardOutput.write(
      damages.isEmpty
        ? "✓ \(what) are sound\n"
        : "\(damages.count) damaged place\(damages.count == 1 ? "" : "s") found in \(what); everything else is readable.\n"
    )
    guard !findings.unexamined.isEmpty else { return }
    try StandardOutput.write(
      PrintableText.line("Not looked at: \(findings.unexamined.joined(separator: "; "))") + ".\n")
  }

  /// The damages of the journal, without the remains of a crash at its end, which the next start repairs.
  private static func journalDamages(_ directory: String) throws(JournalError) -> [StoreDamage] {
    let contents = try JournalReader.read(directory: directory)
    return contents.damages.filter { !$0.isExpectedAfterCrash }.map {
      StoreDamage(object: "journal", problem: "\($0)")
    }
      + contents.foreignFiles.map { StoreDamage(object: "journal", problem: $0.line(in: directory)) }
  }

  private static func damages(ofCapture path: String) -> [StoreDamage] {
    do throws(CaptureError) {
      return try CaptureFile.read(path: path).damages.map { StoreDamage(object: "capture \(path)", problem: "\($0)") }
    } catch {
      return [StoreDamage(object: "capture \(path)", problem: "\(error)")]
    }
  }
}
