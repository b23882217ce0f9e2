public import Captures
public import FoundationEssentials
import HeartRateRecording
public import Sensors
import SeriesStore

// Sessions that somebody asks for: a game, a person in a shell. Who may ask for what is not decided here.

extension Recorder {
  /// Begins a session on request. If the sensor is being recorded, its session ends and the new one goes on from it without
  /// losing a value; else the session waits for the sensor as any session does that has lost it.
  ///
  /// - Parameters:
  ///   - sensor: Whose session; nil for the one sensor that is measuring.
  ///   - metadata: What is stored with it.
  /// - Returns: The session, which is open.
  /// - Throws: ``SessionRequestFailure``, never `notOpen` or `notStored`.
  public func beginSession(
    of sensor: SensorAddress?, metadata: [String: CaptureMetadataValue]
  ) throws(SessionRequestFailure) -> RequestedSession {
    guard condition.phase == .running, isTakingEvents else { throw .notRecording }
    let index = try requestedIndex(sensor)
    let now = clock.now()
    followClock(first: index, at: now)
    let id = UUID()
    let gaps = recordings[index].machine.counts.gaps
    guard let step = recordings[index].begin(id, metadata, at: now) else { throw .busy(recordings[index].address) }
    perform(step, of: index, gapsBefore: gaps)
    armTimer(for: recordings[index].deadline)
    publishStatus()
    let start = recordings[index].machine.sessionStart ?? now
    return RequestedSession(
      id: id, sensor: recordings[index].address, start: start.microseconds &+ wallOffset)
  }

  /// Adds metadata to a requested session that is open; the last value of a key counts.
  ///
  /// - Throws: ``SessionRequestFailure/notOpen``.
  public func addMetadata(
    _ metadata: [String: CaptureMetadataValue], to session: UUID
  ) throws(SessionRequestFailure) {
    guard index(ofRequested: session) != nil else { throw .notOpen }
    // Where that cannot be written now, the journal writes it with the session's next record.
    do { try files?.journal.setMetadata(metadata, of: session) } catch { journalFailed(error) }
  }

  /// Marks the present moment in a requested session that is open.
  ///
  /// - Throws: ``SessionRequestFailure/notOpen``.
  public func addMarker(_ text: String, to session: UUID) throws(SessionRequestFailure) {
    guard let index = index(ofRequested: session) else { throw .notOpen }
    record(.marker(text), of: recordings[index].address, at: clock.now())
  }

  /// Ends a requested session, and returns when it is stored. While its sensor is linked another session goes on from it.
  ///
  /// - Parameters:
  ///   - session: One that ``beginSession(of:metadata:)`` returned; it may have ended by itself.
  ///   - reason: `request` or `clientGone`.
  /// - Returns: Whether there was anything to store: a session without a value is stored nowhere.
  /// - Throws: ``SessionRequestFailure/notStored``, or `notOpen` where the session is open and nobody asked for it.
  @discardableResult
  public func endSession(_ session: UUID, _ reason: SessionEndReason) async throws(SessionRequestFailure) -> Bool {
    if let index = index(ofRequested: session) {
      let now = clock.now()
      followClock(first: index, at: now)
      let gaps = recordings[index].machine.counts.gaps
      if let step = recordings[index].endRequested(reason, at: now, next: UUID()) {
        perform(step, of: index, gapsBefore: gaps)
        armTimer(for: recordings[index].deadline)
        publishStatus()
      }
    } else if recordings.indices.contains(where: { recordings[$0].session?.id == session }) {
      throw .notOpen
    }
    await commits[session]?.value
    guard !commitQueue.waiting.contains(session), let store = files?.store else { throw .notStored }
    do { return try await store.knows(session) } catch { throw .notStored }
  }

  private func requestedIndex(_ sensor: SensorAddress?) throws(SessionRequestFailure) -> Int {
    if let sensor {
      guard let index = recordings.index(of: sensor) else { throw .unknownSensor(sensor) }
      return index
    }
    // Right after a request no value of the new session has arrived yet.
    let measuring = recordings.indices.filter {
      recordings[$0].currentState == .measuring || recordings[$0].requestedSession != nil
    }
    guard let index = measuring.first else { throw .noneMeasuring }
    guard measuring.count == 1 else { throw .severalMeasuring(measuring.map { recordings[$0].address }) }
    return index
  }

  private func index(ofRequested session: UUID) -> Int? {
    recordings.indices.first { recordings[$0].requestedSession == session }
  }
}
