internal import Captures
internal import Documents
package import HealthModel
package import SeriesStore

/// Deletes a session everywhere: from the store, from the journal, and its kept capture.
///
/// No value of the session is left anywhere; the store records the fact of the deletion.
package struct SessionDeletion: Hashable, Sendable {
  /// The outcome of a deletion.
  package enum Outcome: Hashable, Sendable {
    case deleted(SessionSummary)
    /// No session has the name. The remains of an earlier deletion, which a reader had held, are erased now.
    case remainderErased
  }

  private let name: String

  /// A recorder notices a deletion by itself, within a second; a busy machine or a slow disk may take longer.
  private static let longestWait = (pauses: 300, each: Duration.milliseconds(100))

  /// Prepares the deletion of the session whose identifier begins with `name`. `last` is refused, lest the wrong session is
  /// deleted.
  ///
  /// - Throws: ``SessionError/lastNotDeleted`` and ``SessionError/noNameToDelete(_:)``.
  package init(of name: String) throws(SessionError) {
    guard name != "last" else { throw .lastNotDeleted }
    guard SessionName(name) != nil else { throw .noNameToDelete(name) }
    self.name = name
  }

  /// Deletes the session.
  ///
  /// A running recorder erases its own journal; the deletion waits for that, up to half a minute.
  ///
  /// - Parameters:
  ///   - catalogue: Finds the session.
  ///   - store: The catalogue's store, opened for writing.
  ///   - isolation: The caller's.
  ///   - pause: Waits for the given time. The caller has the clock.
  /// - Returns: The outcome of a deletion.
  /// - Throws: ``SessionError``, `StoreError`, `JournalError`, and what `pause` throws.
  package func perform(
    in catalogue: SessionCatalogue, _ store: HealthStore, isolation: isolated (any Actor)? = #isolation,
    pause: (Duration) async throws -> Void
  ) async throws -> Outcome {
    let session: SessionSummary
    do {
      session = try await catalogue.session(name).summary
    } catch SessionError.notFound(let name, let path) {
      guard try await store.finishErasing() else { throw SessionError.notFound(name, store: path) }
      return .remainderErased
    }
    guard try await store.syncVersion(of: session.id) != nil else {
      try Self.deleteUnstored(session, at: catalogue.location)
      return .deleted(session)
    }
    let unfinished: StoreError?
    do throws(StoreError) {
      try await store.delete(session.id)
      unfinished = nil
    } catch {
      // A reader holds on to the old bytes: the session is deleted, its bytes are not erased yet.
      guard error.code == .locked, try await store.syncVersion(of: session.id) == nil else { throw error }
      unfinished = error
    }
    // The raw notifications are erased too, or 'replay' would still have them.
    try await Self.eraseNotifications(of: session, at: catalogue.location, pause: pause)
    if let unfinished { throw unfinished }
    return .deleted(session)
  }

  /// Removes a session that only the journal has, since no recorder has stored it yet.
  private static func deleteUnstored(_ session: SessionSummary, at location: StoreLocation) throws {
    guard try erase(session, at: location) == .recorderRuns else { return }
    throw session.isOpen ? SessionError.stillRecorded(session.shortName) : .beingStored(session.shortName)
  }

  /// Removes the notifications of a deleted session from the journal and the kept captures.
  private static func eraseNotifications(
    of session: SessionSummary, at location: StoreLocation, isolation: isolated (any Actor)? = #isolation,
    pause: (Duration) async throws -> Void
  ) async throws {
    guard try erase(session, at: location) == .recorderRuns else { return }
    for _ in 0..<longestWait.pauses {
      let journalled = try JournalReader.read(directory: location.journal).sessions
      guard journalled.contains(where: { $0.capture.session == session.id }) else { return }
      try await pause(longestWait.each)
    }
    throw SessionError.notErased(session.shortName)
  }

  private static func erase(_ session: SessionSummary, at location: StoreLocation) throws -> JournalErasure.Outcome {
    let outcome = try JournalErasure.erase(session.id, in: location.journal)
    if FileAccess.exists(location.captures) {
      try CaptureArchive(directory: location.captures, maximumAgeSeconds: nil, maximumBytes: nil).remove(session.id)
    }
    return outcome
  }
}
