internal import HealthInterchange
internal import Recordings
internal import StoreCommands

extension ForeignFormat {
  /// The file that goes on where `file` ends: it is beside it, and has its name up to the ending. Nil for formats of one file.
  func companion(of file: String) throws(CommandFailure) -> String? {
    guard !companions.isEmpty else { return nil }
    guard file.hasSuffix(".hea") else {
      throw CommandFailure(
        .badData, "annotations of WFDB are looked for beside a header whose name ends in .hea")
    }
    let paths = companions.map { "\(file.dropLast(3))\($0)" }
    guard let found = paths.first(where: { FileAccess.exists($0) }) else {
      throw CommandFailure(
        .noInput, "there are no annotations beside it (\(companions.map { ".\($0)" }.joined(separator: ", ")))"
      )
    }
    return found
  }
}
