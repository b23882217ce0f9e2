internal import SeriesStore
internal import FoundationEssentials
internal import ArgumentParser
internal import Captures

/// `sensord delete SESSION`: removes a session for good.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a session for good.",
    discussion: """
      Nothing of its values is left in the store nor in the kept captures; only the
      fact that it was deleted is. The word last is not understood here, lest the wrong session goes.
      """)

  @Argument(help: "The first digits of the session's name.")
  var session: String

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    guard session != "last" else {
      throw CommandFailure(
        .usage, "'last' is not deleted", remedy: "give the session's name; 'sensord sessions' shows it")
    }
    let name = session
    let catalogue = try SessionCatalogue(store)
    let writer = try store.openToWrite(making: false)
    let captures = try CaptureArchive(directory: store.location().captures, maximumAgeSeconds: nil, maximumBytes: nil)
    let deleted = try CommandLoop.run {
      let session = try await catalogue.listed(name)
      guard session.endReason != nil else {
        throw CommandFailure(
          .locked, "session \(session.shortName) is still being recorded", remedy: "stop the recorder")
      }
      try await writer.delete(session.id)
      // The raw notifications too, or 'replay' would have them still.
      if FileAccess.exists(captures.directory) { try captures.remove(session.id) }
      return session
    }
    try StandardOutput.write("Session \(deleted.shortName) of \(LocalTime.minute(deleted.start)) is deleted.\n")
  }
}
