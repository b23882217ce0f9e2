import FoundationEssentials
import HealthModel

extension StoreFile {
  /// Unpacks everything; see ``HealthStore/check()``.
  func check() throws(StoreError) -> [StoreDamage] {
    var damages: [StoreDamage] = []
    var pages = try connection.prepare("PRAGMA integrity_check(20)")
    while try pages.step() {
      let finding = pages.text(0) ?? ""
      if finding != "ok" { damages.append(StoreDamage(object: "database", problem: finding)) }
    }
    let changes = try connection.integer("SELECT ifnull(max(number), 0) - count(*) FROM change")
    if changes != 0 { damages.append(StoreDamage(object: "changes", problem: "\(changes) are missing")) }
    var statement = try connection.prepare(
      "SELECT sample.id, lower(hex(uuid)), count, timescale FROM sample ORDER BY sample.id")
    while try statement.step() {
      let row = SampleRow(
        id: statement.integer(0), count: Int(clamping: max(0, statement.integer(2))),
        timescale: Int32(clamping: statement.integer(3)))
      let problem = statement.isNull(3) ? try problem(ofQuantities: row) : try problem(ofBeats: row)
      if let problem { damages.append(StoreDamage(object: "sample \(statement.text(1) ?? "")", problem: problem)) }
    }
    return damages
  }

  private func problem(ofBeats row: SampleRow) throws(StoreError) -> String? {
    do throws(StoreError) {
      let series = try series(of: row, object: "sample")
      return series.beats.count == row.count
        ? nil : "\(row.count) beats are said to be there, \(series.beats.count) are"
    } catch {
      guard case .corrupt = error.code else { throw error }
      return "its beats cannot be unpacked"
    }
  }

  private func problem(ofQuantities row: SampleRow) throws(StoreError) -> String? {
    if try bareItem(of: row.id) != nil { return nil }
    let rows = Self.chunkRows(of: row.id)
    var statement = try connection.prepare(
      """
      SELECT chunk.payload, summary.cells, summary.count, summary.sum, summary.minimum, summary.maximum, summary.start,
        summary.end
      FROM chunk LEFT JOIN summary ON summary.id = chunk.id WHERE chunk.id BETWEEN ?1 AND ?2 ORDER BY chunk.id
      """)
    try statement.bind(rows.first, at: 1)
    try statement.bind(rows.last, at: 2)
    var count = 0
    while try statement.step() {
      let chunk: QuantityChunk
      let cells: [SummaryCell]
      do throws(ChunkError) {
        chunk = try QuantityChunk(decoding: statement.bytes(0))
        cells = try SummaryCells.decode(statement.bytes(1))
      } catch {
        return "a chunk cannot be unpacked (\(error))"
      }
      let figures = SeriesSummary(cells)
      guard Self.cells(of: chunk) == cells, Int64(figures.count) == statement.integer(2),
        figures.sum == statement.real(3), figures.minimum == statement.real(4), figures.maximum == statement.real(5),
        figures.start == statement.integer(6), figures.end == statement.integer(7)
      else { return "a chunk's summary is not that of its values" }
      count += chunk.times.count
    }
    return count == row.count ? nil : "\(row.count) quantities are said to be there, \(count) are"
  }

  /// The cells that a chunk's quantities make.
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
