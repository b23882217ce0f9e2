internal import Recordings
internal import Captures
internal import DBus
internal import HealthModel
internal import Ingestion
internal import SeriesStore
internal import StoreCommands

extension CommandFailure {
  /// The one place where an error of a library becomes an exit code and a line; nil for what is ArgumentParser's.
  init?(classifying error: any Error) {
    switch error {
    case let error as StatisticsError: self.init(.usage, error.description)
    case let error as TimeZoneError: self.init(Self.status(of: error), error.description)
    case let error as DBusError: self.init(Self.status(of: error), "the message bus: \(error.description)")
    case let error as CaptureError: self.init(Self.status(of: error), error.description)
    case let error as JournalError:
      self.init(error.code == .locked ? .locked : Self.status(ofSystem: error.errorNumber), error.description)
    case .store(let error) as Replay.Failure: self.init(classifying: error)
    case .timeline(let error) as Replay.Failure:
      self.init(
        .internalError, "the timeline is wrong: \(error)", remedy: "this is a defect of sensord; please report it")
    case let failure as RecorderFailure: self.init(failure)
    case let error as MonitorError: self.init(Self.status(of: error), error.description)
    default: self.init(ofStored: error)
    }
  }

  private init?(_ failure: RecorderFailure) {
    switch failure {
    case .store(let error): self.init(classifying: error)
    case .journal(let error): self.init(classifying: error)
    case .system(let error): self.init(classifying: error)
    case .folder(let path, let number):
      self.init(FileError(number, "cannot make the folder \(path)", otherwise: .cannotCreate))
    case .uncommitted(let sessions):
      self.init(
        .inputOutput, "\(sessions) sessions could not be stored and are safe in the journal",
        remedy: "the next 'sensord run' stores them")
    }
  }

  private static func status(of error: TimeZoneError) -> ExitStatus {
    switch error {
    case .unknownZone: .usage
    case .databaseMissing: .unavailable
    case .invalidData: .badData
    }
  }

  private static func status(of error: DBusError) -> ExitStatus {
    if error.isAccessDenied { return .permission }
    return switch error.code {
    case .disconnected, .timedOut, .remote, .cannotConnect: .unavailable
    case .system: .inputOutput
    case .cancelled, .invalid, .nestedTooDeeply, .tooLarge, .unsupported: .internalError
    }
  }

  private static func status(of error: CaptureError) -> ExitStatus {
    switch error {
    case .unreadable(_, let number): status(ofSystem: number)
    case .empty, .notACapture, .newerVersion, .unsupported, .nothingReadable, .handleUnknown, .noNotifications,
      .tooLarge:
      .badData
    }
  }

  private static func status(of error: MonitorError) -> ExitStatus {
    switch error.code {
    case .noBluetooth: .unavailable
    case .noPermission: .permission
    case .channelFailed, .notWritten: .inputOutput
    case .cannotCreate: ExitStatus(FileError.Code(error.errorNumber, otherwise: .cannotCreate))
    }
  }

  private static func status(ofSystem number: Int32?) -> ExitStatus {
    number.map { ExitStatus(FileError.Code($0, otherwise: .inputOutput)) } ?? .inputOutput
  }
}
