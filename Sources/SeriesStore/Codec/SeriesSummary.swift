import HealthModel

/// The summary of a part of a quantity series: the summary columns of a sample, or of one of its chunks.
struct SeriesSummary: Hashable, Sendable {
  var count = 0
  var sum: Double = 0
  var minimum: Double = .infinity
  var maximum: Double = -.infinity
  /// Microseconds since 1970, as all times here.
  var start: Int64 = 0
  /// The latest end of all quantities.
  var end: Int64 = 0
  var last: Double = 0
  var lastStart: Int64 = 0
  var lastEnd: Int64 = 0
  /// The total duration of the quantities, in microseconds.
  var duration: Int64 = 0
  /// The sum of value times duration in microseconds.
  var weighted: Double = 0

  init() {}

  /// The summary of successive cells.
  init(_ cells: some Sequence<SummaryCell>) {
    for cell in cells { add(Self(cell)) }
  }

  /// The summary of successive parts.
  init(_ parts: some Sequence<SeriesSummary>) {
    for part in parts { add(part) }
  }

  private init(_ cell: SummaryCell) {
    (count, sum, minimum, maximum) = (cell.count, cell.sum, cell.minimum, cell.maximum)
    (start, end) = (cell.firstStart, cell.maximumEnd)
    (last, lastStart, lastEnd) = (cell.last, cell.lastStart, cell.lastEnd)
    (duration, weighted) = (cell.duration, cell.weighted)
  }

  private mutating func add(_ next: SeriesSummary) {
    guard count > 0 else {
      self = next
      return
    }
    count += next.count
    sum += next.sum
    minimum = min(minimum, next.minimum)
    maximum = max(maximum, next.maximum)
    end = max(end, next.end)
    (last, lastStart, lastEnd) = (next.last, next.lastStart, next.lastEnd)
    duration = duration.addingSaturated(next.duration)
    weighted += next.weighted
  }
}

/// The figures of a quarter of an hour of a quantity series, from which statistics are computed without unpacking the
/// series.
///
/// The offsets of all present time zones are multiples of a quarter of an hour, so the buckets of any calendar begin where
/// cells do.
struct SummaryCell: Hashable, Sendable {
  /// A quarter of an hour in microseconds: cells begin at multiples of it since 1970.
  static let length: Int64 = 900_000_000
  /// Two values further apart than this have a gap between them: ten seconds, in microseconds.
  static let maximumGap: Int64 = 10_000_000

  var count = 0
  var sum: Double = 0
  var minimum: Double = .infinity
  var maximum: Double = -.infinity
  var first: Double = 0
  /// Microseconds since 1970, as all times here.
  var firstStart: Int64 = 0
  var last: Double = 0
  var lastStart: Int64 = 0
  var lastEnd: Int64 = 0
  /// The latest end of all quantities.
  var maximumEnd: Int64 = 0
  /// The total duration of the quantities, in microseconds.
  var duration: Int64 = 0
  /// The sum of value times duration.
  var weighted: Double = 0
  /// Microseconds between `firstStart` and `maximumEnd` without gaps.
  var covered: Int64 = 0
  /// The integral of the values, each held until the next one, without gaps.
  var held: Double = 0
  /// The integral of straight lines between neighbours, without gaps.
  var trapezoid: Double = 0

  /// The beginning of the quarter of an hour.
  var start: Int64 { Self.floor(firstStart) }

  /// The beginning of the quarter of an hour that contains `time`.
  static func floor(_ time: Int64) -> Int64 {
    let remainder = time % length
    return time &- (remainder < 0 ? remainder + length : remainder)
  }

  /// Whether all its quantities end within its quarter of an hour.
  var isSelfContained: Bool { maximumEnd &- start <= Self.length }

  /// Adds a quantity of the same quarter that starts at or after the previous ones.
  mutating func add(_ value: Double, start: Int64, end: Int64) {
    if count == 0 {
      first = value
      firstStart = start
      maximumEnd = start
    } else {
      let interval = start &- lastStart
      if interval <= Self.maximumGap {
        held += last * Double(interval)
        trapezoid += (last + value) / 2 * Double(interval)
      }
      let bridge = start &- maximumEnd
      if bridge > 0, bridge <= Self.maximumGap { covered &+= bridge }
    }
    count += 1
    sum += value
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    last = value
    lastStart = start
    lastEnd = end
    if end > start {
      duration = duration.addingSaturated(end.subtractingSaturated(start))
      weighted += value * Double(end &- start)
    }
    if end > maximumEnd {
      covered &+= end &- max(start, maximumEnd)
      maximumEnd = end
    }
  }
}

/// The cells of one chunk, packed.
///
/// Layout (Documentation/store-format.md, "Summary cells"): CRC-32C of the rest, layout byte, decimal scale of the values
/// (255: bit patterns), count; then each cell's numbers as variable-length integers and its integrals as bit patterns.
enum SummaryCells {
  static let layout: UInt8 = 0x31
  private static let patterns: UInt8 = 255

