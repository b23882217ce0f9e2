public import FoundationEssentials
public import HealthModel

/// Collects the quantities of one series and packs them as they come.
///
/// Quantities that come in order are packed at once, so that a day fits in constant memory. Others wait in a small buffer
/// and are packed apart, eight such runs becoming one, so that they never take much more than they will in the store;
/// `finish` merges everything.
public struct QuantitySeriesBuilder: Sendable {
  /// What happens with times.
  @nonexhaustive
  public enum Order: Hashable, Sendable {
    /// HealthKit's: any order; a quantity with the start of an earlier one replaces it.
    case sorting
    /// As recorded: starts never decrease, and equal ones are all kept, since a sensor may send two values at once.
    case recorded
  }

  /// What is measured, in which unit.
  public let type: QuantityType
  /// When the series begins: no quantity may start before it.
  public let start: Timestamp
  /// The hardware that measures.
  public let device: Device?
  /// What happens with times.
  public let order: Order
  private var main = PackedRun()
  /// Runs of quantities out of order, by how often they were merged; each is older than those behind it and below.
  private var strays: [[PackedRun]] = []
  private var buffer: [QuantityPacker.Item] = []
  private var count = 0
  private var isFinished = false
  /// What the type says of each value, asked once: finding a type's style took more time than packing a value.
  private let isKnown: Bool
  private let greatestMagnitude: Double

  /// How many quantities out of order wait unpacked.
  private static let bufferLimit = 4096
  /// How many runs of one kind become one of the next.
  private static let runLimit = 8

  /// An empty series.
  public init(type: QuantityType, start: Timestamp, device: Device? = nil, order: Order = .sorting) {
    self.type = type
    self.start = start
    self.device = device
    self.order = order
    isKnown = type.isKnown
    greatestMagnitude = type.greatestMagnitude
  }

  /// Inserts a quantity in any unit that can be converted to the type's.
  public mutating func insert(_ quantity: Quantity, for span: TimeSpan) throws(SeriesError) {
    guard isKnown else { throw .unknownType(type.identifier) }
    do {
      try insert(quantity.value(in: type.unit), from: span.start, to: span.end)
    } catch let error as SeriesError {
      throw error
    } catch {
      throw .incompatibleUnit(unit: quantity.unit.symbol, type: type.identifier)
    }
  }

  /// Inserts a value in the type's unit.
  public mutating func insert(_ value: Double, from start: Timestamp, to end: Timestamp) throws(SeriesError) {
    guard !isFinished else { throw .finished }
    guard isKnown else { throw .unknownType(type.identifier) }
    guard value.isFinite else { throw .notFinite }
    guard start >= self.start else { throw .startsBeforeSeries }
    guard end >= start else { throw .endsBeforeStart }
    let range = Timestamp.calendarRange
    guard range.contains(start), range.contains(end) else { throw .timeOutOfRange }
    guard value.magnitude <= greatestMagnitude else { throw .valueOutOfRange(limit: greatestMagnitude) }
    let item = QuantityPacker.Item(value: value, start: start.microseconds, end: end.microseconds)
    if let last = main.lastStart, item.start < last || (item.start == last && order == .sorting) {
      guard order == .sorting else { throw .timeDecreases(index: count) }
      buffer.append(item)
      if buffer.count >= Self.bufferLimit { packBuffer() }
    } else {
      main.add(item)
    }
    count += 1
  }

  private mutating func packBuffer() {
    guard !buffer.isEmpty else { return }
    // Of equal starts the last one inserted comes last: sorting by place as well makes that sure.
    let places = buffer.indices.sorted { (buffer[$0].start, $0) < (buffer[$1].start, $1) }
    var run = PackedRun(summarises: false)
    for (rank, place) in places.enumerated() {
      let isReplaced = rank + 1 < places.count && buffer[places[rank + 1]].start == buffer[place].start
      if !isReplaced { run.add(buffer[place]) }
    }
    buffer = []
    keep(run, level: 0)
  }

  private mutating func keep(_ run: PackedRun, level: Int) {
    if strays.count == level { strays.append([]) }
    strays[level].append(run)
    guard strays[level].count == Self.runLimit else { return }
    let merged = PackedRun.merge(strays[level], summarises: false)
    strays[level] = []
    keep(merged, level: level + 1)
  }

  /// The sample, ready to be saved; afterwards every call is an error. A finish that is refused leaves the series as it was.
  ///
  /// `end` is by default the latest end of all quantities, and may not be before it.
  public mutating func finish(
    id: UUID = UUID(), end: Timestamp? = nil, metadata: Metadata = [:], sync: NewSample.SyncIdentity? = nil
  ) throws(SeriesError) -> NewSample {
    guard !isFinished else { throw .finished }
    guard count > 0 else { throw .empty }
    if let end, !Timestamp.calendarRange.contains(end) { throw .timeOutOfRange }
    packBuffer()
    // What was replaced is not in it any more, and so does not decide when the series ends.
    var whole = strays.isEmpty ? main : PackedRun.merge([main] + strays.reversed().joined())
    let chunks = whole.finish()
    let latestEnd = Timestamp(microseconds: SeriesSummary(chunks.lazy.flatMap(\.cells)).end)
    guard end ?? latestEnd >= latestEnd else { throw .endsBeforeInsertedEnd }
    isFinished = true
    main = PackedRun()
    strays = []
    // Not before the latest end, which is not before the start.
    let span = TimeSpan(start: start, end: end ?? latestEnd) ?? TimeSpan(at: start)
    return NewSample(
      quantities: chunks, of: type, over: span, id: id, device: device, metadata: metadata, sync: sync)
  }

  /// Forgets everything; afterwards every call is an error.
  public mutating func discard() throws(SeriesError) {
    guard !isFinished else { throw .finished }
    isFinished = true
    main = PackedRun()
    strays = []
    buffer = []
  }
}
