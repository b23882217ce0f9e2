import Captures
package import FoundationEssentials
package import HealthModel
import Timeline

// Series of other programs. The values of a call are in the journal when it returns: they survive the end of both
// programs at once, and a power cut from the next sync on. Permissions are not decided here.

extension Recorder {
  /// Begins a series of quantities.
  ///
  /// - Parameters:
  ///   - type: Of a known type.
  ///   - unit: That of the values to come, compatible with the type's.
  ///   - start: The series' start; no value comes before it.
  ///   - owner: The program that inserts it; it becomes the source.
  ///   - device: The measuring device, if the program names it.
  ///   - metadata: Metadata to store.
  /// - Returns: The series' identity, also in the store.
  /// - Throws: ``ClientSeriesFailure``, never `notOpen` or `notStored`.
  package func beginSeries(
    of type: QuantityType, in unit: Unit, from start: Timestamp, for owner: ClientIdentity, device: Device? = nil,
    metadata: Metadata = [:]
  ) throws(ClientSeriesFailure) -> UUID {
    try begin(.quantities(type, unit), from: start, for: owner, device, metadata)
  }

  /// Begins a series of heartbeats in ticks of `1/timescale` seconds since `start`; else as
  /// ``beginSeries(of:in:from:for:device:metadata:)``.
  ///
  /// - Returns: The series' identity, also in the store.
  /// - Throws: ``ClientSeriesFailure``, never `notOpen` or `notStored`.
  package func beginHeartbeatSeries(
    timescale: Int32, from start: Timestamp, for owner: ClientIdentity, device: Device? = nil,
    metadata: Metadata = [:]
  ) throws(ClientSeriesFailure) -> UUID {
    try begin(.heartbeats(timescale: timescale), from: start, for: owner, device, metadata)
  }

  /// Inserts values, all or none.
  ///
  /// - Throws: ``ClientSeriesFailure``, never `notStored`.
  package func insert(_ values: [SampleDraft.QuantityValue], into series: UUID) throws(ClientSeriesFailure) {
    try append(values.count, to: series) { (open) throws(SeriesError) in try open.record(inserting: values) }
  }

  /// Adds heartbeats, all or none; each in ticks since the series' start.
  ///
  /// - Throws: ``ClientSeriesFailure``, never `notStored`.
  package func add(
    _ beats: [SampleDraft.HeartbeatTick], to series: UUID
  ) throws(ClientSeriesFailure) {
    try append(beats.count, to: series) { (open) throws(SeriesError) in try open.record(adding: beats) }
  }

  /// Ends a series and returns when it is stored.
  ///
  /// - Parameters:
  ///   - series: The series. If it was completed before and is not stored yet, the call waits for it again.
  ///   - end: When it ends; nil: with its last value.
  ///   - metadata: Metadata to store; the last value of a key counts.
  /// - Throws: ``ClientSeriesFailure``; `notOpen` also where the series was interrupted, and so is stored without `end` and
  ///   `metadata`.
  package func finishSeries(
    _ series: UUID, end: Timestamp?, metadata: Metadata = [:]
  ) async throws(ClientSeriesFailure) {
    if clientSeries[series] != nil {
      try append(0, metadata, to: series) { (open) throws(SeriesError) in try open.record(finishingAt: end) }
      endSeries(series, isFinished: true)
    } else if endedSeries[series] != true {
      throw .notOpen
    }
    await commits[series]?.value
    if endedSeries[series] != nil { throw .notStored }
  }

  /// The program of a series is gone, or may not insert it any more: the series ends with its last value, and its
  /// metadata say that it was interrupted.
  package func interruptSeries(_ series: UUID) {
    if clientSeries[series] != nil { endSeries(series, isFinished: false) }
  }

