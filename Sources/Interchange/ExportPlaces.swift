internal import Glibc
internal import HealthInterchange
internal import Recordings
internal import StoreCommands

/// The files that an export makes. They are open, under hidden names, before the store is read; a process outside of the cage puts them in
/// their places, or removes them. That one cannot be made is an error when it is written.
struct ExportPlaces: Sendable {
  private let drafts: [(path: String, opening: Result<ReplacedFile.Draft, FileError>)]
  /// A folder in which files of names that are not known yet can be made.
  private let folder: Result<String, FileError>?
  private let companion: Companion?
  /// The place of the one that is finished last.
  private let last: String?

  /// Files that are put in their places together, in this order, when the last one is finished.
  init(_ paths: [String]) throws(CommandFailure) {
    folder = nil
    let drafts = paths.map { path in
      (path: path, opening: Result { () throws(FileError) in try ReplacedFile.Draft(path: path) })
    }
    let names = drafts.compactMap { try? $0.opening.get().names }
    self.drafts = drafts
    last = names.last?.path
    companion =
      names.isEmpty
      ? nil
      : try Companion(
        {
          for (hidden, path) in names where unsafe rename(hidden, path) != 0 { return errno }
          return 0
        }, otherwise: { for (hidden, _) in names { unsafe unlink(hidden) } })
  }

  /// A folder, which is removed where nothing is put into it.
  init(folder: String, _ cage: inout Cage) throws(CommandFailure) {
    (drafts, last) = ([], nil)
    let made = MadeFolders(at: folder)
    self.folder = Result { () throws(FileError) in
      try FileAccess.makeDirectory(folder, mode: 0o700)
      return folder
    }
    cage.allowMaking(in: folder)
    companion = made.isEmpty ? nil : try Companion({ 0 }, otherwise: made.remove)
  }

  /// Keeps the folder: a file goes into it. To be called once.
  func keepFolder() throws(FileError) {
    _ = try folder?.get()
    _ = companion?.act()
  }

  /// The file that becomes `path`.
  func file(_ path: String) throws(FileError) -> ReplacedFile {
    guard let draft = drafts.first(where: { $0.path == path }) else { return try ReplacedFile(path: path) }
    return ReplacedFile(try draft.opening.get())
  }

  /// Puts a file that is whole in its place, or lets it wait for the last one.
  func finish(_ file: consuming ReplacedFile) throws(FileError) {
    guard let companion, folder == nil else { return try file.finish() }
    try file.finish { (_, path) in path == last ? companion.act() : 0 }
  }

  /// Removes what was not put in its place.
  func end() { companion?.end() }
}

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
