import FoundationEssentials
import HealthModel

extension StoreFile {
  /// The samples that a session has, and the part of its identity that each one's identifier is derived with.
  enum SessionPart: UInt64 {
    case rates = 1
    case beats = 2
    case variability = 3
  }

  func insertSamples(of session: RecordedSession, origin: SampleOrigin) throws(StoreError) {
    // A form of a session has samples of its own: those of the form before are deleted. The same form, deleted and
    // restored, has the same again.
    let version = session.syncVersion ^ session.algorithmVersion << 48
    if let first = session.rates.first, let last = session.rates.last {
      let record = SampleRecord(
        uuid: session.id.derived(part: SessionPart.rates.rawValue, version: version),
        type: .quantity(.heartRate), start: first.time.flooredToMilliseconds, end: last.time.flooredToMilliseconds)
      try insert(Self.pack(session.rates), as: record, origin: origin)
    }
    if let bounds = session.heartbeats.bounds {
      let record = SampleRecord(
        uuid: session.id.derived(part: SessionPart.beats.rawValue, version: version),
        type: .heartbeatSeries, start: bounds.start, end: bounds.end)
      try insert(session.heartbeats, as: record, origin: origin)
    }
    if let sdnn = session.variability.sdnnMilliseconds, sdnn.isFinite {
      let record = SampleRecord(
        uuid: session.id.derived(part: SessionPart.variability.rawValue, version: version),
        type: .quantity(.heartRateVariabilitySDNN), start: session.start, end: session.end)
      var packer = QuantityPacker()
      _ = packer.add(
        QuantityPacker.Item(value: sdnn, start: session.start.microseconds, end: session.end.microseconds))
      let row = try insert(packer.finish().map { [$0] } ?? [], as: record, origin: origin)
      let beats = session.id.derived(part: SessionPart.beats.rawValue, version: version)
      try insert(
        [
          "heartbeatSeries": .text(beats.uuidString.lowercased()),
          "filter": .text(NNIntervals.Filter.normalToNormal.rawValue),
          "divisor": "n-1",
        ], of: row, kind: .sample)
    }
  }

  private static func pack(_ rates: [HeartRateValue]) -> [QuantityPacker.Packed] {
    var packer = QuantityPacker()
    var chunks: [QuantityPacker.Packed] = []
    for rate in rates {
      let time = rate.time.flooredToMilliseconds.microseconds
      let item = QuantityPacker.Item(
        value: Double(rate.beatsPerMinute), start: time, end: time, contact: rate.contact.rawValue,
        kilojoules: rate.energyKilojoules)
      if let chunk = packer.add(item) { chunks.append(chunk) }
    }
    if let chunk = packer.finish() { chunks.append(chunk) }
    return chunks
  }

  /// Inserts a quantity series; one of a single quantity that carries nothing else is its row alone.
  @discardableResult
  func insert(
    _ chunks: [QuantityPacker.Packed], as record: SampleRecord, origin: SampleOrigin
  ) throws(StoreError) -> Int64 {
    guard case .quantity(let type) = record.type else { return 0 }
    let summary = SeriesSummary(chunks.lazy.flatMap(\.cells))
    let average = try Self.average(of: chunks, summary, type)
    let sample = try insertRow(
      record, origin: origin, figures: SampleFigures(count: summary.count, summary: summary, average: average))
    let isBare = summary.count == 1 && chunks.count == 1 && Self.isBare(chunks[0])
    guard !isBare else { return sample }
    for (ordinal, chunk) in chunks.enumerated() {
      let id = try insertChunk(chunk.payload, sample: sample, ordinal: ordinal)
      try insertSummary(of: chunk.cells, id: id)
    }
    return sample
  }

  private static func isBare(_ packed: QuantityPacker.Packed) -> Bool {
    guard let chunk = try? QuantityChunk(decoding: packed.payload) else { return false }
    return chunk.contacts.isEmpty && chunk.energies.isEmpty
  }

