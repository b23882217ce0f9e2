internal import ArgumentParser
internal import HealthModel

/// What is wrong with a command line, as the one line that every other error is too.
enum UsageMessage {
  /// ArgumentParser's message, and where to read on: the help of the command that was meant.
  static func line(for error: any Error) -> String {
    let command = help(in: SensordCommand.fullMessage(for: error))
    let message = lowercasedFirst(joined(SensordCommand.message(for: error)))
    // Neither the root nor 'devices', which lists them, takes arguments but the name of a command.
    if message.contains("unexpected argument"), let name = firstQuoted(in: message) {
      if command == root {
        return line("no command '\(name)'", meant: meant(by: name, among: commands), help: command)
      } else if command == deviceList, let meant = meant(by: name, among: deviceCommands) {
        return line("no command 'devices \(name)'", meant: meant, help: "sensord devices --help")
      }
    }
    let guess = message.firstRange(of: ". Did you mean ")
    return line(
      String(message[..<(guess?.lowerBound ?? message.endIndex)]),
      meant: guess.map { String(message[$0.upperBound...].prefix { $0 != "?" }) }, help: command)
  }

  private static func line(_ message: String, meant: String?, help: String) -> String {
    let remedy = meant.map { "did you mean \($0)? See '\(help)'" } ?? "see '\(help)'"
    return CommandFailure(.usage, message, remedy: remedy).line
  }

  private static let root = "sensord --help"
  private static let deviceList = "sensord devices list --help"

  private static var commands: [String] {
    SensordCommand.configuration.groupedSubcommands.flatMap { $0.subcommands }.compactMap { command in
      command.configuration.commandName
    }
  }

  private static var deviceCommands: [String] {
    DevicesCommand.configuration.subcommands.compactMap { command in command.configuration.commandName }
  }

  private static func meant(by name: String, among names: [String]) -> String? {
    let nearest = Spelling.nearest(to: name, among: names)
    return nearest.isEmpty ? nil : nearest.map { "'\($0)'" }.joined(separator: ", or ")
  }

  private static func firstQuoted(in message: String) -> String? {
    let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }

  /// The command line in `See 'sensord show --help' for more information.`, the last line of a full message.
  private static func help(in message: String) -> String {
    guard let start = message.firstRange(of: "See '")?.upperBound else { return root }
    let rest = message[start...]
    guard let end = rest.firstIndex(of: "'") else { return root }
    return String(rest[..<end]).replacing(" -h", with: " --help")
  }

  private static func joined(_ message: String) -> String {
    var text = message.split(separator: "\n").map { ConfigurationSyntax.trimmed($0) }.joined(separator: " ")
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  private static func lowercasedFirst(_ text: String) -> String {
    text.prefix(1).lowercased() + text.dropFirst()
  }
}
