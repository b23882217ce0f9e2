internal import Recordings
internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import StoreCommands

/// What `sensord demo` starts in front of each of its programs, hidden from the help.
///
/// The kernel can send a process a signal when its parent dies, but only the process itself can ask for it. This one asks,
/// and then becomes the program: so nothing is left over when the demo is killed, and its recorder still stores the session.
struct DemoChildCommand: ParsableCommand {
  static let name = "demo-child"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Argument var parent: Int32

  @Argument(parsing: .captureForPassthrough) var program: [String]

  mutating func run() throws {
    guard let path = program.first, clinux_set_parent_death_signal(SIGTERM) == 0 else {
      throw CommandFailure(.internalError, "the demo cannot watch over its processes")
    }
    // The parent may have died before the kernel was asked.
    guard getppid() == parent else { throw CommandFailure(.unavailable, "the demo has ended") }
    unsafe CStringArray.with(program) { _ = unsafe execv(path, $0) }
    throw FileError(errno, "cannot start \(path)", otherwise: .unavailable)
  }
}
