import ArgumentParser
import Captures
import DBus
import HealthModel
import Ingestion
import Reports
import SensordClient
import SeriesStore

extension CommandFailure {
  /// The one place where an error of a library becomes an exit code and a line; nil for an error of ArgumentParser.
  init?(classifying error: any Error) {
    switch error {
    case let error as StatisticsError: self.init(.usage, error.description)
    case let error as TimeZoneError: self.init(Self.status(of: error), error.description)
    case let error as DBusError: self.init(Self.status(of: error), "the message bus: \(error.description)")
    case let error as ClientError: self.init(error)
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

/// An error in a command line, as one line like every other error.
enum UsageMessage {
  /// ArgumentParser's message for `error`, and a pointer to the help of the command that `arguments` name.
  ///
  /// A word in the place of a command is answered with the command that was meant.
  static func line(for error: any Error, arguments: [String]) -> String {
    var command: any ParsableCommand.Type = SensordCommand.self
    var path = [name(of: command)]
    for word in arguments.prefix(while: { !$0.hasPrefix("-") }) {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty else { break }
      guard let next = subcommands.first(where: { name(of: $0) == word }) else {
        let words = path.dropFirst() + [word]
        return unknown(words.joined(separator: " "), nearest(to: word, among: subcommands), help: path)
      }
      command = next
      path.append(word)
    }
    return line(SensordCommand.message(for: error), help: path)
  }

  private static func unknown(_ command: String, _ nearest: [String], help: [String]) -> String {
    guard !nearest.isEmpty else { return line("no command '\(command)'", help: help) }
    let meant = nearest.map { "'\($0)'" }.joined(separator: ", or ")
    return line("no command '\(command)'; did you mean \(meant)?", help: help)
  }

  /// `message; see 'sensord show --help'`, or two sentences where the message is one.
  private static func line(_ message: String, help: [String]) -> String {
    let help = "'\(help.joined(separator: " ")) --help'"
    var message = message.split(separator: "\n").map { ConfigurationSyntax.trimmed($0) }.joined(separator: " ")
    message = message.prefix(1).lowercased() + message.dropFirst()
    let isSentence = message.hasSuffix("?") || message.hasSuffix(".")
    return CommandFailure(.usage, isSentence ? "\(message) See \(help)" : "\(message); see \(help)").line
  }

  private static func nearest(to word: String, among commands: [any ParsableCommand.Type]) -> [String] {
    Spelling.nearest(to: word, among: commands.filter { $0.configuration.shouldDisplay }.map { name(of: $0) })
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}