  /// Forgets a series: nothing of it is stored. Returns when a power cut cannot bring it back.
  ///
  /// - Throws: ``ClientSeriesFailure/notOpen``, ``ClientSeriesFailure/journal``.
  package func discardSeries(_ series: UUID) async throws(ClientSeriesFailure) {
    guard clientSeries[series] != nil, let files else { throw .notOpen }
    do throws(JournalError) {
      try files.journal.commit(series)
      clientSeries[series] = nil
      try await files.syncer.syncNow()
    } catch {
      throw journalRefused(error)
    }
  }

  /// The recorder stops: all series end with their last values.
  ///
  /// - Returns: Those that are to be committed.
  func interruptSeries() -> [UUID] {
    let series = clientSeries.keys.sorted { $0.uuidString < $1.uuidString }
    for identifier in series { endedSeries[identifier] = false }
    clientSeries = [:]
    return series
  }

  /// The time is `now`: series that have been open too long end with their last values.
  func interruptSeries(at now: BootInstant) {
    for (identifier, open) in clientSeries where open.deadline <= now { interruptSeries(identifier) }
    armTimer(for: clientSeries.values.map(\.deadline).min())
  }

  private func begin(
    _ content: OpenClientSeries.Content, from start: Timestamp, for owner: ClientIdentity, _ device: Device?,
    _ metadata: Metadata
  ) throws(ClientSeriesFailure) -> UUID {
    guard condition.phase == .running, isTakingEvents, let files else { throw .notRecording }
    let limits = settings.clientData
    do throws(ClientDataProblem) {
      try limits.check(metadata)
      if let device { try limits.check(device) }
    } catch {
      throw .refused(error)
    }
    let deadline = clock.now().advanced(byMicroseconds: limits.microsecondsOfSeries)
    let open: OpenClientSeries
    do {
      open = try OpenClientSeries(
        content, from: start, owner: owner, device: device, metadata: metadata, identifier: UUID(), until: deadline)
    } catch {
      throw .invalid(error)
    }
    do { try files.journal.open(open.series, metadata: metadata) } catch {
      throw journalRefused(error)
    }
    clientSeries[open.series.identifier] = open
    armTimer(for: deadline)
    journalWorks()
    return open.series.identifier
  }

  private func append(
    _ count: Int, _ metadata: Metadata = [:], to series: UUID,
    _ record: (OpenClientSeries) throws(SeriesError) -> ClientSeriesRecord
  ) throws(ClientSeriesFailure) {
    guard let open = clientSeries[series], let files else { throw .notOpen }
    let limits = settings.clientData
    guard count <= limits.valuesInCall else { throw .refused(.tooLarge(.values)) }
    guard open.count + count <= limits.valuesOfSeries else { throw .refused(.tooLarge(.series)) }
    do throws(ClientDataProblem) {
      try limits.check(metadata)
      try limits.check(open.metadata.merging(metadata) { $1 })
    } catch {
      throw .refused(error)
    }
    let taken: ClientSeriesRecord
    do { taken = try record(open) } catch { throw .invalid(error) }
    do {
      try files.journal.append(
        taken, metadata: metadata, toSeries: series)
    } catch {
      throw journalRefused(error)
    }
    clientSeries[series]?.journalTook(taken, metadata)
    journalWorks()
  }

  private func endSeries(_ series: UUID, isFinished: Bool) {
    clientSeries[series] = nil
    endedSeries[series] = isFinished
    commitSoon(series)
  }

  private func journalRefused(_ error: JournalError) -> ClientSeriesFailure {
    journalFailed(error)
    return .journal
  }
}

/// The reason why a series of another program does not begin, accept values or end.
package enum ClientSeriesFailure: Error, Hashable, Sendable {
  /// The recorder is starting or stopping.
  case notRecording
  /// No such series is open: it has ended, or ended by itself.
  case notOpen
  /// The values, or the end, are not valid; nothing of this call was stored.
  case invalid(SeriesError)
  /// The call holds too much, or metadata that cannot be stored; nothing of it was stored.
  case refused(ClientDataProblem)
  /// The journal cannot be written, because the disk is full for instance; nothing of this call was stored.
  case journal
  /// The series has ended and is not in the store yet. The journal has it, and the recorder tries again.
  case notStored
}
