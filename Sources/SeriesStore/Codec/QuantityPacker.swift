/// Packs quantities that come in order of time, chunk by chunk, while they come: a day fits in constant memory.
///
/// A chunk ends an hour after its first quantity, or when it is full.
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
  /// The cells before the one that is being filled.
  private var cells: [SummaryCell] = []
  private var cell = SummaryCell()
  private var chunkEnd: Int64 = .min
  private var cellEnd: Int64 = .min
  private let summarises: Bool

  /// `summarises`: whether chunks come with their cells; what is only kept for a while needs none.
  init(summarises: Bool = true) {
    self.summarises = summarises
  }

  /// Adds a quantity that starts at or after the one before it; gives the chunk that it closed.
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
    // Most series say nothing of durations and contact: their columns begin where there is something to say.
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

  /// The chunk that is still open; nil where nothing was added since the last.
  mutating func finish() -> Packed? {
    guard !chunk.times.isEmpty else { return nil }
    if cell.count > 0 { cells.append(cell) }
    let packed = Packed(payload: chunk.encode(), cells: cells)
    self = QuantityPacker(summarises: summarises)
    return packed
  }
}
