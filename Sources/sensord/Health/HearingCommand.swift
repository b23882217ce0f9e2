import ArgumentParser
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord health hearing [AUDIOGRAM]`: audiograms that other programs saved, and how much sound was heard. With `--rescan`: looks for
/// weeks that were too loud.
struct HearingCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearing", abstract: "Show audiograms, and the sound from headphones.",
    usage: """
      sensord health hearing [<audiogram>] [options]
             sensord health hearing --rescan [options]
      """,
    discussion: """
      The dose is that of the last seven days: 100 % are 40 hours at 80 dB(A), and
      3 dB more halve the time (WHO and ITU-T H.870). sensord hears nothing itself:
      other programs save what they measure.

      With --rescan all sound of headphones is searched: where the dose of seven
      days passed 100 %, an event is stored. A second time adds nothing.

        sensord health hearing
        sensord health hearing last
        sensord health hearing --rescan
      """)

  @Argument(help: "The first digits of an audiogram's name, or last; a list without.")
  var audiogram: String?

  @Flag(help: "Look for seven days that were too loud, and store them as events.")
  var rescan = false

  @OptionGroup var list: ListOptions

  func validate() throws {
    if rescan, audiogram != nil { throw ValidationError("--rescan does not go with an audiogram") }
  }

  mutating func run() throws {
    guard rescan else { return try printList() }
    try ExposureScan.run(in: list.store).write(list.json)
  }

  func listing() throws -> Listing {
    let name = audiogram
    let now = Timestamp(microseconds: LocalTime.now())
    let (audiograms, exposures, dose) = try list.read {
      store async throws -> ([AudiogramEntry], [ExposureEventEntry], Double?) in
      let samples = try await SampleNames.audiograms.samples(name, in: store)
      guard let store else { return ([], [], nil) }
      var audiograms: [AudiogramEntry] = []
      for sample in samples {
        audiograms.append(AudiogramEntry(sample, try await AudiogramQuery(sample.id).result(for: store).value))
      }
      let exposures = try await SampleQuery(Self.exposureEvents).result(for: store).value
      return (audiograms, exposures.map { ExposureEventEntry($0) }, try await Self.dose(before: now, store))
    }
    return Listing(
      isEmpty: audiograms.isEmpty && exposures.isEmpty && dose == nil,
      json: { Array((HearingDocument(audiograms, exposures, dose: dose).json.text + "\n").utf8) },
      rows: { columns in
        name == nil
          ? Self.tables(audiograms, exposures, dose: dose, columns: columns)
          : audiograms.map(\.text).joined()
      }, absence: "There is nothing about hearing. Other programs save it; see Documentation/clients.md.\n")
  }

  private static let exposureEvents = SamplePredicate.or([
    .type(.category(.headphoneAudioExposureEvent)), .type(.category(.environmentalAudioExposureEvent)),
  ])

  /// The dose of the sound from headphones in the last seven days; nil where no sound was saved.
  @concurrent private static func dose(before now: Timestamp, _ store: HealthStore) async throws -> Double? {
    // A sound that began earlier counts from the week's beginning on.
    let from = now.advanced(byMicroseconds: -SoundDose.window - 86_400_000_000)
    let levels = try await QuantityQuery(.headphoneAudioExposure, from: from, to: now).result(for: store).value
    guard !levels.isEmpty else { return nil }
    return SoundDose.week(of: levels.map { SoundDose.Exposure($0.value, over: $0.span) }, before: now)
  }
}

/// The tables of `sensord health hearing`.
extension HearingCommand {
  private static func tables(
    _ audiograms: [AudiogramEntry], _ exposures: [ExposureEventEntry], dose: Double?, columns: Int
  ) -> String {
    var parts: [String] = []
    if !audiograms.isEmpty {
      var table = TextTable([
        .init("Audiogram"), .init("Made"), .init("Points", .right), .init("Source", shrinks: true),
      ])
      for entry in audiograms {
        table.add([
          entry.shortName, LocalTime.minute(entry.sample.start.microseconds),
          "\(entry.audiogram.sensitivityPoints.count)", entry.sample.source.identifier,
        ])
      }
      parts.append(table.rendered(columns: columns))
    }
    if !exposures.isEmpty {
      var table = TextTable([
        .init("Too loud"), .init("Until"), .init("dB(A)", .right), .init("Sound", .right), .init("From"),
        .init("Source", shrinks: true),
      ])
      for entry in exposures {
        table.add([
          LocalTime.minute(entry.sample.start.microseconds), LocalTime.minute(entry.sample.end.microseconds),
          entry.decibels.map { FixedPoint.text($0, digits: 0) } ?? "–", entry.seconds.map(hours) ?? "–",
          entry.isOfHeadphones ? "headphones" : "around", entry.sample.source.identifier,
        ])
      }
      parts.append(table.rendered(columns: columns))
    }
    if let dose {
      parts.append("Headphones in the last seven days: \(FixedPoint.text(dose * 100, digits: 0)) % of what is safe\n")
    }
    return parts.joined(separator: "\n")
  }

  private static func hours(_ seconds: Double) -> String { FixedPoint.text(seconds / 3_600, digits: 1) + " h" }
}

extension AudiogramEntry {
  /// The thresholds of one audiogram, drawn as audiologists do: faint sounds above, O the right ear, X the left, * both.
  var text: String {
    let points = audiogram.sensitivityPoints
    let levels = points.flatMap { [$0.leftEarSensitivity, $0.rightEarSensitivity].compactMap { $0 } }
    let rows = levels.map { Self.row($0) }
    guard let top = rows.min(), let bottom = rows.max() else { return "" }
    var text = "Audiogram \(shortName), \(LocalTime.minute(sample.start.microseconds)), dBHL by frequency\n\n"
    // Ten columns of seven characters fit beside the scale; more points continue below.
    for first in stride(from: 0, to: points.count, by: Self.columns) {
      let part = points[first..<min(first + Self.columns, points.count)]
      if first > 0 { text += "\n" }
      text += Self.line("", part.map { Self.hertz($0.frequency) })
      for row in min(top, 0)...bottom {
        let marks = part.map { point -> String in
          switch (
            point.leftEarSensitivity.map(Self.row) == row, point.rightEarSensitivity.map(Self.row) == row
          ) {
          case (true, true): "*"
          case (true, false): "X"
          case (false, true): "O"
          case (false, false): "·"
          }
        }
        text += Self.line("\(row * 10)", marks)
      }
      text += Self.line("left X", part.map { Self.level($0.leftEarSensitivity) })
      text += Self.line("right O", part.map { Self.level($0.rightEarSensitivity) })
    }
    return text
  }

  private static let columns = 10

  /// The row of a level: tens of dB.
  private static func row(_ level: Double) -> Int { Int((level / 10).rounded()) }

  private static func hertz(_ frequency: Double) -> String {
    frequency >= 1_000
      ? "\(FixedPoint.text(frequency / 1_000, digits: frequency.remainder(dividingBy: 1_000) == 0 ? 0 : 1)) kHz"
      : FixedPoint.text(frequency, digits: 0)
  }

  private static func level(_ level: Double?) -> String { level.map { FixedPoint.text($0, digits: 0) } ?? "–" }

  private static func line(_ name: String, _ cells: [String]) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return right(name, 7) + cells.map { right($0, 7) }.joined() + "\n"
  }
}

/// `--rescan`: makes the stored events of headphones those that the sound in the store leads to. Events of other programs stay.
struct ExposureScan {
  private var added = 0
  private var removed = 0
  private var kept = 0

  static func run(in store: StoreOptions) throws -> ExposureScan {
    let writer = try store.openToWrite(making: false)
    Progress.show("searching")
    defer { Progress.clear() }
    return try CommandLoop.run { try await renew(writer) }
  }

  @concurrent private static func renew(_ store: HealthStore) async throws -> ExposureScan {
    let levels = try await QuantityQuery(.headphoneAudioExposure).result(for: store).value
    let found = SoundExposureEvent.events(of: levels.map { SoundDose.Exposure($0.value, over: $0.span) }).map(\.draft)
    let source = SourceRevision(identifier: "sensord", name: "sensord", version: SensordCommand.version)
    let own = SamplePredicate.and([.type(.category(.headphoneAudioExposureEvent)), .source(source.identifier)])
    let stored = try await SampleQuery(own).result(for: store).value
    let identities = Set(found.compactMap(\.sync?.identifier))
    let obsolete = stored.filter { !($0.syncIdentifier.map(identities.contains) ?? false) }
    let known = Set(stored.compactMap(\.syncIdentifier))
    var new: [NewSample] = []
    for draft in found where !(draft.sync.map { known.contains($0.identifier) } ?? false) {
      new.append(try NewSample(draft))
    }
    // Two steps: the next scan completes the work after a stop between them.
    try await store.delete(obsolete.map(\.id), as: source.identifier)
    _ = try await store.save(new, as: source)
    await store.close()
    return ExposureScan(added: new.count, removed: obsolete.count, kept: stored.count - obsolete.count)
  }

  func write(_ json: Bool) throws {
    if json {
      let document: JSONValue = [
        "added": .integer(added), "removed": .integer(removed), "kept": .integer(kept),
      ]
      try StandardOutput.write(document.text + "\n")
    } else {
      try StandardOutput.write(
        "Sound of headphones searched: \(added) events added, \(removed) removed, \(kept) kept\n")
    }
  }
}
