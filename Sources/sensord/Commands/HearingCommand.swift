internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Recordings
internal import SeriesStore

/// `sensord hearing [AUDIOGRAM]`: audiograms that other programs saved, and how much sound was heard in the last seven days.
struct HearingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearing", abstract: "Show audiograms, and the week's sound from headphones.",
    usage: "sensord hearing [<audiogram>] [options]",
    discussion: """
      The dose is that of the last seven days: 100 % are 40 hours at 80 dB(A), and
      3 dB more halve the time (WHO and ITU-T H.870). sensord hears nothing itself:
      other programs save what they measure.

        sensord hearing
        sensord hearing last
      """)

  @Argument(help: "The first digits of an audiogram's name, or last; a list without.")
  var audiogram: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the audiograms, and the dose, as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let reader = try store.openToRead()
    let name = audiogram
    let now = Timestamp(microseconds: LocalTime.now())
    let (entries, dose) = try CommandLoop.run { () async throws -> ([AudiogramEntry], Double?) in
      guard let reader else {
        // Nothing was ever stored: what is named is missing.
        _ = try SampleNames.audiograms.chosen(name, of: [HealthSample]())
        return ([], nil)
      }
      let samples = try await SampleQuery(.type(.audiogram)).result(for: reader).value
      var entries: [AudiogramEntry] = []
      for sample in try SampleNames.audiograms.chosen(name, of: samples) {
        entries.append(AudiogramEntry(sample, try await AudiogramQuery(sample.id).result(for: reader).value))
      }
      return (entries, try await Self.dose(before: now, reader))
    }
    if json {
      try StandardOutput.write(HearingDocument(entries, dose: dose).json.text + "\n")
    } else if name != nil {
      for entry in entries { try StandardOutput.write(entry.text) }
    } else if entries.isEmpty, dose == nil {
      StandardError.write("There is nothing about hearing. Other programs save it; see Documentation/clients.md.\n")
    } else {
      try StandardOutput.write(AudiogramTable.text(entries, dose: dose, columns: StandardOutput.columns))
    }
  }

  /// Of the sound from headphones in the last seven days; nil where none was saved.
  @concurrent private static func dose(before now: Timestamp, _ store: HealthStore) async throws -> Double? {
    // What began before counts from the week's beginning on.
    let from = now.advanced(byMicroseconds: -SoundDose.window - 86_400_000_000)
    let levels = try await QuantityQuery(.headphoneAudioExposure, from: from, to: now).result(for: store).value
    guard !levels.isEmpty else { return nil }
    return SoundDose.week(of: levels.map { SoundDose.Exposure($0.value, over: $0.span) }, before: now)
  }
}
