import FoundationEssentials
import HealthModel

extension StoreFile {
  /// Throws unless the pages of the file fit together; what is in them is not looked at.
  func verifyStructure() throws(StoreError) {
    var statement = try connection.prepare("PRAGMA quick_check(1)")
    guard try statement.step(), statement.text(0) != "ok" else { return }
    throw StoreError(
      .corrupt(object: "database"), "\(path) is damaged; copy it before anything else is tried (sensord check)")
  }

  /// Unpacks everything; see ``HealthStore/check(progress:)``.
  func check(progress: (_ done: Int, _ total: Int) -> Void) throws(StoreError) -> [StoreDamage] {
    var damages = try pageDamages() + damages(foundBy: Self.strays) + damages(foundBy: Self.outsiders)
    let total = Int(try connection.integer("SELECT count(*) FROM sample"))
    var done = 0
    let types = try sampleTypes()
    var statement = try connection.prepare("SELECT id, lower(hex(uuid)) FROM sample ORDER BY id")
    while try statement.step() {
      try checkCancellation()
      progress(done, total)
      let row = statement.integer(0)
      let problem: String?
      do throws(StoreError) {
        problem = try self.problem(ofSample: row, types)
      } catch {
        // What SQLite itself cannot read of one sample must not hide the others.
        guard error.isCorrupt else { throw error }
        problem = "its rows cannot be read"
      }
      if let problem { damages.append(StoreDamage(object: "sample \(statement.text(1) ?? "")", problem: problem)) }
      done += 1
    }
    progress(done, total)
    return damages
  }

  private func pageDamages() throws(StoreError) -> [StoreDamage] {
    var damages: [StoreDamage] = []
    var pages = try connection.prepare("PRAGMA integrity_check(20)")
    while try pages.step() {
      let finding = pages.text(0) ?? ""
      if finding != "ok" { damages.append(StoreDamage(object: "database", problem: finding)) }
    }
    let changes = try connection.integer("SELECT ifnull(max(number), 0) - count(*) FROM change")
    if changes != 0 { damages.append(StoreDamage(object: "changes", problem: "\(changes) are missing")) }
    return damages
  }

  /// Rows that name others which are not there: a query would leave them out without a word.
  private static let strays = """
    SELECT 'session ' || lower(hex(uuid)), 'its device or source is missing' FROM session
      WHERE device NOT IN (SELECT id FROM device) OR source NOT IN (SELECT id FROM source)
    UNION ALL SELECT 'sample ' || lower(hex(uuid)), 'its type, source, device or session is missing' FROM sample
      WHERE type NOT IN (SELECT id FROM type) OR source NOT IN (SELECT id FROM source)
        OR (device IS NOT NULL AND device NOT IN (SELECT id FROM device))
        OR (session IS NOT NULL AND session NOT IN (SELECT id FROM session))
    UNION ALL SELECT 'chunk ' || id, 'no sample has it' FROM chunk WHERE id >> 20 NOT IN (SELECT id FROM sample)
    UNION ALL SELECT 'summary ' || id, 'no sample has it' FROM summary WHERE id >> 20 NOT IN (SELECT id FROM sample)
    UNION ALL SELECT 'runs of sample row ' || sample, 'no sample has them' FROM run
      WHERE sample NOT IN (SELECT id FROM sample) GROUP BY sample
    UNION ALL SELECT 'gaps of session row ' || session, 'no session has them' FROM gap
      WHERE session NOT IN (SELECT id FROM session) GROUP BY session
    """

  /// Sessions with something before their start or after their end; rates have lost their microseconds.
  private static let outsiders = """
    SELECT 'session ' || lower(hex(session.uuid)), 'its rates lie outside of it' FROM session
      JOIN sample ON sample.session = session.id JOIN type ON type.id = sample.type AND type.identifier = 'heartRate'
      WHERE sample.start < session.start - (session.start % 1000 + 1000) % 1000 OR sample.end > session.end
    UNION ALL SELECT 'session ' || lower(hex(session.uuid)), 'its beats lie outside of it' FROM session
      JOIN sample ON sample.session = session.id AND sample.timescale IS NOT NULL
      WHERE sample.start < session.start OR sample.end > session.end
    UNION ALL SELECT 'session ' || lower(hex(session.uuid)), 'its gaps lie outside of it' FROM session
      WHERE EXISTS (SELECT 1 FROM gap WHERE gap.session = session.id
        AND (gap.start < session.start OR gap.end > session.end OR gap.end < gap.start))
    """

  /// Each row of such a statement is an object and what is wrong with it.
  private func damages(foundBy statement: String) throws(StoreError) -> [StoreDamage] {
    var statement = try connection.prepare(statement)
    var damages: [StoreDamage] = []
    while try statement.step() {
      damages.append(StoreDamage(object: statement.text(0) ?? "", problem: statement.text(1) ?? ""))
    }
    return damages
  }

