internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore
import Support

/// `sensord-interchange export`: a session, a workout, or all sessions of a time for other programs.
struct ExportCommand: ParsableCommand, ConfinedCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write sessions or workouts for another program.",
    usage: "sensord-interchange export <session> --format <format> [options]")

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String?

  @Option(help: "What to write.")
  var format: InterchangeFormat?

  @Option(
    help: ArgumentHelp("Sessions that began then or later, instead of one.", valueName: "time"),
    transform: ImportCommand.time)
  var from: Timestamp?

  @Option(
    help: ArgumentHelp("Sessions that began before, instead of one.", valueName: "time"),
    transform: ImportCommand.time)
  var to: Timestamp?

  @Option(help: ArgumentHelp("Add what the ride in this FIT file has none of.", valueName: "file"))
  var into: String?

  @OptionGroup var store: StoreOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Write this file, readable by you alone, instead of stdout; of WFDB both files of that name.", valueName: "file"))
  var output: String?

  @Flag(help: "With --into and -o: print as JSON what was added and what was left out.")
  var json = false

  func validate() throws {
    guard !json || (into != nil && output != nil) else { throw ValidationError("--json goes with --into and -o") }
    guard (session == nil) == (from != nil || to != nil) else {
      throw ValidationError("give a session, or --from and --to")
    }
    guard (format == nil) == (into != nil), into == nil || session != nil else {
      throw ValidationError("give --format, or a session and --into")
    }
    guard output != "", into != "" else { throw ValidationError("\(output == "" ? "-o" : "--into") names no file") }
    if let from, let to, from >= to { throw ValidationError("--from must be before --to") }
  }

  @concurrent func perform() async throws {
    var cage = Cage()
    let catalogue = try store.catalogue(atRest: true)
    cage.allowReading(catalogue.location.journal)
    if let into { cage.allowReading(into) }
    let places = try places(&cage)
    defer { places.end() }
    try cage.enter()
    try catalogue.start()
    try await write(catalogue, in: places)
  }

  private func places(_ cage: inout Cage) throws(CommandFailure) -> ExportPlaces {
    if session == nil, let format { return try RangeExport.places(format, output, &cage) }
    // An invalid name is reported once the session is found.
    if format == .wfdb { return try ExportPlaces((try? RecordFiles(output))?.paths ?? []) }
    return try ExportPlaces(output.map { [$0] } ?? [])
  }

  @concurrent private func write(_ catalogue: SessionCatalogue, in places: ExportPlaces) async throws {
    guard let session else {
      guard let format else { return }
      var export = RangeExport(format, output, in: places)
      return try await export.run(from: from, to: to, in: catalogue)
    }
    var recording = InterchangeRecording(try await catalogue.values(session))
    let alterations = try await catalogue.alterations(of: recording.id)
    try write(&recording, in: places)
    for alteration in alterations { Output.error("sensord: \(PrintableText.line("\(alteration)"))") }
    guard alterations.isEmpty else { throw EarlierReport(status: .badData) }
  }

  private func write(_ recording: inout InterchangeRecording, in places: ExportPlaces) throws {
    if let into { return try RideExport(into, output, in: places, json: json).write(recording) }
    guard let format else { return }
    if let refusal = format.refusal(recording) { throw CommandFailure(.badData, refusal) }
    if format == .wfdb { return try RecordFiles(output).write(&recording, in: places) }
    try Output.file(output, in: places) { (receive) throws(FileError) in try format.write(recording, to: receive) }
    var missing = MissingRates()
    missing.add(recording, format)
    missing.tell()
  }
}

extension InterchangeFormat: ExpressibleByArgument {}

