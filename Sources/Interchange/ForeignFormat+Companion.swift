internal import HealthInterchange
internal import Recordings
internal import StoreCommands

extension ForeignFormat {
  /// The files that may go on where `file` ends, by its name alone.
  static func possibleCompanions(of file: String) -> [String] {
    file.hasSuffix(".hea") ? Self.wfdb.companions.map { "\(file.dropLast(3))\($0)" } : []
  }

  /// The files of which one goes on where `file` ends: they are beside it, and have its name up to the ending. Nil alone for formats of
  /// one file.
  func companions(of file: String) throws(CommandFailure) -> [String?] {
    guard !companions.isEmpty else { return [nil] }
    guard file.hasSuffix(".hea") else {
      throw CommandFailure(
        .badData, "annotations of WFDB are looked for beside a header whose name ends in .hea")
    }
    let paths = companions.map { "\(file.dropLast(3))\($0)" }
    let found = paths.filter { FileAccess.exists($0) }
    guard !found.isEmpty else {
      throw CommandFailure(
        .noInput, "there are no annotations beside it (\(companions.map { ".\($0)" }.joined(separator: ", ")))"
      )
    }
    return found
  }
}
