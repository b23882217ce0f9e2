import FoundationEssentials
import HealthModel

/// The chunks of quantity series, with summary figures for each.
struct QuantitySeriesTable {
  let connection: Connection

  static let summaries = Table(
    "summaries",
    [
      "id INTEGER PRIMARY KEY", "start INTEGER NOT NULL", "end INTEGER NOT NULL", "count INTEGER NOT NULL",
      "sum REAL NOT NULL", "minimum REAL NOT NULL", "maximum REAL NOT NULL", "cells BLOB NOT NULL",
    ])

  func insert(_ chunks: [QuantityPacker.Packed], of sample: Int64) throws(StoreError) {
    for (ordinal, chunk) in chunks.enumerated() {
      let id = try connection.chunks.insert(chunk.payload, of: sample, ordinal: ordinal)
      let summary = chunk.summary
      try connection.insert(
        [
          .integer(id), .integer(summary.start), .integer(summary.end), .integer(Int64(summary.count)),
          .real(summary.sum), .real(summary.minimum), .real(summary.maximum),
          .blob(chunk.cells),
        ], into: Self.summaries)
    }
  }

  /// The only quantity of a sample without chunks; nil if the sample has chunks.
  func bareItem(of sample: Int64) throws(StoreError) -> QuantityPacker.Item? {
    var statement = try connection.prepare(
      """
      SELECT most_recent, most_recent_start, most_recent_end FROM samples
      WHERE id = ?1 AND count = 1 AND most_recent IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.id = samples.id << \(ChunkTable.shift))
      """)
    try statement.bind(sample, at: 1)
    guard try statement.step() else { return nil }
    return QuantityPacker.Item(value: statement.real(0), start: statement.integer(1), end: statement.integer(2))
  }

  /// All quantities of a sample, as if in one chunk; throws ``StoreError/Code/corrupt(object:)`` if there are not
  /// `count`.
  func quantities(of sample: Int64, count: Int, object: String) throws(StoreError) -> QuantityChunk {
    var whole = QuantityChunk()
    if let chunk = try bareItem(of: sample).map(QuantityChunk.init) {
      whole = chunk
    } else {
      try connection.chunks.forEach(of: sample, object: object) { (bytes) throws(ChunkError) in
        whole.append(try QuantityChunk(decoding: bytes))
      }
    }
    guard whole.times.count == count else { throw connection.corrupt(object) }
    return whole
  }

  /// Selects a sample's chunks that overlap the time, with their summary figures; the sample still has to be bound.
  func statement(from: Int64, to: Int64) throws(StoreError) -> Statement {
    var statement = try connection.prepare(
      """
      SELECT chunk.payload, summary.count FROM summaries AS summary LEFT JOIN chunks AS chunk ON chunk.id = summary.id
      WHERE summary.id BETWEEN ?1 AND ?2 AND summary.start <= ?3 AND summary.end >= ?4 ORDER BY summary.id
      """)
    try statement.bind(to, at: 3)
    try statement.bind(from, at: 4)
    return statement
  }

  /// Selects the cells of a sample's chunks that overlap the time; the sample still has to be bound.
  func cellStatement(from: Int64, to: Int64) throws(StoreError) -> Statement {
    var statement = try connection.prepare(
      "SELECT cells FROM summaries WHERE id BETWEEN ?1 AND ?2 AND start <= ?3 AND end >= ?4 ORDER BY id")
    try statement.bind(to, at: 3)
    try statement.bind(from, at: 4)
    return statement
  }

  /// The quantities of the chunks that ``statement(from:to:)`` finds, or the only quantity of a sample without chunks.
  func track(of sample: Int64, from statement: inout Statement) throws(StoreError) -> QuantityTrack {
    try statement.bind(chunksOf: sample)
    var track = QuantityTrack()
    while try statement.step() {
      try connection.checkCancellation()
      // A missing chunk has no bytes, which never decode.
      guard let chunk = try? QuantityChunk(decoding: statement.bytes(0)),
        Int64(chunk.times.count) == statement.integer(1)
      else { throw connection.samples.corrupt(sample) }
      // The following steps rely on the order.
      if let last = track.starts.last, let next = chunk.times.first, next < last {
        throw connection.samples.corrupt(sample)
      }
      track.append(chunk)
    }
    guard track.starts.isEmpty else { return track }
    return try bareItem(of: sample).map { QuantityTrack($0) } ?? track
  }
}

extension Statement {
  /// Restarts the statement with the range of a sample's chunks as ?1 to ?2.
  mutating func bind(chunksOf sample: Int64) throws(StoreError) {
    let numbers = ChunkTable.numbers(of: sample)
    reset()
    try bind(numbers.first, at: 1)
    try bind(numbers.last, at: 2)
  }
}

extension QuantityTrack {
  init(_ item: QuantityPacker.Item) {
    self.init(starts: [item.start], ends: [item.end], values: [item.value])
  }

  /// Appends the quantities of the following chunk.
  mutating func append(_ chunk: consuming QuantityChunk) {
    // Most series have one chunk, whose columns are moved.
    if starts.isEmpty, chunk.durations.isEmpty {
      starts = chunk.times
      values = chunk.values
      return
    }
    // Chunks of one series may differ in whether they have durations.
    if !chunk.durations.isEmpty || !ends.isEmpty {
      if ends.isEmpty { ends = starts }
      ends += chunk.durations.isEmpty ? chunk.times : zip(chunk.times, chunk.durations).map { $0 &+ $1 }
    }
    starts += chunk.times
    values += chunk.values
  }
}

