internal import HealthInterchange
internal import Recordings
internal import StoreCommands

/// The two files of a WFDB record, `NAME.hea` and `NAME.atr`. The header has the name in it, too, and programs want it to be the same.
struct RecordFiles {
  private let base: String
  private let name: String

  /// Files as `--output` names them, with or without an ending of either.
  init(_ output: String?) throws(CommandFailure) {
    guard let output else {
      throw CommandFailure(
        .usage, "a record of WFDB is two files", remedy: "name them with -o NAME, for NAME.hea and NAME.atr")
    }
    base = [".hea", ".atr"].contains { output.hasSuffix($0) } ? String(output.dropLast(4)) : output
    name = base.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    guard WFDBHeader.isName(name) else {
      throw CommandFailure(
        .usage, "'\(name)' is no name for a record of WFDB",
        remedy: "take letters, digits, hyphens and low lines alone: -o ride")
    }
  }

  /// The names of both. The header appears last: where it is, the annotations are.
  var paths: [String] { ["\(base).atr", "\(base).hea"] }

  /// Writes both.
  func write(_ recording: inout InterchangeRecording, in places: ExportPlaces) throws(FileError) {
    recording.name = name
    let annotations = try places.file("\(base).atr")
    let header = try places.file("\(base).hea")
    var isHeader = true
    try InterchangeFormat.wfdb.write(recording) { (piece) throws(FileError) in
      guard isHeader, let end = piece.firstIndex(of: 0) else { return try annotations.write(piece) }
      isHeader = false
      try header.write(Array(piece[..<end]))
      try annotations.write(Array(piece[(end + 1)...]))
    }
    try places.finish(annotations)
    try places.finish(header)
  }
}
