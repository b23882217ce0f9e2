/// A part of a quantity series, packed into one blob: timestamps, values, and the optional fields of some values.
///
/// Layout (Documentation/store-format.md, "Quantity chunk").
struct QuantityChunk: Hashable, Sendable {
  /// The first byte after the checksum.
  static let layout: UInt8 = 0x11
  /// The most quantities in one chunk.
  static let capacity = 65536

  /// Start of each quantity in microseconds since 1970, not decreasing.
  var times: [Int64] = []
  var values: [Double] = []
  /// The duration of each quantity in microseconds; empty if none has a duration.
  var durations: [Int64] = []
  /// Raw ``HealthModel/SensorContact`` of each quantity; empty if none is known.
  var contacts: [UInt8] = []
  /// Energies in kilojoules, by ascending index of their quantities.
  var energies: [Energy] = []

  struct Energy: Hashable, Sendable {
    var index: Int
    var kilojoules: UInt16
  }

  /// A byte that describes a chunk's content.
  struct Content: OptionSet {
    let rawValue: UInt8
    /// Stamps and durations are whole milliseconds, and stored as such.
    static let milliseconds = Content(rawValue: 1 << 0)
    static let durations = Content(rawValue: 1 << 1)
    static let contacts = Content(rawValue: 1 << 2)
    static let energies = Content(rawValue: 1 << 3)
    /// Values are stored as bit patterns, not as decimal numbers.
    static let patterns = Content(rawValue: 1 << 4)

    /// Timestamps are predicted by slots instead of a clock.
    static let slots = Content(rawValue: 1 << 5)

    static let known: Content = [.milliseconds, .durations, .contacts, .energies, .patterns, .slots]
  }

  /// The decimal scales tried for values: 10⁰ to 10⁶.
  static let scales: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
}

/// Packs quantities in order of time, chunk by chunk as they arrive: a day takes constant memory.
///
/// A chunk ends an hour after its first quantity, or when it is full. Where quantities are rare, it goes on for a day
/// at most until it has ``fewest``: a row for two or three quantities takes more room and time than the quantities.
struct QuantityPacker: Sendable {
  /// A finished chunk with its summary.
  struct Packed: Hashable, Sendable {
    var payload: [UInt8]
    /// The chunk's summary cells, packed as well: unpacked cells would take most of the memory while many series wait
    /// to be stored.
    var cells: [UInt8]
    var summary: SeriesSummary

    init(_ payload: [UInt8], _ cells: [SummaryCell]) {
      self.payload = payload
      self.cells = SummaryCells.encode(cells)
      summary = SeriesSummary(cells)
    }
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
  private static let day = 24 * hour
  /// The fewest quantities in a chunk, except in the last one of a series or of a day: one a minute for an hour.
  static let fewest = 60
  private var chunk = QuantityChunk()
  /// The cells before the current one.
  private var cells: [SummaryCell] = []
  private var cell = SummaryCell()
  private var cellEnd: Int64 = .min
  private let summarises: Bool

  /// - Parameter summarises: Whether chunks get summary cells; chunks that are not stored need none.
  init(summarises: Bool = true) {
    self.summarises = summarises
  }

  /// Adds a quantity that starts at or after the previous one. Returns the chunk before it, if that is complete now.
  mutating func add(_ item: Item) -> Packed? {
    var closed: Packed?
    if isComplete(before: item.start) { closed = finish() }
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

  /// Whether a quantity that starts then belongs to the next chunk.
  private func isComplete(before start: Int64) -> Bool {
    guard let first = chunk.times.first else { return false }
    let (count, length) = (chunk.times.count, start &- first)
    return count >= QuantityChunk.capacity || length >= Self.day || length >= Self.hour && count >= Self.fewest
  }

  /// Returns the open chunk; nil if nothing was added since the last one.
  mutating func finish() -> Packed? {
    guard !chunk.times.isEmpty else { return nil }
    if cell.count > 0 { cells.append(cell) }
    let packed = Packed(chunk.encode(), cells)
    self = QuantityPacker(summarises: summarises)
    return packed
  }
}