extension QuantityChunk {
  /// A single quantity.
  init(_ item: QuantityPacker.Item) {
    self.init(times: [item.start], values: [item.value])
    if item.end > item.start { durations = [item.end &- item.start] }
  }

  /// Appends a following chunk; chunks of one series may differ in their optional columns.
  mutating func append(_ next: QuantityChunk) {
    let base = times.count
    if !durations.isEmpty || !next.durations.isEmpty {
      if durations.isEmpty { durations = Array(repeating: 0, count: base) }
      durations += next.durations.isEmpty ? Array(repeating: 0, count: next.times.count) : next.durations
    }
    if !contacts.isEmpty || !next.contacts.isEmpty {
      let none = SensorContact.notSupported.rawValue
      if contacts.isEmpty { contacts = Array(repeating: none, count: base) }
      contacts += next.contacts.isEmpty ? Array(repeating: none, count: next.times.count) : next.contacts
    }
    energies += next.energies.map { Energy(index: base + $0.index, kilojoules: $0.kilojoules) }
    times += next.times
    values += next.values
  }
}

extension QuantitySeriesTable {
  /// The chunks of a sample, or the problem of one of them.
  enum Verdict {
    case chunks([QuantityPacker.Packed])
    case problem(String)
  }

  /// Unpacks a sample's chunks and compares each with its summary.
  func verified(_ sample: Int64) throws(StoreError) -> Verdict {
    var statement = try connection.prepare(
      """
      SELECT chunk.payload, summary.cells, summary.count, summary.sum, summary.minimum, summary.maximum, summary.start,
        summary.end
      FROM chunks AS chunk LEFT JOIN summaries AS summary ON summary.id = chunk.id
      WHERE chunk.id BETWEEN ?1 AND ?2 ORDER BY chunk.id
      """)
    try statement.bind(chunksOf: sample)
    var chunks: [QuantityPacker.Packed] = []
    while try statement.step() {
      let chunk: QuantityChunk
      let cells: [SummaryCell]
      let payload = statement.bytes(0)
      do throws(ChunkError) {
        chunk = try QuantityChunk(decoding: payload)
        cells = try SummaryCells.decode(statement.bytes(1))
      } catch {
        return .problem("a chunk cannot be unpacked (\(error))")
      }
      let figures = SeriesSummary(cells)
      guard Self.cells(of: chunk) == cells, Int64(figures.count) == statement.integer(2),
        figures.sum == statement.real(3), figures.minimum == statement.real(4), figures.maximum == statement.real(5),
        figures.start == statement.integer(6), figures.end == statement.integer(7)
      else { return .problem("a chunk's summary is not that of its values") }
      chunks.append(QuantityPacker.Packed(payload, cells))
    }
    return .chunks(chunks)
  }

  /// The cells computed from a chunk's quantities.
  private static func cells(of chunk: QuantityChunk) -> [SummaryCell] {
    var cells: [SummaryCell] = []
    for (index, time) in chunk.times.enumerated() {
      if cells.last.map({ time &- $0.start >= SummaryCell.length }) ?? true { cells.append(SummaryCell()) }
      let length = chunk.durations.isEmpty ? 0 : chunk.durations[index]
      cells[cells.count - 1].add(chunk.values[index], start: time, end: time &+ length)
    }
    return cells
  }
}

/// The chunks of packed values. The chunks of a sample have successive keys and need no index.
struct ChunkTable {
  let connection: Connection

  static let chunks = Table("chunks", ["id INTEGER PRIMARY KEY", "payload BLOB NOT NULL"])
  /// The bits of a chunk's number that are its position; those above are its sample's number.
  static let shift: Int64 = 20
  private static let mask: Int64 = 1 << shift - 1

  /// The range of numbers for a sample's chunks.
  static func numbers(of sample: Int64) -> (first: Int64, last: Int64) {
    (sample << shift, sample << shift | mask)
  }

  /// Inserts a chunk and returns its number.
  func insert(_ payload: [UInt8], of sample: Int64, ordinal: Int) throws(StoreError) -> Int64 {
    guard ordinal <= Self.mask else { throw StoreError(.invalid, "a series may have a million chunks at most") }
    let id = Self.numbers(of: sample).first + Int64(ordinal)
    try connection.insert([.integer(id), .blob(payload)], into: Self.chunks)
    return id
  }

  /// Calls `body` with a sample's chunks in order. If `body` cannot decode a chunk, the error names `object` as
  /// damaged.
  func forEach(of sample: Int64, object: String, _ body: ([UInt8]) throws(ChunkError) -> Void) throws(StoreError) {
    let numbers = Self.numbers(of: sample)
    var statement = try connection.prepare("SELECT payload FROM chunks WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
    try statement.bind(numbers.first, at: 1)
    try statement.bind(numbers.last, at: 2)
    while try statement.step() {
      try connection.checkCancellation()
      do { try body(statement.bytes(0)) } catch { throw connection.corrupt(object) }
    }
  }
}
