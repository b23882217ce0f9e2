internal import ArgumentParser
internal import HealthModel
internal import StoreCommands

/// What is wrong with a command line, as the one line that every other error is too.
enum UsageMessage {
  /// ArgumentParser's message for `error`, and where to read on: the help of the command that `arguments` name.
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
