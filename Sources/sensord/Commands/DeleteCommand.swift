internal import SeriesStore
internal import FoundationEssentials
internal import ArgumentParser
internal import Captures
internal import Glibc
internal import HealthModel

/// `sensord delete SESSION`: removes a session for good.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a session for good.",
    discussion: """
      Nothing of its values is left in the store, the journal and the kept captures;
      only the fact that it was deleted is. The word last is not understood here, lest the wrong session goes.
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
    guard SessionName(name) != nil else {
      throw CommandFailure(
        .noInput, "'\(PrintableText.line(name, columns: 40))' names no session",
        remedy: "give at least \(SessionName.fewestDigits) digits of its name; 'sensord sessions' shows it")
    }
    try ZoneChoice.requireLocal()
    let catalogue = try SessionCatalogue(store)
    let writer = try store.openToWrite(making: false)
    let location = try store.location()
    let deleted = try CommandLoop.run { () async throws -> SessionSummary? in
      let session: SessionSummary
      do {
        session = try await catalogue.listed(name)
      } catch let failure as CommandFailure where failure.status == .noInput {
        // An earlier deletion may have left bytes that a reader held on to.
        guard try await writer.finishErasing() else { throw failure }
        return nil
      }
      guard try await writer.syncVersion(of: session.id) != nil else {
        try Self.eraseUnstored(session, at: location)
        return session
      }
      let unfinished: StoreError?
      do throws(StoreError) {
        try await writer.delete(session.id)
        unfinished = nil
      } catch {
        guard error.code == .locked, try await writer.syncVersion(of: session.id) == nil else { throw error }
        unfinished = error
      }
      // The raw notifications too, or 'replay' would have them still.
      try Self.eraseNotifications(of: session, at: location)
      if let unfinished { throw unfinished }
      return session
    }
    try StandardOutput.write(
      deleted.map { "Session \($0.shortName) of \(LocalTime.minute($0.start.microseconds)) is deleted.\n" }
        ?? "What was left of deleted sessions is erased.\n")
  }

  /// Removes a session that only the journal has: one that no recorder came back to, or has not stored yet.
  private static func eraseUnstored(_ session: SessionSummary, at location: StoreLocation) throws {
    guard try erase(session, at: location) == .recorderRuns else { return }
    throw session.isOpen
      ? CommandFailure(
        .locked, "session \(session.shortName) is still being recorded", remedy: "stop the recorder, then delete it")
      : CommandFailure(.locked, "session \(session.shortName) is being stored just now", remedy: "try again")
  }

  private static func erase(_ session: SessionSummary, at location: StoreLocation) throws -> JournalErasure.Outcome {
    let outcome = try JournalErasure.erase(session.id, in: location.journal)
    if FileAccess.exists(location.captures) {
      try CaptureArchive(directory: location.captures, maximumAgeSeconds: nil, maximumBytes: nil).remove(session.id)
    }
    return outcome
  }

  /// Removes what the journal and the kept captures have of a session that was deleted from the store.
  private static func eraseNotifications(of session: SessionSummary, at location: StoreLocation) throws {
    guard try erase(session, at: location) == .recorderRuns else { return }
    // The recorder notices the deletion by itself, within a second; a busy machine or a slow disk may take longer.
    for _ in 0..<300 {
      guard
        try JournalReader.read(directory: location.journal).sessions.contains(where: {
          $0.capture.session == session.id
        })
      else { return }
      usleep(100_000)
    }
    throw CommandFailure(
      .unavailable, "session \(session.shortName) is deleted, but the recorder has not erased it from its journal",
      remedy: "restart the recorder")
  }
}
