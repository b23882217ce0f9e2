package import Recordings
internal import SeriesStore

extension CommandFailure {
  /// A failure of what every command on a store does: finding it, its sessions and files. Nil for any other error.
  package init?(ofStored error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as FileError: self.init(error)
    case let error as SessionError: self.init(ExitStatus(error), error.message, remedy: error.remedy)
    case let error as StoreError: self.init(ExitStatus(error.code), error.message)
    default: return nil
    }
  }

  /// A file or folder with which something cannot be done.
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
      case .notADatabase, .newerVersion, .corrupt, .foreignDeclaration, .tooMuchWork, .invalid, .attachment,
        .foreignAnchor, .lostAnchor:
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