extension InterchangeRecording {
  /// The stored values, for a format. The laps of a workout are its activities, or else its recorded laps.
  init(_ values: RecordedValues) {
    var laps = values.workout?.activities.map { Lap($0.span, activity: $0.configuration.activityType) } ?? []
    if laps.isEmpty, let workout = values.workout {
      laps = workout.events.filter { $0.type == .lap }.map {
        Lap($0.span, activity: workout.configuration.activityType)
      }
    }
    self.init(
      id: values.id, device: values.device, source: values.source, span: values.span, rates: values.rates,
      heartbeats: values.heartbeats, gaps: values.gaps, activity: values.workout?.configuration.activityType,
      laps: laps, workout: values.workout)
    // A copy of a copy is one of the same workout.
    let metadata = values.workout?.metadata ?? values.metadata
    if case .text(let text) = metadata[ImportedMetadata.workout] { copiedWorkout = UUID(uuidString: text) }
  }
}

/// `--into RIDE.fit`: somebody's ride with the heart that was recorded meanwhile.
struct RideExport {
  private let ride: String
  private let output: String?
  private let places: ExportPlaces
  /// Whether the outcome is written as JSON.
  private let json: Bool

  /// No ride is longer: a day has some nine mebibytes.
  private static let longest = 16 << 20

  init(_ ride: String, _ output: String?, in places: ExportPlaces, json: Bool) {
    self.ride = ride
    self.output = output
    self.places = places
    self.json = json
  }

  func write(_ recording: InterchangeRecording) throws {
    if let output, FileAccess.isSame(ride, output) {
      throw CommandFailure(
        .cannotCreate, "\(output) is the ride itself, which cannot be made again", remedy: "name another file with -o")
    }
    let bytes = try FileAccess.read(ride, limit: Self.longest)
    let merged: RideMerge
    do throws(FileDamage) {
      merged = try RideMerge(of: recording, into: bytes)
    } catch {
      throw CommandFailure(.badData, "\(ride): \(error)")
    }
    guard merged.rates + merged.intervals > 0 else {
      throw CommandFailure(
        .badData,
        merged.hasRecords
          ? "\(ride): it has a heart rate already, or was ridden at another time" : "\(ride): there is no ride in it")
    }
    try Output.file(output, in: places) { (receive) throws(FileError) in try receive(merged.bytes) }
    guard !json else {
      var line: [UInt8] = []
      account(of: merged).appendLine(to: &line)
      return try Output.write(line)
    }
    Output.error(
      "sensord: \(ride): \(Count.of(merged.rates, "record")) got a heart rate, "
        + "\(Count.of(merged.intervals, "interval")) \(merged.intervals == 1 ? "was" : "were") added")
    let leftOut = merged.leftOut.map { "\($0.count) × \($0.reason)" }.joined(separator: ", ")
    if !leftOut.isEmpty { Output.error("sensord: \(ride): left out: \(leftOut)") }
  }

  private func account(of merged: RideMerge) -> JSONValue {
    [
      "file": .string(ride), "rates": .integer(merged.rates), "intervals": .integer(merged.intervals),
      "leftOut": .object(merged.leftOut.map { JSONValue.Member($0.reason, .integer($0.count)) }),
    ]
  }
}

/// The stored rates for which a format has no place, over all written recordings: somebody who compares the file with the store would else
/// search for these rates.
struct MissingRates {
  private var total = 0
  private var reasons: [(count: Int, reason: String)] = []

  mutating func add(_ recording: InterchangeRecording, _ format: InterchangeFormat) {
    total += recording.rates.count
    for one in format.missingRates(recording) {
      if let place = reasons.firstIndex(where: { $0.reason == one.reason }) {
        reasons[place].count += one.count
      } else {
        reasons.append(one)
      }
    }
  }

  /// A line for each reason; empty where nothing is missing.
  var lines: [String] {
    reasons.map { one in
      "sensord: \(one.count) of \(Count.of(total, "rate")) \(one.count == 1 ? "is" : "are") not in the file: \(one.reason)"
    }
  }

  func tell() {
    for line in lines { Output.error(line) }
  }
}
