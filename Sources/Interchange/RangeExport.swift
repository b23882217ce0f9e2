internal import Documents
internal import FoundationEssentials
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore
import Support

/// All sessions that begin in a time: in one file where the format can hold several, else a file each in a folder.
struct RangeExport {
  private let format: InterchangeFormat
  private let output: String?
  private let places: ExportPlaces
  /// Whether something of the store could not be read.
  private var isDamaged = false
  private var missing = MissingRates()

  init(_ format: InterchangeFormat, _ output: String?, in places: ExportPlaces) {
    self.format = format
    self.output = output
    self.places = places
  }

  /// The file of all sessions, or the folder for a file of each.
  static func places(
    _ format: InterchangeFormat, _ output: String?, _ cage: inout Cage
  ) throws(CommandFailure) -> ExportPlaces {
    guard !format.holdsSeveral else { return try ExportPlaces(output.map { [$0] } ?? []) }
    guard let output else {
      throw CommandFailure(
        .usage, "\(format.rawValue) has one session in a file", remedy: "name a folder for them with -o FOLDER")
    }
    return try ExportPlaces(folder: output, &cage)
  }

  /// Writes all sessions of the range. A damaged session is left out and reported.
  @concurrent mutating func run(
    from start: Timestamp?, to end: Timestamp?, in catalogue: SessionCatalogue
  ) async throws {
    let (sessions, damages) = try await catalogue.sessions(beginningFrom: start, to: end)
    for damage in damages { tell("\(damage)") }
    guard !sessions.isEmpty || isDamaged else { throw CommandFailure(.noInput, "no session begins then") }
    let written =
      format.holdsSeveral ? try await collect(sessions, in: catalogue) : try await spread(sessions, in: catalogue)
    missing.tell()
    if isDamaged { throw EarlierReport(status: .badData) }
    guard written > 0 else { throw CommandFailure(.badData, "no session of them has anything for \(format.rawValue)") }
  }

  /// Returns how many had something for the format.
  @concurrent private mutating func collect(_ sessions: [UUID], in catalogue: SessionCatalogue) async throws -> Int {
    guard var collection = RecordingCollection(format) else { return 0 }
    var count = 0
    guard let output else {
      for session in sessions {
        guard let recording = try await recording(session, in: catalogue) else { continue }
        try collection.append(recording) { (piece) throws(FileError) in try Output.write(piece) }
        count += 1
      }
      try collection.finish { (piece) throws(FileError) in try Output.write(piece) }
      return count
    }
    let file = try places.file(output)
    for session in sessions {
      guard let recording = try await recording(session, in: catalogue) else { continue }
      try collection.append(recording) { (piece) throws(FileError) in try file.write(piece) }
      count += 1
    }
    try collection.finish { (piece) throws(FileError) in try file.write(piece) }
    if count > 0 { try places.finish(file) }
    return count
  }

  @concurrent private mutating func spread(_ sessions: [UUID], in catalogue: SessionCatalogue) async throws -> Int {
    guard let folder = output else { return 0 }
    var count = 0
    for session in sessions {
      guard var recording = try await recording(session, in: catalogue) else { continue }
      if count == 0 { try places.keepFolder() }
      count += 1
      let path = "\(folder)/\(Self.name(of: recording)).\(format.fileEnding)"
      if format == .wfdb {
        try RecordFiles(path).write(&recording, in: places)
      } else {
        try Output.file(path, in: places) { (receive) throws(FileError) in try format.write(recording, to: receive) }
      }
    }
    return count
  }

  /// The recording of a session; nil for a session that has nothing for the format, or is damaged, which is reported.
  @concurrent private mutating func recording(
    _ session: UUID, in catalogue: SessionCatalogue
  ) async throws -> InterchangeRecording? {
    let recording: InterchangeRecording
    do {
      recording = InterchangeRecording(try await catalogue.values(session.uuidString))
      for alteration in try await catalogue.alterations(of: session) { tell("\(alteration)") }
    } catch let error as StoreError {
      guard case .corrupt = error.code else { throw error }
      tell(error.message)
      return nil
    }
    guard let refusal = format.refusal(recording) else {
      missing.add(recording, format)
      return recording
    }
    Output.error("sensord: session \(session.uuidString.lowercased().prefix(8)) left out: \(refusal)")
    return nil
  }

  private mutating func tell(_ damage: String) {
    isDamaged = true
    Output.error("sensord: \(PrintableText.line(damage))")
  }

  /// `20261121T020808Z-3f2a91bc`: sorted by their starts, in UTC, and a name for every format.
  private static func name(of recording: InterchangeRecording) -> String {
    let start = recording.span.start.iso8601(fractionDigits: 0).filter { $0 != "-" && $0 != ":" }
    return "\(start)-\(recording.id.uuidString.lowercased().prefix(8))"
  }
}
