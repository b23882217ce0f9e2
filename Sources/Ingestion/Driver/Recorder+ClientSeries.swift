public import Captures
public import FoundationEssentials
public import HealthModel

// Series of other programs. What a call has taken is in the journal when it returns: it outlives the program and this one at
// once, and the power from the next sync on. Who may insert what is not decided here.

extension Recorder {
  /// Begins a series of quantities.
  ///
  /// - Parameters:
  ///   - type: Of a known type.
  ///   - unit: That of the values to come, compatible with the type's.
  ///   - start: The series' start; no value comes before it.
  ///   - source: The identifier of the program that inserts it.
  ///   - metadata: What is stored with it.
  /// - Returns: The series' identity, also in the store.
  /// - Throws: ``ClientSeriesFailure``, never `notOpen` or `notStored`.
  public func beginSeries(
    of type: QuantityType, in unit: Unit, from start: Timestamp, source: String,
    metadata: [String: CaptureMetadataValue] = [:]
  ) throws(ClientSeriesFailure) -> UUID {
    try begin(.quantities(type, unit), from: start, source: source, metadata: metadata)
  }

  /// Begins a series of heartbeats in ticks of `1/timescale` seconds since `start`; else as
  /// ``beginSeries(of:in:from:source:metadata:)``.
  ///
  /// - Returns: The series' identity, also in the store.
  /// - Throws: ``ClientSeriesFailure``, never `notOpen` or `notStored`.
  public func beginHeartbeatSeries(
    timescale: Int32, from start: Timestamp, source: String, metadata: [String: CaptureMetadataValue] = [:]
  ) throws(ClientSeriesFailure) -> UUID {
    try begin(.heartbeats(timescale: timescale), from: start, source: source, metadata: metadata)
  }

  /// Inserts values, all or none.
  ///
  /// - Throws: ``ClientSeriesFailure``, never `notStored`.
  public func insert(_ values: [ClientSeries.Value], into series: UUID) throws(ClientSeriesFailure) {
    try append(to: series) { (open) throws(SeriesError) in try open.record(inserting: values) }
  }

  /// Adds heartbeats, all or none; each in ticks since the series' start.
  ///
  /// - Throws: ``ClientSeriesFailure``, never `notStored`.
  public func add(
    _ beats: [(ticks: Int64, precededByGap: Bool)], to series: UUID
  ) throws(ClientSeriesFailure) {
    try append(to: series) { (open) throws(SeriesError) in try open.record(adding: beats) }
  }

  /// Ends a series and returns when it is stored.
  ///
  /// - Parameters:
  ///   - series: Which one. One that has ended is waited for again.
  ///   - end: When it ends; nil: with its last value.
  ///   - metadata: What is stored with it; the last value of a key counts.
  /// - Throws: ``ClientSeriesFailure``.
  public func finishSeries(
    _ series: UUID, end: Timestamp?, metadata: [String: CaptureMetadataValue] = [:]
  ) async throws(ClientSeriesFailure) {
    if clientSeries[series] != nil {
      try append(to: series, metadata: metadata) { (open) throws(SeriesError) in try open.record(finishingAt: end) }
      endSeries(series)
    } else if !endedSeries.contains(series) {
      throw .notOpen
    }
    await commits[series]?.value
    if endedSeries.contains(series) { throw .notStored }
  }

  /// The program of a series is gone: the series ends with its last value, and says that it was interrupted.
  public func interruptSeries(_ series: UUID) {
    if clientSeries[series] != nil { endSeries(series) }
  }

  /// Forgets a series: nothing of it is stored.
  ///
  /// - Throws: ``ClientSeriesFailure/notOpen``, ``ClientSeriesFailure/journal``.
  public func discardSeries(_ series: UUID) throws(ClientSeriesFailure) {
    guard clientSeries[series] != nil else { throw .notOpen }
    do { try files?.journal.commit(series) } catch { throw journalRefused(error) }
    clientSeries[series] = nil
  }

  /// The recorder stops: all series end with their last values.
  ///
  /// - Returns: Those that are to be committed.
  func interruptSeries() -> [UUID] {
    let series = clientSeries.keys.sorted { $0.uuidString < $1.uuidString }
    endedSeries.formUnion(series)
    clientSeries = [:]
    return series
  }

  private func begin(
    _ content: OpenClientSeries.Content, from start: Timestamp, source: String,
    metadata: [String: CaptureMetadataValue]
  ) throws(ClientSeriesFailure) -> UUID {
    guard condition.phase == .running, isTakingEvents, let files else { throw .notRecording }
    let open: OpenClientSeries
    do { open = try OpenClientSeries(content, from: start, source: source, identifier: UUID()) } catch {
      throw .invalid(error)
    }
    do { try files.journal.open(open.series, metadata: metadata) } catch { throw journalRefused(error) }
    clientSeries[open.series.identifier] = open
    return open.series.identifier
  }

  private func append(
    to series: UUID, metadata: [String: CaptureMetadataValue] = [:],
    _ record: (OpenClientSeries) throws(SeriesError) -> ClientSeriesRecord
  ) throws(ClientSeriesFailure) {
    guard let open = clientSeries[series], let files else { throw .notOpen }
    let taken: ClientSeriesRecord
    do { taken = try record(open) } catch { throw .invalid(error) }
    do { try files.journal.append(taken, metadata: metadata, toSeries: series) } catch { throw journalRefused(error) }
    clientSeries[series]?.journalTook(taken)
    journalWorks()
  }

  private func endSeries(_ series: UUID) {
    clientSeries[series] = nil
    endedSeries.insert(series)
    commitSoon(series)
  }

  private func journalRefused(_ error: JournalError) -> ClientSeriesFailure {
    journalFailed(error)
    return .journal
  }
}
