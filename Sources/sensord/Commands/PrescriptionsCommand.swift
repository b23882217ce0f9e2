internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord prescriptions [NAME]`: prescriptions of glasses and contacts that other programs saved.
struct PrescriptionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prescriptions", abstract: "Show prescriptions of glasses and contact lenses.",
    usage: "sensord prescriptions [<prescription>] [options]",
    discussion: """
      One is written as opticians do: R and L, powers in dioptres, the axis in
      degrees, distances in millimetres, prisms in prism dioptres. Other programs
      save them.

        sensord prescriptions
        sensord prescriptions last
      """)

  @Argument(help: "The first digits of a prescription's name, or last; a list without.")
  var prescription: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the prescriptions as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let reader = try store.openToRead()
    let name = prescription
    let entries = try CommandLoop.run { () async throws -> [PrescriptionEntry] in
      guard let reader else {
        // Nothing was ever stored: what is named is missing.
        _ = try SampleNames.prescriptions.chosen(name, of: [HealthSample]())
        return []
      }
      let samples = try await SampleQuery(.type(.visionPrescription)).result(for: reader).value
      var entries: [PrescriptionEntry] = []
      for sample in try SampleNames.prescriptions.chosen(name, of: samples) {
        let prescription = try await VisionPrescriptionQuery(sample.id).result(for: reader).value
        entries.append(PrescriptionEntry(sample, prescription))
      }
      return entries
    }
    if json {
      try StandardOutput.write(JSONValue.array(entries.map(\.json)).text + "\n")
    } else if name != nil {
      for entry in entries { try StandardOutput.write(entry.text(columns: StandardOutput.columns)) }
    } else if entries.isEmpty {
      StandardError.write("There are no prescriptions. Other programs save them; see Documentation/clients.md.\n")
    } else {
      try StandardOutput.write(PrescriptionTable.text(entries, columns: StandardOutput.columns))
    }
  }
}
