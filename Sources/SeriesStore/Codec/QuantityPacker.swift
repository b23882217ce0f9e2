/// Packs quantities in order of time, chunk by chunk as they arrive: a day takes constant memory.
///
/// A chunk ends an hour after its first quantity, or when it is full.
struct QuantityPacker: Sendable {
  /// A finished chunk with its summary cells.
  struct Packed: Hashable, Sendable {
    var payload: [UInt8]
    var cells: [SummaryCell]
  }

  /// A single quantity.
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
  /// The cells before the current one.
  private var cells: [SummaryCell] = []
  private var cell = SummaryCell()
  private var chunkEnd: Int64 = .min
  private var cellEnd: Int64 = .min
  private let summarises: Bool

  /// `summarises`: whether chunks get cells; chunks that are only kept temporarily need none.
  init(summarises: Bool = true) {
    self.summarises = summarises
  }

  /// Adds a quantity that starts at or after the previous one. Returns the chunk that it completed.
  mutating func add(_ item: Item) -> Packed? {
    var closed: Packed?
    if item.start >= chunkEnd || chunk.times.count >= QuantityChunk.capacity {
      closed = finish()
      chunkEnd = item.start &+ Self.hour
    }
    if summarises {
      if item.start >= cellEnd {
        if cell.count > 0 { cells.append(cell) }
        cell = SummaryCell()
        cellEnd = SummaryCell.floor(item.start) &+ SummaryCell.length
      }
      cell.add(item.value, start: item.start, end: item.end)
    }
    let count = chunk.times.count
    if let kilojoules = item.kilojoules {
      chunk.energies.append(QuantityChunk.Energy(index: count, kilojoules: kilojoules))
    }
    // Most series have no durations and contacts; those columns start with the first value that has one.
    if item.end > item.start || !chunk.durations.isEmpty {
      if chunk.durations.isEmpty { chunk.durations = Array(repeating: 0, count: count) }
      chunk.durations.append(item.end &- item.start)
    }
    if item.contact != 0 || !chunk.contacts.isEmpty {
      if chunk.contacts.isEmpty { chunk.contacts = Array(repeating: 0, count: count) }
      chunk.contacts.append(item.contact)
    }
    chunk.times.append(item.start)
    chunk.values.append(item.value)
    return closed
  }

  /// Returns the open chunk; nil if nothing was added since the last one.
  mutating func finish() -> Packed? {
    guard !chunk.times.isEmpty else { return nil }
    if cell.count > 0 { cells.append(cell) }
    let packed = Packed(payload: chunk.encode(), cells: cells)
    self = QuantityPacker(summarises: summarises)
    return packed
  }
}
