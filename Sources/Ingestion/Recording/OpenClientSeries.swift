import Captures
import FoundationEssentials
package import HealthModel
import SeriesStore
import Timeline

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