  static func encode(_ cells: [SummaryCell]) -> [UInt8] {
    let scale = QuantityChunk.decimalScale(
      of: cells.lazy.flatMap { [$0.sum, $0.minimum, $0.maximum, $0.first, $0.last] })
    var writer = ByteWriter()
    for _ in 0..<4 { writer.put(0) }
    writer.put(layout)
    writer.put(scale.map(UInt8.init) ?? patterns)
    writer.putVarint(UInt64(cells.count))
    var previous: Int64 = 0
    for cell in cells {
      writer.putSigned((cell.start - previous) / SummaryCell.length)
      previous = cell.start
      writer.putVarint(UInt64(cell.count))
      writer.putVarint(UInt64(cell.firstStart - cell.start))
      writer.putVarint(UInt64(cell.lastStart - cell.firstStart))
      writer.putSigned(cell.lastEnd &- cell.lastStart)
      writer.putSigned(cell.maximumEnd &- cell.lastEnd)
      writer.putSigned(cell.duration)
      writer.putSigned(cell.covered)
      for value in [cell.sum, cell.minimum, cell.maximum, cell.first, cell.last] { writer.put(value, scale: scale) }
      if cell.duration != 0 { writer.putPattern(cell.weighted) }
      writer.putPattern(cell.held)
      writer.putPattern(cell.trapezoid)
    }
    return ChunkSeal.seal(writer.bytes)
  }

  /// Whether no quantity of a cell lasts beyond the start of the next cell. A chunk may end within a quarter of an hour,
  /// which two cells then share; what both cover must not be counted twice.
  static func areDisjoint(_ cells: [SummaryCell]) -> Bool {
    var latestEnd = Int64.min
    for cell in cells {
      guard cell.firstStart >= latestEnd else { return false }
      latestEnd = cell.maximumEnd
    }
    return true
  }

  /// Decodes the cells in `bytes`; never traps, whatever the bytes are.
  static func decode(_ bytes: [UInt8]) throws(ChunkError) -> [SummaryCell] {
    var cells: [SummaryCell] = []
    try decode(bytes, onto: &cells)
    return cells
  }

  /// Decodes the cells in `bytes` and appends them.
  static func decode(_ bytes: [UInt8], onto cells: inout [SummaryCell]) throws(ChunkError) {
    var reader = try ChunkSeal.open(bytes, layout: layout)
    let form = try reader.read()
    guard form == patterns || form < QuantityChunk.scales.count else { throw .invalid(field: "scale") }
    let scale = form == patterns ? nil : Int(form)
    let count = try reader.readCount()
    var start: Int64 = 0
    for _ in 0..<count {
      start = start &+ (try reader.readSigned()) &* SummaryCell.length
      var cell = SummaryCell()
      cell.count = Int(truncatingIfNeeded: try reader.readVarint())
      cell.firstStart = start &+ Int64(truncatingIfNeeded: try reader.readVarint())
      cell.lastStart = cell.firstStart &+ Int64(truncatingIfNeeded: try reader.readVarint())
      cell.lastEnd = cell.lastStart &+ (try reader.readSigned())
      cell.maximumEnd = cell.lastEnd &+ (try reader.readSigned())
      cell.duration = try reader.readSigned()
      cell.covered = try reader.readSigned()
      // A cell belongs to one chunk; with more values than a chunk holds, sums over cells could overflow.
      guard (1...QuantityChunk.capacity).contains(cell.count), cell.start == start, cell.lastStart >= cell.firstStart,
        cell.lastStart < start &+ SummaryCell.length
      else { throw .invalid(field: "cell") }
      cell.sum = try reader.readValue(scale: scale)
      cell.minimum = try reader.readValue(scale: scale)
      cell.maximum = try reader.readValue(scale: scale)
      cell.first = try reader.readValue(scale: scale)
      cell.last = try reader.readValue(scale: scale)
      if cell.duration != 0 { cell.weighted = try reader.readPattern() }
      cell.held = try reader.readPattern()
      cell.trapezoid = try reader.readPattern()
      cells.append(cell)
    }
  }
}

extension ByteWriter {
  /// Appends a value as an integer number of 10⁻ˢᶜᵃˡᵉ, or as its bit pattern without a scale.
  mutating func put(_ value: Double, scale: Int?) {
    if let scale {
      putSigned(QuantityChunk.scaled(value, by: QuantityChunk.scales[scale]))
    } else {
      putPattern(value)
    }
  }

  /// Eight bytes, little endian.
  mutating func putPattern(_ value: Double) {
    for shift in stride(from: 0, to: 64, by: 8) {
      put(UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(shift)))
    }
  }
}

extension ByteReader {
  mutating func readValue(scale: Int?) throws(ChunkError) -> Double {
    guard let scale else { return try readPattern() }
    return Double(try readSigned()) / QuantityChunk.scales[scale]
  }

  mutating func readPattern() throws(ChunkError) -> Double {
    var pattern: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 8) { pattern |= UInt64(try read()) << UInt64(shift) }
    return Double(bitPattern: pattern)
  }
}