  /// The sample's average by its type's style; levels are not in the cells and are looked up in the values.
  static func average(
    of chunks: [QuantityPacker.Packed], _ summary: SeriesSummary, _ type: QuantityType
  ) throws(StoreError) -> Double? {
    switch type.style {
    case .discreteArithmetic: return summary.sum / Double(summary.count)
    case .discreteTemporallyWeighted:
      return summary.duration > 0 ? summary.weighted / Double(summary.duration) : summary.sum / Double(summary.count)
    case .discreteEquivalentContinuousLevel:
      guard summary.start < .max else { return nil }
      do {
        var buckets = try StatisticsBuckets(edges: [summary.start, .max], type: type)
        for chunk in chunks {
          let track = QuantityTrack(try QuantityChunk(decoding: chunk.payload))
          buckets.add([[track]])
        }
        return try buckets.results([.average], sources: []).first?.average
      } catch {
        throw StoreError(.invalid, "a series of \(type.identifier) cannot be summed up")
      }
    default: return nil
    }
  }

  @discardableResult
  func insert(
    _ series: HeartbeatSeries, as record: SampleRecord, origin: SampleOrigin
  ) throws(StoreError) -> Int64 {
    let sample = try insertRow(
      record, origin: origin,
      figures: SampleFigures(count: series.beats.count, timescale: series.timescale, gaps: series.gapCount))
    var beats = series.beats[...]
    var ordinal = 0
    while !beats.isEmpty {
      let chunk = HeartbeatChunk(beats.prefix(HeartbeatChunk.capacity))
      _ = try insertChunk(chunk.encode(), sample: sample, ordinal: ordinal)
      beats = beats.dropFirst(HeartbeatChunk.capacity)
      ordinal += 1
    }
    try insertRuns(of: series, sample: sample)
    return sample
  }

  private func insertRuns(of series: HeartbeatSeries, sample: Int64) throws(StoreError) {
    var statement = try connection.prepare(
      """
      INSERT INTO run (sample, ordinal, first, count, first_tick, anchor, slope, uncertainty, start, end)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    for (ordinal, run) in series.runs.enumerated() {
      let span = series.span(of: run)
      try statement.bind(sample, at: 1)
      try statement.bind(Int64(ordinal), at: 2)
      try statement.bind(Int64(run.beats.lowerBound), at: 3)
      try statement.bind(Int64(run.beats.count), at: 4)
      try statement.bind(run.firstTick, at: 5)
      try statement.bind(run.map.anchor.microseconds, at: 6)
      try statement.bind(Int64(run.map.slopePartsPerBillion), at: 7)
      try statement.bind(run.map.uncertaintyMicroseconds, at: 8)
      try statement.bind(span.start.microseconds, at: 9)
      try statement.bind(span.end.microseconds, at: 10)
      try statement.run()
    }
  }

  /// A chunk's row is its sample's, times 2²⁰, plus its place: a sample's chunks lie together and need no index.
  static func chunkRows(of sample: Int64) -> (first: Int64, last: Int64) {
    (sample << 20, sample << 20 | 0xF_FFFF)
  }

  private func insertChunk(_ payload: [UInt8], sample: Int64, ordinal: Int) throws(StoreError) -> Int64 {
    guard ordinal <= 0xF_FFFF else { throw StoreError(.invalid, "a series may have a million chunks at most") }
    var statement = try connection.prepare("INSERT INTO chunk (id, payload) VALUES (?1, ?2)")
    try statement.bind(Self.chunkRows(of: sample).first + Int64(ordinal), at: 1)
    try statement.bind(payload, at: 2)
    try statement.run()
    return connection.lastInsertedRow
  }

  private func insertSummary(of cells: [SummaryCell], id: Int64) throws(StoreError) {
    let summary = SeriesSummary(cells)
    var statement = try connection.prepare(
      """
      INSERT INTO summary (id, start, end, count, sum, minimum, maximum, cells)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    try statement.bind(id, at: 1)
    try statement.bind(summary.start, at: 2)
    try statement.bind(summary.end, at: 3)
    try statement.bind(Int64(summary.count), at: 4)
    try statement.bind(summary.sum, at: 5)
    try statement.bind(summary.minimum, at: 6)
    try statement.bind(summary.maximum, at: 7)
    try statement.bind(SummaryCells.encode(cells), at: 8)
    try statement.run()
  }
}

extension QuantityTrack {
  /// The quantities of a chunk.
  init(_ chunk: QuantityChunk) {
    self.init(starts: chunk.times, ends: [], values: chunk.values)
    if !chunk.durations.isEmpty { ends = zip(chunk.times, chunk.durations).map { $0 &+ $1 } }
  }
}
