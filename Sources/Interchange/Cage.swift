internal import CConfinement
internal import Glibc
internal import Recordings
internal import StoreCommands

/// A command that reads what strangers made, behind ``Cage``.
protocol ConfinedCommand {
  /// Opens everything, enters the cage, and does the rest in it. Called on the main thread while no other one lives, which Landlock would
  /// not bind.
  @concurrent func perform() async throws
}

/// The files that this process may still open once it reads what strangers made, and those for reading only: all that is written is open
/// by then.
struct Cage {
  /// Random numbers for SQLite, and the rules of time zones; both are the same for every user.
  private var readable: Set<String> = ["/dev/urandom", "/usr/share/zoneinfo"]
  private var folder: String?

  /// Allows a file to be read, or a folder with all that is in it. What is not there stays closed.
  mutating func allowReading(_ path: String) { readable.insert(path) }

  /// Allows new files to be made in a folder, and put in the place of others there.
  mutating func allowMaking(in folder: String) { self.folder = folder }

  /// From now on there is no network, no other program or process, and no other file.
  func enter() throws(CommandFailure) {
    let rules = cconfinement_begin(CInt.max)
    guard rules >= 0 || errno == ENOSYS else { throw Self.failure(errno) }
    defer { if rules >= 0 { close(rules) } }
    if rules >= 0 {
      for path in readable { _ = unsafe cconfinement_allow_reading(rules, path) }
      if let folder { _ = unsafe cconfinement_allow_making(rules, folder) }
    }
    guard cconfinement_enter(rules, folder == nil ? 0 : 1) == 0 else { throw Self.failure(errno) }
  }

  private static func failure(_ code: CInt) -> CommandFailure {
    CommandFailure(
      .unavailable,
      "the system does not let sensord-interchange give up files, network and programs: \(FileError.reason(code))",
      remedy: "it reads files of others only where the kernel has seccomp filters")
  }
}

/// A copy of this process that stays outside of the cage for one action: the action is fixed before, and only its time is decided later.
struct Companion: Sendable {
  private let word: CInt
  private let answer: CInt

  /// Starts it: `act` is done when the word is given, and its error number or 0 is the answer; `otherwise` when this process ends, however,
  /// without having given it. Only one thread may live.
  init(_ act: () -> CInt, otherwise: () -> Void) throws(CommandFailure) {
    var (asking, answering): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
    guard unsafe pipe(&asking) == 0, unsafe pipe(&answering) == 0 else { throw Self.failure(errno) }
    let process = cconfinement_fork(asking[0], answering[1])
    guard process >= 0 else { throw Self.failure(errno) }
    guard process > 0 else {
      var byte: UInt8 = 0
      var count = -1
      repeat { count = unsafe read(asking[0], &byte, 1) } while count < 0 && errno == EINTR
      if count == 1 {
        byte = UInt8(truncatingIfNeeded: act())
        _ = unsafe write(answering[1], &byte, 1)
      } else {
        otherwise()
      }
      _exit(0)
    }
    close(asking[0])
    close(answering[1])
    (word, answer) = (asking[1], answering[0])
  }

  /// Gives the word, and waits until the thing is done; returns its error number, or 0.
  func act() -> CInt {
    var byte: UInt8 = 0
    guard unsafe write(word, &byte, 1) == 1 else { return errno }
    return waitForAnswer() ?? EIO
  }

  /// Waits until nothing of it is left; to be called last, once.
  func end() {
    close(word)
    while waitForAnswer() != nil {}
    close(answer)
  }

  private func waitForAnswer() -> CInt? {
    var byte: UInt8 = 0
    var count = -1
    repeat { count = unsafe read(answer, &byte, 1) } while count < 0 && errno == EINTR
    return count == 1 ? CInt(byte) : nil
  }

  private static func failure(_ code: CInt) -> CommandFailure {
    CommandFailure(
      .unavailable, "the system has no process left: \(FileError.reason(code))", remedy: "end other programs")
  }
}
