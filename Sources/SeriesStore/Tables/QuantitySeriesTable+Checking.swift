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
