internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord hearing [AUDIOGRAM]`: audiograms that other programs saved, and how much sound was heard. `sensord hearing --rescan`: looks
/// for weeks that were too loud.
struct HearingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearing", abstract: "Show audiograms, and the sound from headphones.",
    usage: """
      sensord hearing [<audiogram>] [options]
             sensord hearing --rescan [options]
      """,
    discussion: """
      The dose is that of the last seven days: 100 % are 40 hours at 80 dB(A), and
      3 dB more halve the time (WHO and ITU-T H.870). sensord hears nothing itself:
      other programs save what they measure.

      With --rescan all sound of headphones is searched: where the dose of seven
      days passed 100 %, an event is stored. A second time adds nothing.

        sensord hearing
        sensord hearing last
        sensord hearing --rescan
      """)

  @Argument(help: "The first digits of an audiogram's name, or last; a list without.")
  var audiogram: String?

  @Flag(help: "Look for seven days that were too loud, and store them as events.")
  var rescan = false

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the audiograms, events and dose as JSON, or what a rescan changed.")
  var json = false

  func validate() throws {
    if rescan, audiogram != nil { throw ValidationError("--rescan does not go with an audiogram") }
  }

  mutating func run() throws {
    if rescan { return try ExposureScan.run(in: store).write(json) }
    if !json { try ZoneChoice.requireLocal() }
    let reader = try store.openToRead()
    let name = audiogram
    let now = Timestamp(microseconds: LocalTime.now())
    let (audiograms, exposures, dose) = try CommandLoop.run {
      () async throws -> ([AudiogramEntry], [ExposureEventEntry], Double?) in
      guard let reader else {
        // Nothing was ever stored: what is named is missing.
        _ = try SampleNames.audiograms.chosen(name, of: [HealthSample]())
        return ([], [], nil)
      }
      let samples = try await SampleQuery(.type(.audiogram)).result(for: reader).value
      var audiograms: [AudiogramEntry] = []
      for sample in try SampleNames.audiograms.chosen(name, of: samples) {
        audiograms.append(AudiogramEntry(sample, try await AudiogramQuery(sample.id).result(for: reader).value))
      }
      let exposures = try await SampleQuery(Self.exposureEvents).result(for: reader).value
      return (audiograms, exposures.map { ExposureEventEntry($0) }, try await Self.dose(before: now, reader))
    }
    if json {
      try StandardOutput.write(HearingDocument(audiograms, exposures, dose: dose).json.text + "\n")
    } else if name != nil {
      for entry in audiograms { try StandardOutput.write(entry.text) }
    } else if audiograms.isEmpty, exposures.isEmpty, dose == nil {
      StandardError.write("There is nothing about hearing. Other programs save it; see Documentation/clients.md.\n")
    } else {
      try StandardOutput.write(
        HearingTables.text(audiograms, exposures, dose: dose, columns: StandardOutput.columns))
    }
  }

  private static let exposureEvents = SamplePredicate.or([
    .type(.category(.headphoneAudioExposureEvent)), .type(.category(.environmentalAudioExposureEvent)),
  ])

  /// Of the sound from headphones in the last seven days; nil where none was saved.
  @concurrent private static func dose(before now: Timestamp, _ store: HealthStore) async throws -> Double? {
    // What began before counts from the week's beginning on.
    let from = now.advanced(byMicroseconds: -SoundDose.window - 86_400_000_000)
    let levels = try await QuantityQuery(.headphoneAudioExposure, from: from, to: now).result(for: store).value
    guard !levels.isEmpty else { return nil }
    return SoundDose.week(of: levels.map { SoundDose.Exposure($0.value, over: $0.span) }, before: now)
  }
}
