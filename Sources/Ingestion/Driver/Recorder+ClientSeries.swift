import Captures
package import FoundationEssentials
package import HealthModel
import Timeline

// Series of other programs. The values of a call are in the journal when it returns: they survive the end of both
// programs at once, and a power cut from the next sync on. Permissions are not decided here.

extension Recorder {
  /// Begins a series.
  ///
  /// - Parameters:
  ///   - content: Quantities of a known type in a unit that is compatible with the type's, or heartbeats.
  ///   - start: The series' start; no value comes before it.
  ///   - owner: The program that inserts it; it becomes the source.
  ///   - device: The measuring device, if the program names it.
  ///   - metadata: Metadata to store.
  /// - Returns: The series' identity, also in the store.
  /// - Throws: ``ClientSeriesFailure``, never `notOpen` or `notStored`.
  package func beginSeries(
    _ content: SeriesContent, from start: Timestamp, for owner: ClientIdentity, device: Device? = nil,
    metadata: Metadata = [:]
  ) throws(ClientSeriesFailure) -> UUID {
    guard condition.phase == .running else { throw .notRecording }
    let new = try series.series(
      content, from: start, for: owner, device, metadata, identifier: UUID(), at: clock.now())
    try write(or: ClientSeriesFailure.journal) { (journal) throws(JournalError) in
      try journal.open(new.series, metadata: metadata)
    }
    series.begin(new)
    armTimer(for: new.deadline)
    return new.series.identifier
  }

  /// Inserts values or heartbeats, all or none, or ends a series.
  ///
  /// - Throws: ``ClientSeriesFailure``, never `notStored`.
  package func insert(
    _ change: SeriesChange, _ metadata: Metadata = [:], into series: UUID
  ) throws(ClientSeriesFailure) {
    let record = try self.series.record(of: change, metadata, in: series)
    try write(or: ClientSeriesFailure.journal) { (journal) throws(JournalError) in
      try journal.append(record, metadata: metadata, toSeries: series)
    }
    self.series.journalTook(record, metadata, of: series)
  }

  /// Ends a series and returns when it is stored.
  ///
  /// - Parameters:
  ///   - identifier: The series. If it was completed before and is not stored yet, the call waits for it again.
  ///   - end: When it ends; nil: with its last value.
  ///   - metadata: Metadata to store; the last value of a key counts.
  /// - Throws: ``ClientSeriesFailure``; `notOpen` also where the series was interrupted, and so is stored without `end` and
  ///   `metadata`.
  package func finishSeries(
    _ identifier: UUID, end: Timestamp?, metadata: Metadata = [:]
  ) async throws(ClientSeriesFailure) {
    if !series.isFinished(identifier) {
      try insert(.end(end), metadata, into: identifier)
      commitSoon(identifier)
    }
    await commits[identifier]?.value
    if series.isOver(identifier) { throw .notStored }
  }

  /// The program of a series is gone, or may not insert it any more: the series ends with its last value, and its
  /// metadata say that it was interrupted.
  package func interruptSeries(_ identifier: UUID) {
    if series.interrupt(identifier) { commitSoon(identifier) }
  }

  /// Forgets a series: nothing of it is stored. Returns when a power cut cannot bring it back.
  ///
  /// - Throws: ``ClientSeriesFailure/notOpen``, ``ClientSeriesFailure/journal``.
  package func discardSeries(_ identifier: UUID) async throws(ClientSeriesFailure) {
    guard series.isOpen(identifier), let files else { throw .notOpen }
    do throws(JournalError) {
      try files.journal.commit(identifier)
      series.discard(identifier)
      try await files.syncer.syncNow()
    } catch {
      journalFailed(error)
      throw .journal
    }
  }
}