  /// What a sample's row says about its values.
  private struct Claim {
    var row: SampleRow
    var type: QuantityType?
    var start: Int64
    var end: Int64
    /// Sum, average, minimum, maximum, most recent value, its start and end, duration.
    var figures: [Double?]
    var gaps: Int64
  }

  private func claim(ofSample id: Int64, _ types: [Int64: SampleType]) throws(StoreError) -> Claim? {
    var statement = try connection.prepare(
      """
      SELECT sample.count, timescale, type, start, end, gaps, sum, average, minimum, maximum, most_recent,
        most_recent_start, most_recent_end, duration
      FROM sample WHERE id = ?1
      """)
    try statement.bind(id, at: 1)
    guard try statement.step() else { return nil }
    let row = SampleRow(
      id: id, count: Int(clamping: max(0, statement.integer(0))), timescale: Int32(clamping: statement.integer(1)),
      start: Timestamp(microseconds: statement.integer(3)))
    let type: QuantityType? = if case .quantity(let type) = types[statement.integer(2)] { type } else { nil }
    return Claim(
      row: row, type: statement.isNull(1) ? type : nil,
      start: statement.integer(3), end: statement.integer(4),
      figures: (6..<14).map { statement.optionalReal($0) }, gaps: statement.integer(5))
  }

  private func problem(ofSample id: Int64, _ types: [Int64: SampleType]) throws(StoreError) -> String? {
    guard let claim = try claim(ofSample: id, types) else { return nil }
    if let type = claim.type { return try problem(ofQuantities: claim, type) }
    return claim.row.timescale > 0 ? try problem(ofBeats: claim) : "its type is unknown"
  }

  private func problem(ofBeats claim: Claim) throws(StoreError) -> String? {
    let series: HeartbeatSeries
    do throws(StoreError) {
      series = try self.series(of: claim.row, object: "sample")
    } catch {
      guard error.isCorrupt else { throw error }
      return "its beats cannot be unpacked"
    }
    guard series.beats.count == claim.row.count else {
      return "\(claim.row.count) beats are said to be there, \(series.beats.count) are"
    }
    guard Int64(series.gapCount) == claim.gaps else { return "its gaps are not those of its beats" }
    let bounds = series.bounds
    // A series may begin before its first beat, and not after it: unpacking has looked at that.
    guard bounds?.end.microseconds == claim.end else {
      return "it does not end with its last beat"
    }
    return nil
  }

  private func problem(ofQuantities claim: Claim, _ type: QuantityType) throws(StoreError) -> String? {
    if let item = try bareItem(of: claim.row.id) {
      var cell = SummaryCell()
      cell.add(item.value, start: item.start, end: item.end)
      let packed = QuantityPacker.Packed(payload: QuantityChunk(item).encode(), cells: [cell])
      return try differs(claim, from: [packed], type) ? "its figures are not those of its value" : nil
    }
    let rows = Self.chunkRows(of: claim.row.id)
    var statement = try connection.prepare(
      """
      SELECT chunk.payload, summary.cells, summary.count, summary.sum, summary.minimum, summary.maximum, summary.start,
        summary.end
      FROM chunk LEFT JOIN summary ON summary.id = chunk.id WHERE chunk.id BETWEEN ?1 AND ?2 ORDER BY chunk.id
      """)
    try statement.bind(rows.first, at: 1)
    try statement.bind(rows.last, at: 2)
    var count = 0
    var chunks: [QuantityPacker.Packed] = []
    while try statement.step() {
      let chunk: QuantityChunk
      let cells: [SummaryCell]
      let payload = statement.bytes(0)
      do throws(ChunkError) {
        chunk = try QuantityChunk(decoding: payload)
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
      chunks.append(QuantityPacker.Packed(payload: payload, cells: cells))
    }
    guard count == claim.row.count else {
      return "\(claim.row.count) quantities are said to be there, \(count) are"
    }
    return try differs(claim, from: chunks, type) ? "its figures are not those of its values" : nil
  }

  /// Whether a sample's row says something else than its values do; sums may differ in their last digits.
  private func differs(
    _ claim: Claim, from chunks: [QuantityPacker.Packed], _ type: QuantityType
  ) throws(StoreError) -> Bool {
    let summary = SeriesSummary(chunks.lazy.flatMap(\.cells))
    guard summary.count > 0 else { return true }
    // How a later program sums up, nobody here can check.
    let isKnown = type.style.isKnown
    let expected: [Double?] = [
      isKnown ? (type.style.isCumulative ? summary.sum : nil) : claim.figures[0],
      isKnown ? try Self.average(of: chunks, summary, type) : claim.figures[1], summary.minimum,
      summary.maximum, summary.last, Double(summary.lastStart), Double(summary.lastEnd), Double(summary.duration),
    ]
    guard claim.start <= summary.start, claim.end >= summary.end else { return true }
    return zip(claim.figures, expected).contains { found, expected in
      guard let found, let expected else { return found != expected }
      return !(abs(found - expected) <= 1e-9 * max(abs(found), abs(expected)))
    }
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
