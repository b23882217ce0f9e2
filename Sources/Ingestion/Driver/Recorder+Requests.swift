import Captures
package import FoundationEssentials
package import HealthModel
import SeriesStore
package import Timeline

// Sessions that somebody asks for: a game, a person in a shell. Permissions are not decided here.

extension Recorder {
  /// The sessions that were asked for and whose end was not answered yet, also those of an earlier run that go on.
  package var requestedSessions: [RequestedSession] {
    let ofWorkouts = workouts.requests
    return requests.all.filter { !ofWorkouts.contains($0.request) }
  }

  /// Begins a session on request. If the sensor is being recorded, its session pauses and goes on after the end of the new one, and
  /// no value is lost; else the session waits for the sensor as any session does that has lost it.
  ///
  /// - Parameters:
  ///   - sensor: The sensor; nil for the one that is measuring.
  ///   - owner: The client that asks for it.
  ///   - endsWithClient: Whether it ends when its program goes, also where the recorder notices that only at its next start.
  ///   - metadata: Metadata to store.
  /// - Returns: The session, which is open.
  /// - Throws: ``SessionRequestFailure``, never `notOpen`, `over` or `notStored`.
  package func beginSession(
    of sensor: SensorAddress?, for owner: ClientIdentity, endsWithClient: Bool = true, metadata: Metadata = [:]
  ) throws(SessionRequestFailure) -> RequestedSession {
    try checkBeginning(metadata)
    return try beginSession(
      UUID(), of: try freeSensor(sensor), for: owner, endsWithClient: endsWithClient, metadata: metadata, pauses: true)
  }

  /// Begins a session of each sensor that measures and has none on request, all at one instant.
  ///
  /// - Returns: The sessions, in the order of the sensors.
  /// - Throws: ``SessionRequestFailure``: `noneMeasuring`, `busy` where all have one, `notRecording`, `refused`.
  package func beginSessions(
    for owner: ClientIdentity, endsWithClient: Bool = true, metadata: Metadata = [:]
  ) throws(SessionRequestFailure) -> [RequestedSession] {
    try checkBeginning(metadata)
    let now = clock.now()
    let measuring = sensors.recordings.measuring(at: now)
    guard let first = measuring.first else { throw .noneMeasuring(sensors.recordings.addresses) }
    var begun: [RequestedSession] = []
    for sensor in measuring {
      guard let free = try? freeSensor(sensor) else { continue }
      begun.append(
        try beginSession(
          UUID(), of: free, for: owner, endsWithClient: endsWithClient, metadata: metadata, pauses: true, at: now))
    }
    guard !begun.isEmpty else { throw .busy(first) }
    return begun
  }

  /// Whether a session with this metadata may begin now.
  private func checkBeginning(_ metadata: Metadata) throws(SessionRequestFailure) {
    guard condition.phase == .running else { throw .notRecording }
    do { try settings.clientData.check(metadata) } catch { throw .refused(error) }
  }

  /// Begins a session of a sensor that is free, under this identifier, now or at `instant`. Unless the sensor's session `pauses`, it
  /// ends.
  func beginSession(
    _ id: UUID, of sensor: SensorAddress, for owner: ClientIdentity, endsWithClient: Bool, metadata: Metadata = [:],
    pauses: Bool = false, at instant: BootInstant? = nil
  ) throws(SessionRequestFailure) -> RequestedSession {
    guard let index = sensors.recordings.index(of: sensor) else { throw .unknownSensor(sensor) }
    let now = instant ?? clock.now()
    followClock(first: index, at: now)
    let request = SessionRequest(
      identifier: id, uid: owner.uid, application: owner.application, endsWithClient: endsWithClient)
    guard
      let step = sensors.recordings[index].begin(
        id, OpenRequest(request: request, metadata: metadata), at: now,
        pauses: pauses)
    else { throw .busy(sensors.recordings[index].address) }
    let requested = RequestedSession(request, of: sensors.recordings[index], wallMinusBoot: sensors.wallMinusBoot)
    requests.begin(requested)
    perform(step, of: index)
    armTimer(for: sensors.recordings[index].deadline)
    publishStatus()
    return requested
  }

  /// Adds metadata to a requested session that is open; the last value of a key counts.
  ///
  /// - Throws: ``SessionRequestFailure/notOpen``, ``SessionRequestFailure/over``, ``SessionRequestFailure/refused(_:)``,
  ///   ``SessionRequestFailure/journal``.
  package func addMetadata(_ metadata: Metadata, to request: UUID) throws(SessionRequestFailure) {
    let index = try openIndex(of: request)
    guard let session = sensors.recordings[index].session?.id, let before = sensors.recordings[index].request?.metadata
    else {
      throw .over
    }
    do {
      try settings.clientData.check(metadata)
      try settings.clientData.check(before.stored.merging(metadata) { $1 })
    } catch {
      throw .refused(error)
    }
    try write(or: SessionRequestFailure.journal) { (journal) throws(JournalError) in
      try journal.setMetadata(metadata, of: session)
    }
    sensors.recordings[index].request?.metadata.merge(metadata) { $1 }
  }

