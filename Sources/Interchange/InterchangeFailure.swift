internal import HealthModel
internal import Recordings
internal import SeriesStore

/// Why the program gives up: a code of `sysexits.h`, and one line. No measured value stands in one.
struct InterchangeFailure: Error, Hashable {
  /// Codes of `sysexits.h` (Documentation/command-line.md).
  enum Status: Int32 {
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case inputOutput = 74
    case locked = 75
    case permission = 77
    case configuration = 78
  }

  var status: Status
  /// Nil where everything has been said.
  var message: String?
  var remedy: String?

  init(_ status: Status, _ message: String?, remedy: String? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
  }

  var line: String? {
    message.map { message in "sensord: " + (remedy.map { "\(message); \($0)" } ?? message) }
  }

  /// Nil for what is ArgumentParser's.
  init?(classifying error: any Error) {
    switch error {
    case let failure as InterchangeFailure: self = failure
    case let error as FileError: self.init(Self.status(of: error.code), error.message, remedy: error.remedy)
    case let error as SessionError: self.init(.noInput, error.message, remedy: error.remedy)
    case let error as StoreError: self.init(Self.status(of: error.code), error.message)
    case let error as SeriesError: self.init(.badData, "its beats make no series: \(error)")
    default: return nil
    }
  }

  private static func status(of code: FileError.Code) -> Status {
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

  private static func status(of code: StoreError.Code) -> Status {
    switch code {
    case .missing, .notFound, .ambiguous: .noInput
    case .notADatabase, .newerVersion, .corrupt, .invalid: .badData
    case .locked: .locked
    case .cannotCreate: .cannotCreate
    case .permission: .permission
    case .full, .io: .inputOutput
    default: .internalError
    }
  }
}
