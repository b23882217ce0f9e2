/// What a program returns to its caller: the codes of `sysexits.h` of Documentation/command-line.md.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  /// The command line makes no sense, hexadecimal digits that are none included.
  case usage = 64
  /// A payload, capture or store holds something else than it should.
  case badData = 65
  /// A file, session or device that was named does not exist.
  case noInput = 66
  /// A bus, adapter, daemon or program that is needed is not there.
  case unavailable = 69
  case internalError = 70
  case cannotCreate = 73
  case inputOutput = 74
  /// Another recorder has the store, or a session.
  case locked = 75
  case permission = 77
  case configuration = 78
}
