internal import Recordings
internal import Glibc
internal import StoreCommands

/// The program beside this one that writes and reads formats of others: what parses strangers' files is not in the recorder.
enum InterchangeProgram {
  static let name = "sensord-interchange"

  /// Becomes that program, which does the rest of the command; it returns only where it cannot be started.
  static func become(_ arguments: [String]) throws(CommandFailure) -> Never {
    let beside = FileAccess.directory(of: try ProgramSearch.own())
    guard let path = ProgramSearch.find(name, first: beside, path: ProcessEnvironment.current["PATH"]) else {
      throw CommandFailure(
        .unavailable, "\(name) is neither in \(beside) nor in PATH", remedy: "install it beside sensord")
    }
    _ = unsafe CStringArray.with([path] + arguments) { argv in unsafe execv(path, argv) }
    throw CommandFailure(FileError(errno, "cannot start \(path)", otherwise: .unavailable))
  }
}
