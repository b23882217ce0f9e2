import FoundationEssentials
import HealthModel

/// A packed series of quantities. A single quantity without further fields is stored in the sample's row alone.
struct QuantityContent: SampleContent {
  static let kind = SampleKind.quantity
  static let tables = [
    ContentTable(table: ChunkTable.chunks, key: "id", shift: ChunkTable.shift),
    ContentTable(table: QuantitySeriesTable.summaries, key: "id", shift: ChunkTable.shift),
  ]
  static let unpackedTables: [UnpackedTable] = [.rates, .quantities]

  let chunks: [QuantityPacker.Packed]
  let type: QuantityType

  func figures() throws(StoreError) -> SampleFigures {
    let summary = SeriesSummary(chunks.lazy.map(\.summary))
    return SampleFigures(
      count: summary.count, sum: type.style.isCumulative ? summary.sum : nil,
      average: try Self.average(of: chunks, summary, type), summary: summary)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    let isBare = chunks.count == 1 && Self.isBare(chunks[0])
    if !isBare { try connection.quantitySeries.insert(chunks, of: sample) }
  }

  private static func isBare(_ packed: QuantityPacker.Packed) -> Bool {
    guard packed.summary.count == 1, let chunk = try? QuantityChunk(decoding: packed.payload) else { return false }
    return chunk.contacts.isEmpty && chunk.energies.isEmpty
  }

  /// The sample's average by its type's style. Cells do not include levels, so levels are computed from the values.
  private static func average(
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

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    let chunks: [QuantityPacker.Packed]
    if let item = try connection.quantitySeries.bareItem(of: sample.id) {
      var cell = SummaryCell()
      cell.add(item.value, start: item.start, end: item.end)
      chunks = [QuantityPacker.Packed(QuantityChunk(item).encode(), [cell])]
    } else {
      switch try connection.quantitySeries.verified(sample.id) {
      case .chunks(let sound): chunks = sound
      case .problem(let problem): return problem
      }
    }
    let count = chunks.reduce(0) { $0 + $1.summary.count }
    guard count == sample.figures.count else {
      return "\(sample.figures.count) quantities are said to be there, \(count) are"
    }
    return try differs(sample, from: chunks) ? "its figures are not those of its values" : nil
  }

  /// Whether a sample's row contradicts its values.
  private static func differs(
    _ sample: SampleRow, from chunks: [QuantityPacker.Packed]
  ) throws(StoreError) -> Bool {
    guard try differs(sample, from: SeriesSummary(chunks.lazy.map(\.summary)), of: chunks) else { return false }
    // Earlier programs added up cell by cell. Where values cancel out, the last digits are all there is of a sum.
    var cells: [SummaryCell] = []
    for chunk in chunks {
      do throws(ChunkError) { try SummaryCells.decode(chunk.cells, onto: &cells) } catch { return true }
    }
    return try differs(sample, from: SeriesSummary(cells), of: chunks)
  }

  /// Whether a sample's row contradicts a summary. Sums may differ in their last digits. Aggregations of later programs
  /// cannot be checked.
  private static func differs(
    _ sample: SampleRow, from summary: SeriesSummary, of chunks: [QuantityPacker.Packed]
  ) throws(StoreError) -> Bool {
    guard summary.count > 0, let claim = sample.figures.summary else { return true }
    guard sample.start <= summary.start, sample.end >= summary.end else { return true }
    guard claim.lastStart == summary.lastStart, claim.lastEnd == summary.lastEnd, claim.duration == summary.duration
    else { return true }
    var pairs: [(Double?, Double?)] = [
      (claim.minimum, summary.minimum), (claim.maximum, summary.maximum), (claim.last, summary.last),
    ]
    if let type = sample.type.quantityType, type.style.isKnown {
      pairs.append((sample.figures.sum, type.style.isCumulative ? summary.sum : nil))
      pairs.append((sample.figures.average, try average(of: chunks, summary, type)))
    }
    return pairs.contains { found, expected in
      guard let found, let expected else { return found != expected }
      return !(abs(found - expected) <= 1e-9 * max(abs(found), abs(expected)))
    }
  }
}

extension NewSample {
  init(
    quantities: [QuantityPacker.Packed], of type: QuantityType, over span: TimeSpan, id: UUID, device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) {
    self.init(
      QuantityContent(chunks: quantities, type: type), of: .quantity(type), over: span, id: id, device: device,
      metadata: metadata, sync: sync)
  }
}

extension QuantityTrack {
  /// The quantities of a chunk.
  init(_ chunk: QuantityChunk) {
    self.init(starts: chunk.times, ends: [], values: chunk.values)
    if !chunk.durations.isEmpty { ends = zip(chunk.times, chunk.durations).map { $0 &+ $1 } }
  }
}
