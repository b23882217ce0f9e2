import Captures
import FoundationEssentials
package import HealthModel
import Timeline

/// The series that programs insert now, and those that are over and not in the store yet: what of a call may be done, and what the
/// journal needs for it.
///
/// Pure. The ``Recorder`` writes a record, and reports that the journal has it.
struct InsertedSeries {
  private var open: [UUID: OpenClientSeries] = [:]
  /// Whether each series that is over was completed by its program; any other was interrupted.
  private var ended: [UUID: Bool] = [:]
  private let limits: ClientDataLimits

  init(limits: ClientDataLimits) {
    self.limits = limits
  }

  /// When the first of them has been open too long.
  var deadline: BootInstant? { open.values.map(\.deadline).min() }

  func isOpen(_ series: UUID) -> Bool { open[series] != nil }

  /// Whether a series is over and not in the store yet.
  func isOver(_ series: UUID) -> Bool { ended[series] != nil }

  /// Whether its program may wait for the store: one that was interrupted is stored without the end that was asked for.
  func isFinished(_ series: UUID) -> Bool { ended[series] == true }

  /// Makes a series that may begin at `now`; the journal is to have it before ``begin(_:)``.
  ///
  /// - Throws: ``ClientSeriesFailure``: `refused`, `invalid`.
  func series(
    _ content: SeriesContent, from start: Timestamp, for owner: ClientIdentity, _ device: Device?,
    _ metadata: Metadata, identifier: UUID, at now: BootInstant
  ) throws(ClientSeriesFailure) -> OpenClientSeries {
    do throws(ClientDataProblem) {
      try limits.check(metadata)
      if let device { try limits.check(device) }
    } catch {
      throw .refused(error)
    }
    do {
      return try OpenClientSeries(
        content, from: start, owner: owner, device: device, metadata: metadata, identifier: identifier,
        until: now.advanced(byMicroseconds: limits.microsecondsOfSeries))
    } catch {
      throw .invalid(error)
    }
  }

  mutating func begin(_ series: OpenClientSeries) {
    open[series.series.identifier] = series
  }

  /// Makes the journal's record of a change: of all of it, or a failure.
  ///
  /// - Throws: ``ClientSeriesFailure``: `notOpen`, `refused`, `invalid`.
  func record(
    of change: SeriesChange, _ metadata: Metadata, in series: UUID
  ) throws(ClientSeriesFailure) -> ClientSeriesRecord {
    guard let open = open[series] else { throw .notOpen }
    guard change.count <= limits.valuesInCall else { throw .refused(.tooLarge(.values)) }
    guard open.count + change.count <= limits.valuesOfSeries else { throw .refused(.tooLarge(.series)) }
    do throws(ClientDataProblem) {
      try limits.check(metadata)
      try limits.check(open.metadata.merging(metadata) { $1 })
    } catch {
      throw .refused(error)
    }
    do { return try open.record(of: change) } catch { throw .invalid(error) }
  }

  /// The journal has this record of a series, and with it this metadata.
  mutating func journalTook(_ record: ClientSeriesRecord, _ metadata: Metadata, of series: UUID) {
    open[series]?.journalTook(record, metadata)
    if case .finish = record { end(series, isFinished: true) }
  }

  /// A series ends with its last value, since its program is gone or may not insert it any more; false where none is open.
  mutating func interrupt(_ series: UUID) -> Bool {
    guard isOpen(series) else { return false }
    end(series, isFinished: false)
    return true
  }

  /// The time is `now`: series that have been open too long are over.
  mutating func timeReached(_ now: BootInstant) -> [UUID] {
    open.filter { $0.value.deadline <= now }.keys.filter { interrupt($0) }
  }

  /// The recorder stops: all series end with their last values. Returns them in the order of their identifiers.
  mutating func interruptAll() -> [UUID] {
    open.keys.sorted { $0.uuidString < $1.uuidString }.filter { interrupt($0) }
  }

  /// A series of an earlier recorder ends with what the journal has of it.
  mutating func recover(_ series: UUID) {
    ended[series] = false
  }

  /// The journal has nothing of a series any more.
  mutating func discard(_ series: UUID) {
    open[series] = nil
  }

  mutating func stored(_ series: UUID) {
    ended[series] = nil
  }

  private mutating func end(_ series: UUID, isFinished: Bool) {
    open[series] = nil
    ended[series] = isFinished
  }
}

/// A change of a series by its program.
package enum SeriesChange: Hashable, Sendable {
  /// Values in the series' unit, in any order of time.
  case values([SampleDraft.QuantityValue])
  /// Heartbeats, each in ticks since the series' start, ascending.
  case beats([SampleDraft.HeartbeatTick])
  /// The end; nil: with the last value.
  case end(Timestamp?)

  fileprivate var count: Int {
    switch self {
    case .values(let values): values.count
    case .beats(let beats): beats.count
    case .end: 0
    }
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
