internal import ArgumentParser
internal import DBus

/// `sensord watch`: the heart, live.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show what the sensors send, live.",
    discussion: """
      Rate, intervals, gaps and battery until Ctrl-C. Where no value comes a dash
      stands in its place, with the reason, 3 s after the beat that was due at the
      latest: nothing that is shown is old. It waits for a recorder that is not
      running, or not open to programs; 'sensord doctor' says which.

      To a file or a program goes a line for each change; with --json one for each
      value and each change of state.

        sensord watch
        sensord watch --json | jq --unbuffered .bpm
      """)

  @Flag(help: "Print lines of JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let json = json
    // Ctrl-C is how it ends.
    try CommandLoop.runInterruptibly { try await WatchRun.run(json: json, on: $0) }
  }
}
