internal import ArgumentParser
internal import DBus
internal import Documents
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord delete SESSION`: removes a session for good.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a session for good.",
    discussion: """
      Nothing of its values is left in the store, the journal and the kept captures;
      only the fact that it was deleted is. The word last is not understood here,
      lest the wrong session goes.
      """)

  @Argument(help: "The first digits of the session's name.")
  var session: String

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let deletion = try SessionDeletion(of: session)
    try ZoneChoice.requireLocal()
    let catalogue = try store.catalogue()
    let writer = try store.openToWrite(making: false)
    let outcome = try CommandLoop.run(on: EventLoop()) { loop in
      try await deletion.perform(in: catalogue, writer) { try await loop.sleep(for: $0) }
    }
    switch outcome {
    case .deleted(let session):
      let start = LocalTime.minute(session.start.microseconds)
      try StandardOutput.write("Session \(session.shortName) of \(start) is deleted.\n")
    case .remainderErased: try StandardOutput.write("What was left of deleted sessions is erased.\n")
    }
  }
}
