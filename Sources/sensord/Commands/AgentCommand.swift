internal import ArgumentParser
internal import DBus

/// `sensord agent`: asks the owner what other programs may do.
struct AgentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Ask you when a program wants to read or save data.",
    discussion: """
      Runs until Ctrl-C. On a terminal it asks there; else each request is a
      desktop notification with the buttons Allow and Deny. What waits already is
      asked first. What you answer is kept: 'sensord grants' shows and changes it.

        sensord agent
      """)

  mutating func run() throws {
    // Ctrl-C is how it ends.
    try CommandLoop.runInterruptibly { try await AgentRun.run(on: $0) }
  }
}
