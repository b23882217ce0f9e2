internal import ArgumentParser
internal import HealthModel
internal import StoreCommands

/// `sensord help TOPIC` and `sensord help COMMAND`; ArgumentParser's own command of that name, which this one stands before, knows
/// no topics and answers an unknown word with the help of the whole program.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Explain a topic or a command.",
    discussion: """
      \(HelpTopic.allCases.map { "  \($0.rawValue): \($0.abstract)" }.joined(separator: "\n"))
      """)

  @Argument(
    help: ArgumentHelp("A topic, or the words of a command.", valueName: "topic"),
    completion: .list(["topics"] + HelpTopic.allCases.map(\.rawValue)))
  var words: [String] = []

  mutating func run() throws {
    if let word = words.first, words.count == 1 {
      if let topic = HelpTopic(rawValue: word) { return try StandardOutput.write(topic.page + "\n") }
      if word == "topics" { return try StandardOutput.write(HelpTopic.list + "\n") }
    }
    throw CleanExit.helpRequest(try command())
  }

  /// The command that the words name.
  private func command() throws(CommandFailure) -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = SensordCommand.self
    for word in words {
      let commands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        let names = commands.compactMap { $0.configuration.commandName }
        let topics = command == SensordCommand.self ? HelpTopic.allCases.map(\.rawValue) : []
        throw failure(Spelling.nearest(to: word, among: names + topics))
      }
      command = next
    }
    return command
  }

  private func failure(_ nearest: [String]) -> CommandFailure {
    let meant = nearest.map { "'\($0)'" }.joined(separator: ", or ")
    return CommandFailure(
      .usage, "no topic or command '\(words.joined(separator: " "))'",
      remedy: nearest.isEmpty ? "'sensord help topics' and 'sensord --help' list them" : "did you mean \(meant)?")
  }
}
