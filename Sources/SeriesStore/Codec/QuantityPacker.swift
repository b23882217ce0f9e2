/// Packs quantities that come in order of time, chunk by chunk, while they come: a day fits in constant memory.
///
/// A chunk ends with each hour of UTC, or when it is full.
struct QuantityPacker: Sendable {
  /// A finished chunk with the cells that summarise it.
  struct Packed: Hashable, Sendable {
    var payload: [UInt8]
    var cells: [SummaryCell]
  }

  /// What one quantity brings.
  struct Item: Hashable, Sendable {
    var value: Double
    /// Microseconds since 1970.
    var start: Int64
    var end: Int64
    /// Raw ``HealthModel/SensorContact``.
    var contact: UInt8 = 0
    var kilojoules: UInt16?
  }

  private static let hour: Int64 = 3_600_000_000
  private var chunk = QuantityChunk()
  private var cells: [SummaryCell] = []
  private var chunkEnd: Int64 = .min
  private var cellEnd: Int64 = .min
  private var saysDuration = false
  private var saysContact = false

  /// Adds a quantity that starts at or after the one before it; gives the chunk that it closed.
  mutating func add(_ item: Item) -> Packed? {
    var closed: Packed?
    if item.start >= chunkEnd || chunk.times.count >= QuantityChunk.capacity {
      closed = finish()
      let remainder = item.start % Self.hour
      chunkEnd = item.start &- (remainder < 0 ? remainder + Self.hour : remainder) &+ Self.hour
    }
    if item.start >= cellEnd || cells.isEmpty {
      cells.append(SummaryCell())
      cellEnd = SummaryCell.floor(item.start) &+ SummaryCell.length
    }
    cells[cells.count - 1].add(item.value, start: item.start, end: item.end)
    if let kilojoules = item.kilojoules {
      chunk.energies.append(QuantityChunk.Energy(index: chunk.times.count, kilojoules: kilojoules))
    }
    chunk.times.append(item.start)
    chunk.values.append(item.value)
    chunk.durations.append(item.end &- item.start)
    chunk.contacts.append(item.contact)
    saysDuration = saysDuration || item.end > item.start
    saysContact = saysContact || item.contact != 0
    return closed
  }

  /// The chunk that is still open; nil where nothing was added since the last.
  mutating func finish() -> Packed? {
    guard !chunk.times.isEmpty else { return nil }
    if !saysDuration { chunk.durations = [] }
    if !saysContact { chunk.contacts = [] }
    let packed = Packed(payload: chunk.encode(), cells: cells)
    self = QuantityPacker()
    return packed
  }
}
