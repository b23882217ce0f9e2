import Captures
import FoundationEssentials
package import HealthModel
import SeriesStore
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

/// A series that another program inserts, as far as the next insertion depends on it: its values are in the journal, not here.
///
/// Pure. Values that could not be stored in the end are refused, so that all accepted values can be.
struct OpenClientSeries {
  let content: SeriesContent
  let start: Timestamp
  /// The metadata that are in the journal.
  private(set) var metadata: Metadata
  /// When it ends by itself.
  let deadline: BootInstant
  /// The series' record in the journal at its beginning.
  let series: ClientSeries
  /// The number of values or heartbeats.
  private(set) var count = 0
  private var latestEnd: Timestamp?
  private var lastTick: Int64 = 0

  /// - Throws: ``HealthModel/SeriesError`` where no value of the series could ever be inserted.
  init(
    _ content: SeriesContent, from start: Timestamp, owner: ClientIdentity, device: Device? = nil,
    metadata: Metadata = [:],
    identifier: UUID, until deadline: BootInstant
  ) throws(SeriesError) {
    self.content = content
    self.start = start
    self.metadata = metadata
    self.deadline = deadline
    try Self.check(start.microseconds)
    let type: String
    let unit: String
    switch content {
    case .quantities(let quantityType, let its):
      // A type that the program registered for itself would not be known at the series' end.
      guard QuantityType(identifier: quantityType.identifier) == quantityType else {
        throw .unknownType(quantityType.identifier)
      }
      guard its.isCompatible(with: quantityType.unit) else {
        throw .incompatibleUnit(unit: its.symbol, type: quantityType.identifier)
      }
      (type, unit) = (quantityType.identifier, its.symbol)
    case .heartbeats(let timescale):
      guard Self.timescales.contains(timescale) else { throw .invalidTimescale(timescale) }
      (type, unit) = (SampleType.heartbeatSeries.identifier, ClientSeries.tick(timescale))
    }
    series = ClientSeries(
      identifier: identifier, type: type, unit: unit, source: owner.source, startMicroseconds: start.microseconds,
      device: device)
  }

  /// Makes the journal's record of a change: of all of it, or an error.
  ///
  /// - Throws: ``HealthModel/SeriesError`` for the first value that is not valid; of an end ``HealthModel/SeriesError/empty``,
  ///   ``HealthModel/SeriesError/endsBeforeInsertedEnd``, ``HealthModel/SeriesError/timeOutOfRange``.
  func record(of change: SeriesChange) throws(SeriesError) -> ClientSeriesRecord {
    switch (change, content) {
    case (.values(let values), .quantities(let type, let unit)):
      guard !values.isEmpty else { throw .empty }
      var trial = QuantitySeriesBuilder(type: type, start: start)
      for value in values {
        try trial.insert(Quantity(value.value, unit), for: value.span)
        try Self.check(value.span.start.microseconds)
        try Self.check(value.span.end.microseconds)
      }
      return .values(values)
    case (.beats(let beats), .heartbeats(let timescale)):
      guard !beats.isEmpty else { throw .empty }
      return .beats(try intervals(of: beats, timescale), after: lastTick)
    case (.end(let end), _):
      guard count > 0 else { throw .empty }
      // Heartbeats always end with their last one.
      guard case .quantities = content, let end else { return .finish(endMicroseconds: nil) }
      try Self.check(end.microseconds)
      if let latestEnd, end < latestEnd { throw .endsBeforeInsertedEnd }
      return .finish(endMicroseconds: end.microseconds)
    case (.values, _), (.beats, _): throw .unknownType(series.type)
    }
  }

  private func intervals(
    of beats: [SampleDraft.HeartbeatTick], _ timescale: Int32
  ) throws(SeriesError) -> [Heartbeat] {
    var last = lastTick
    var intervals: [Heartbeat] = []
    for (position, beat) in beats.enumerated() {
      let index = count + position
      guard beat.ticks > last || (index == 0 && beat.ticks == 0) else { throw .timeNotIncreasing(index: index) }
      guard let interval = UInt32(exactly: beat.ticks - last) else { throw .beatOutOfRange(index: index) }
      try Self.check(start.microseconds.addingSaturated(beat.ticks / Int64(timescale) * 1_000_000))
      intervals.append(Heartbeat(rrTicks: interval, precededByGap: beat.precededByGap))
      last = beat.ticks
    }
    return intervals
  }

  /// Ticks in a second: with more, two heartbeats could have one time.
  private static let timescales: ClosedRange<Int32> = 1...1_000_000

  /// Throws for a time that the journal could not give back.
  private static func check(_ microseconds: Int64) throws(SeriesError) {
    guard ClientSeries.times.contains(microseconds) else { throw .timeOutOfRange }
  }

  /// The journal has this record, and with it this metadata.
  mutating func journalTook(_ record: ClientSeriesRecord, _ more: Metadata = [:]) {
    metadata.merge(more) { $1 }
    switch record {
    case .values(let values):
      count += values.count
      for value in values { latestEnd = max(latestEnd ?? value.span.end, value.span.end) }
    case .beats(let beats, _):
      count += beats.count
      for beat in beats { lastTick += Int64(beat.rrTicks) }
    case .begin, .finish: break
    }
  }
}

/// The kind of content of a series.
package enum SeriesContent: Hashable, Sendable {
  /// Quantities in a unit that is compatible with the type's.
  case quantities(QuantityType, Unit)
  /// Heartbeats in ticks of `1/timescale` seconds since the series' start.
  case heartbeats(timescale: Int32)
}

extension ClientSeries {
  /// A tick of so many in a second, as the journal names it.
  static func tick(_ timescale: Int32) -> String { "1/\(timescale) s" }

  /// The number of ticks in a second; nil if the unit names no tick.
  var timescale: Int32? {
    guard unit.hasPrefix("1/"), unit.hasSuffix(" s") else { return nil }
    return Int32(unit.dropFirst(2).dropLast(2)).flatMap { $0 > 0 ? $0 : nil }
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
