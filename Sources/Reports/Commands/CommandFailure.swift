import SeriesStore
import Support

/// The failure of a command, as one line for a person: the failed action, the reason, and the remedy.
///
/// Errors of the libraries become one of these at the root of each program, once. A failure never contains health data.
package struct CommandFailure: Error, Hashable, Sendable {
  package var status: ExitStatus
  /// The failed action and the reason, without a full stop at the end.
  package var message: String
  /// The remedy, as a command or a short clause.
  package var remedy: String?

  package init(_ status: ExitStatus, _ message: String, remedy: String? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
  }

  /// The line for stderr, safe for a terminal whatever file names and devices put into it.
  package var line: String {
    let text = remedy.map { "\(message); \($0)" } ?? message
    return "sensord: \(PrintableText.line(text))"
  }
}

extension CommandFailure {
  /// A failure to find the store, its sessions or files, common to all commands on a store. Nil for any other error.
  package init?(ofStored error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as FileError: self.init(error)
    case let error as SessionError: self.init(ExitStatus(error), error.message, remedy: error.remedy)
    case let error as StoreError: self.init(ExitStatus(error.code), error.message)
    default: return nil
    }
  }

  /// A failure with a file or folder.
  package init(_ error: FileError) {
    self.init(ExitStatus(error.code), error.message, remedy: error.remedy)
  }
}

extension ExitStatus {
  package init(_ code: FileError.Code) {
    self =
      switch code {
      case .missing: .noInput
      case .unsuitable: .badData
      case .cannotCreate: .cannotCreate
      case .inputOutput: .inputOutput
      case .permission: .permission
      case .unavailable: .unavailable
      case .unplaced: .configuration
      case .system: .internalError
      }
  }

  fileprivate init(_ error: SessionError) {
    self =
      switch error {
      case .noneYet(_, isDamaged: true): .badData
      case .noName, .noNameOfEither, .noNameToDelete, .noneYet, .notFound, .neitherFound, .ambiguous, .ambiguousWorkout,
        .workout:
        .noInput
      case .noHeartbeats, .noValues, .noBeats, .noRates: .badData
      case .lastNotDeleted: .usage
      case .stillRecorded, .beingStored: .locked
      case .notErased: .unavailable
      }
  }

  fileprivate init(_ code: StoreError.Code) {
    self =
      switch code {
      case .missing, .notFound, .ambiguous: .noInput
      case .notADatabase, .newerVersion, .olderVersion, .corrupt, .foreignDeclaration, .tooMuchWork, .invalid,
        .attachment, .foreignAnchor, .lostAnchor:
        .badData
      case .locked: .locked
      case .cannotCreate: .cannotCreate
      case .permission: .permission
      case .full, .io: .inputOutput
      case .closed, .cancelled: .internalError
      case .cannotObserve: .unavailable
      case .statement, .tooComplex: .usage
      }
  }
}

/// The exit codes of the programs: those of `sysexits.h` in Documentation/command-line.md.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  /// The command line is invalid; an example is a payload that is not hexadecimal.
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

/// Ends a command with a code where everything there is to say has been printed already.
package struct EarlierReport: Error, Hashable, Sendable {
  package var status: ExitStatus

  package init(status: ExitStatus) {
    self.status = status
  }
}
