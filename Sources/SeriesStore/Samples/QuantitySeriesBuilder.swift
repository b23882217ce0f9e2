public import FoundationEssentials
public import HealthModel

/// Builds a series of quantities and packs them as they are inserted.
///
/// Quantities in order are packed at once, so that a day takes constant memory. Quantities out of order are collected
/// in a small buffer and packed separately; eight such runs are merged into one, so that they never take much more
/// memory than they will take room in the store. `finish` merges everything.
public struct QuantitySeriesBuilder: Sendable {
  /// The treatment of inserted times.
  @nonexhaustive
  public enum Order: Hashable, Sendable {
    /// Any order of starts, as in HealthKit; a quantity replaces an earlier one with the same start.
    case sorting
    /// The order of a recording: starts never decrease, and quantities with equal starts all stay, since a sensor may
    /// send two values at once.
    case recorded
  }

  /// The quantity type.
  public let type: QuantityType
  /// The start of the series: no quantity may start before it.
  public let start: Timestamp
  /// The hardware that measures; nil if it is unknown.
  public let device: Device?
  /// The treatment of inserted times.
  public let order: Order
  private var main = PackedRun()
  /// Runs of quantities out of order, by the number of times they were merged; older runs come first.
  private var strays: [[PackedRun]] = []
  private var buffer: [QuantityPacker.Item] = []
  private var count = 0
  private var isFinished = false
  /// Whether the program knows the type, looked up once: a look-up for each value took longer than packing the value.
  private let isKnown: Bool
  private let greatestMagnitude: Double

  /// The most quantities out of order that stay unpacked.
  private static let bufferLimit = 4096
  /// The number of runs that are merged into one.
  private static let runLimit = 8

  /// A builder of a series without quantities.
  public init(type: QuantityType, start: Timestamp, device: Device? = nil, order: Order = .sorting) {
    self.type = type
    self.start = start
    self.device = device
    self.order = order
    isKnown = type.isKnown
    greatestMagnitude = type.greatestMagnitude
  }

  /// Inserts a quantity in any unit that is compatible with the type's unit.
  ///
  /// - Throws: ``HealthModel/SeriesError`` for a quantity that cannot be stored; the series stays as it was.
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

  /// Inserts a value in the type's unit for the time from `start` to `end`.
  ///
  /// - Throws: ``HealthModel/SeriesError`` for a value that cannot be stored; the series stays as it was.
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
    // Of equal starts, the one inserted last must come last: so the position is a sort key too.
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

  /// Ends the series; later calls of the builder throw.
  ///
  /// - Parameters:
  ///   - id: The identifier of the sample.
  ///   - end: The end of the sample, at or after the latest end of all quantities, which is the default.
  ///   - metadata: Further properties.
  ///   - sync: The identity under which the sample may be saved again.
  /// - Returns: The sample, ready to be saved.
  /// - Throws: ``HealthModel/SeriesError``; the series stays as it was.
  public mutating func finish(
    id: UUID = UUID(), end: Timestamp? = nil, metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws(SeriesError) -> NewSample {
    guard !isFinished else { throw .finished }
    guard count > 0 else { throw .empty }
    if let end, !Timestamp.calendarRange.contains(end) { throw .timeOutOfRange }
    packBuffer()
    // Replaced quantities do not count for the end of the series.
    var whole = strays.isEmpty ? main : PackedRun.merge([main] + strays.reversed().joined())
    let chunks = whole.finish()
    let latestEnd = Timestamp(microseconds: SeriesSummary(chunks.lazy.map(\.summary)).end)
    guard end ?? latestEnd >= latestEnd else { throw .endsBeforeInsertedEnd }
    isFinished = true
    main = PackedRun()
    strays = []
    // Cannot fail: the end is not before the latest end, which is not before the start.
    let span = TimeSpan(start: start, end: end ?? latestEnd) ?? TimeSpan(at: start)
    return NewSample(
      quantities: chunks, of: type, over: span, id: id, device: device, metadata: metadata, sync: sync)
  }

  /// Discards all quantities; later calls of the builder throw.
  public mutating func discard() throws(SeriesError) {
    guard !isFinished else { throw .finished }
    isFinished = true
    main = PackedRun()
    strays = []
    buffer = []
  }
}

/// Quantities in ascending order of start, packed as they are added.
struct PackedRun: Sendable {
  private var packer: QuantityPacker
  private var chunks: [QuantityPacker.Packed] = []
  private(set) var lastStart: Int64?

  /// A run without quantities; see ``QuantityPacker/init(summarises:)``.
  init(summarises: Bool = true) {
    packer = QuantityPacker(summarises: summarises)
  }

  mutating func add(_ item: QuantityPacker.Item) {
    if let chunk = packer.add(item) { chunks.append(chunk) }
    lastStart = item.start
  }

  mutating func finish() -> [QuantityPacker.Packed] {
    if let chunk = packer.finish() { chunks.append(chunk) }
    return chunks
  }

  /// Merges all runs; of equal starts, the quantity of the last run is kept.
  static func merge(_ runs: [PackedRun], summarises: Bool = true) -> PackedRun {
    var cursors = runs.map { run in
      var run = run
      return Cursor(run.finish())
    }
    var merged = PackedRun(summarises: summarises)
    while let start = earliestStart(cursors) {
      var item: QuantityPacker.Item?
      for index in cursors.indices where cursors[index].item?.start == start {
        item = cursors[index].item
        cursors[index].advance()
      }
      if let item { merged.add(item) }
    }
    return merged
  }

  private static func earliestStart(_ cursors: [Cursor]) -> Int64? {
    var earliest: Int64?
    for cursor in cursors {
      if let start = cursor.item?.start, start < earliest ?? .max { earliest = start }
    }
    return earliest
  }

  /// Iterates over packed quantities, unpacking one chunk at a time.
  private struct Cursor {
    private let chunks: [QuantityPacker.Packed]
    private var next = 0
    private var chunk = QuantityChunk()
    private var position = 0
    private(set) var item: QuantityPacker.Item?

    init(_ chunks: [QuantityPacker.Packed]) {
      self.chunks = chunks
      advance()
    }

    mutating func advance() {
      while position >= chunk.times.count {
        guard next < chunks.count, let decoded = try? QuantityChunk(decoding: chunks[next].payload) else {
          item = nil
          return
        }
        chunk = decoded
        position = 0
        next += 1
      }
      let start = chunk.times[position]
      let length = chunk.durations.isEmpty ? 0 : chunk.durations[position]
      item = QuantityPacker.Item(value: chunk.values[position], start: start, end: start &+ length)
      position += 1
    }
  }
}