  /// Marks a point in time in a requested session that is open.
  ///
  /// - Parameters:
  ///   - text: The text of the marker.
  ///   - time: When, in microseconds since 1970 (UTC); nil: now.
  ///   - request: The session's request.
  /// - Throws: ``SessionRequestFailure/notOpen``, ``SessionRequestFailure/over``, ``SessionRequestFailure/invalidTime``,
  ///   ``SessionRequestFailure/refused(_:)``.
  package func addMarker(_ text: String, at time: Int64? = nil, to request: UUID) throws(SessionRequestFailure) {
    let index = try openIndex(of: request)
    let limits = settings.clientData
    guard text.utf8.count <= limits.markerBytes else { throw .refused(.tooLarge(.marker)) }
    guard sensors.recordings[index].request?.markers ?? 0 < limits.markers else { throw .refused(.tooLarge(.markers)) }
    let now = clock.now()
    let wall = now.microseconds &+ clock.wallMinusBoot()
    let before = time.map { wall.subtractingSaturated($0) } ?? 0
    // The two clocks are read one after the other.
    guard before > -ClientIdentity.clockTolerance, before <= wall.subtractingSaturated(requests[request]?.start ?? wall)
    else { throw .invalidTime }
    sensors.recordings[index].request?.markers += 1
    record(.marker(text, microsecondsBefore: max(0, before)), of: sensors.recordings[index].address, at: now)
  }

  /// Ends requested sessions at one instant, and returns when all are stored or cannot be. A session that one of them has paused
  /// goes on, or another one.
  ///
  /// - Parameters:
  ///   - requests: The sessions' requests; each session may be over by itself.
  ///   - reason: `request` or `clientGone`.
  /// - Returns: The stored session of each, or ``SessionRequestFailure/notStored`` or ``SessionRequestFailure/notOpen``. A session
  ///   without a value is stored nowhere.
  @discardableResult
  package func endSessions(
    _ requests: [UUID], _ reason: SessionEndReason
  ) async -> [(request: UUID, result: Result<EndedSession, SessionRequestFailure>)] {
    let now = clock.now()
    for request in requests { stopRequested(request, reason, at: now) }
    var results: [(UUID, Result<EndedSession, SessionRequestFailure>)] = []
    for request in requests { results.append((request, await storedSession(of: request))) }
    return results
  }

  /// Ends the open session of a request; does nothing where it is over.
  private func stopRequested(_ request: UUID, _ reason: SessionEndReason, at now: BootInstant) {
    guard let index = try? openIndex(of: request) else { return }
    followClock(first: index, at: now)
    guard let step = sensors.recordings[index].endRequested(reason, at: now, next: UUID()) else { return }
    perform(step, of: index)
    armTimer(for: sensors.recordings[index].deadline)
    publishStatus()
  }

  /// The last session of a request, which is over, when it is stored.
  private func storedSession(of request: UUID) async -> Result<EndedSession, SessionRequestFailure> {
    guard let session = requests[request]?.session else { return .failure(.notOpen) }
    await commits[session]?.value
    guard !commitQueue.waiting.contains(session), let store = files?.store else { return .failure(.notStored) }
    do {
      let span = try await store.span(of: session)
      requests.remove(request)
      return .success(EndedSession(session: session, span: span))
    } catch {
      return .failure(.notStored)
    }
  }

  /// The sensor of which a session can begin on request: that one, or the one that is measuring. A recovery of it is cut short.
  func freeSensor(_ sensor: SensorAddress?) throws(SessionRequestFailure) -> SensorAddress {
    let address = try sensors.recordings.requested(sensor, at: clock.now())
    for ending in workouts.endRecoveries(of: address, .request, at: clock.now()) { perform(ending) }
    guard !workouts.use(address), let index = sensors.recordings.index(of: address),
      sensors.recordings[index].request == nil
    else {
      throw .busy(address)
    }
    return address
  }

  /// The sensor of the open session of a request.
  private func openIndex(of request: UUID) throws(SessionRequestFailure) -> Int {
    guard requests[request] != nil else { throw .notOpen }
    guard let index = sensors.recordings.index(ofRequest: request) else { throw .over }
    return index
  }
}

extension ClientIdentity {
  /// Microseconds by which a program's time may lie in the future.
  static let clockTolerance: Int64 = 1_000_000
}

extension RequestedSession {
  /// The open session of a recording, for which somebody has asked.
  init(_ request: SessionRequest, of recording: SensorRecording, wallMinusBoot offset: Int64) {
    self.init(
      request: request.identifier, session: recording.session?.id ?? request.identifier, sensor: recording.address,
      start: (recording.machine.sessionStart?.microseconds ?? 0) &+ offset,
      owner: ClientIdentity(uid: request.uid, application: request.application),
      endsWithClient: request.endsWithClient)
  }
}
