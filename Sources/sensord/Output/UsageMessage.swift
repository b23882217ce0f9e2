internal import ArgumentParser

/// What is wrong with a command line, as the one line that every other error is too.
enum UsageMessage {
  /// ArgumentParser's message, and where to read on: the help of the command that was meant.
  static func line(for error: any Error) -> String {
    let command = help(in: SensordCommand.fullMessage(for: error))
    var message = lowercasedFirst(joined(SensordCommand.message(for: error)))
    // The root takes no arguments but the name of a command.
    let unexpected = "unexpected argument "
    if command == root, message.hasPrefix(unexpected) { message = "no command \(message.dropFirst(unexpected.count))" }
    return CommandFailure(.usage, message, remedy: "see '\(command)'").line
  }

  private static let root = "sensord --help"

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
