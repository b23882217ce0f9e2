import FoundationEssentials
import HealthModel

/// Statistics in buckets.
struct StatisticsReader {
  let connection: Connection
  /// The scope that the reader may see; nil for a reader who may see everything.
  var scope: ReadScope?
  var mostBuckets = CalendarBuckets.limit

  /// A quantity sample as statistics use it.
  private struct SeriesRow {
    var id: Int64
    /// The rank of its source among those of the answer.
    var rank: Int
    var start: Int64
    var end: Int64
    /// The value of a sample that is stored in its row alone.
    var item: QuantityPacker.Item?
  }

  func statistics(_ query: StatisticsCollectionQuery) throws(StoreError) -> [Statistics] {
    try connection.types.checkUnit(of: query.type, in: scope)
    guard let edges = try edges(of: query) else { return [] }
    guard edges.count - 1 <= mostBuckets else {
      throw StoreError(
        .invalid, "there would be more than \(mostBuckets) buckets; ask for longer ones, or for less time")
    }
    var sources = SourceRanking(priority: query.priority)
    let rows = try seriesRows(query, from: edges[0], to: edges[edges.count - 1], sources: &sources)
    do {
      guard query.options.contains(.separateBySource) else {
        var buckets = try StatisticsBuckets(edges: edges, type: query.type, policy: query.policy)
        try collect(rows, into: &buckets, sourceCount: sources.names.count)
        return try buckets.results(query.options, sources: sources.names)
      }
      var results: [Statistics] = []
      for (rank, name) in sources.names.enumerated() {
        let own = rows.filter { $0.rank == rank }
        guard !own.isEmpty else { continue }
        var buckets = try StatisticsBuckets(edges: edges, type: query.type, policy: query.policy)
        try collect(own, into: &buckets, sourceCount: sources.names.count)
        results += try buckets.results(query.options, sources: sources.names, source: name)
      }
      return results
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.invalid, "\(error)")
    }
  }

  /// The borders of the buckets; nil if there is no time to cover.
  private func edges(of query: StatisticsCollectionQuery) throws(StoreError) -> [Int64]? {
    var from = query.from
    var to = query.to
    if from == nil || to == nil {
      let condition = try connection.condition(
        query.predicate, firstParameter: 4, in: scope, of: query.type)
      var statement = try connection.prepare(
        """
        SELECT min(sample.start), max(sample.end) FROM \(condition.tables)
        WHERE \(condition.isOfQuantityType) AND (\(condition.text))
        """)
      try statement.bind(query.type.identifier, at: 1)
      try condition.bind(to: &statement)
      guard try statement.step(), !statement.isNull(0) else { return nil }
      if query.buckets != .single {
        try requireDates(query, condition, first: statement.integer(0), last: statement.integer(1))
      }
      from = from ?? Timestamp(microseconds: statement.integer(0))
      to = to ?? Timestamp(microseconds: statement.integer(1)).advanced(byMicroseconds: 1)
    }
    guard let from, let to else { return nil }
    // For instance, all data end before the first requested moment: there is nothing to answer, and no error.
    guard from < to || (query.from != nil && query.to != nil) else { return nil }
    do {
      switch query.buckets {
      case .single:
        guard from < to else { throw StatisticsError.emptyRange }
        return [from.microseconds, to.microseconds]
      case .calendar(let interval, let anchor, let zone):
        return try CalendarBuckets(every: interval, from: anchor, in: zone).edges(from: from, to: to)
      case .natural(let interval, let zone):
        return try CalendarBuckets(every: interval, containing: from, in: zone).edges(from: from, to: to)
      }
    } catch {
      throw StoreError(.invalid, "\(error)")
    }
  }

  /// Throws if the first or the last sample, which decide the range of the buckets, is outside of the calendar or is
  /// not as it was written: one flipped bit of a time would fill the memory with empty buckets.
  private func requireDates(
    _ query: StatisticsCollectionQuery, _ condition: SamplePredicate.Condition, first: Int64, last: Int64
  ) throws(StoreError) {
    let span = Timestamp.calendarRange
    let columns = Schema.samples.columns.map { "sample.\($0)" }.joined(separator: ", ")
    let isChanged = "sample.checksum IS NOT \(RowChecksum.name)(\(columns))"
    // SQLite converts a time that is not an integer, mostly to 1970.
    func isWrong(_ column: String, _ outside: String, _ extreme: String) -> String {
      "(\(column) \(outside) OR typeof(\(column)) <> 'integer' OR \(column) = \(extreme) AND \(isChanged))"
    }
    let tooEarly = isWrong("sample.start", "< \(span.lowerBound.microseconds)", "?2")
    let tooLate = isWrong("sample.end", "> \(span.upperBound.microseconds)", "?3")
    var statement = try connection.prepare(
      """
      SELECT sample.id FROM \(condition.tables)
      WHERE \(condition.isOfQuantityType) AND (\(condition.text))
        AND (\(query.from == nil ? tooEarly : "0") OR \(query.to == nil ? tooLate : "0"))
      """)
    try statement.bind(query.type.identifier, at: 1)
    if query.from == nil { try statement.bind(first, at: 2) }
    if query.to == nil { try statement.bind(last, at: 3) }
    try condition.bind(to: &statement)
    guard try statement.step() else { return }
    throw connection.samples.corrupt(statement.integer(0))
  }

  private func seriesRows(
    _ query: StatisticsCollectionQuery, from: Int64, to: Int64, sources: inout SourceRanking
  ) throws(StoreError) -> [SeriesRow] {
    let condition = try connection.condition(
      query.predicate, firstParameter: 4, in: scope, of: query.type)
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.start, sample.end, sample.source, sample.device, source.identifier,
        ifnull(device.local_identifier, device.name), sample.count, sample.most_recent, sample.most_recent_start,
        sample.most_recent_end
      FROM \(condition.tables)
      WHERE \(condition.isOfQuantityType) AND sample.start < ?3 AND sample.end >= ?2
        AND (\(condition.text))
      """)
    try statement.bind(query.type.identifier, at: 1)
    try statement.bind(from, at: 2)
    try statement.bind(to, at: 3)
    try condition.bind(to: &statement)
    var rows: [SeriesRow] = []
    while try statement.step() {
      let key = SourceRanking.Key(source: statement.integer(3), device: statement.optionalInteger(4))
      let rank =
        sources.rank(of: key)
        ?? sources.add(key, name: DataSource(source: statement.text(5) ?? "", device: statement.text(6)))
      var row = SeriesRow(
        id: statement.integer(0), rank: rank, start: statement.integer(1), end: statement.integer(2))
      if statement.integer(7) == 1 {
        row.item = QuantityPacker.Item(
          value: statement.real(8), start: statement.integer(9), end: statement.integer(10))
      }
      rows.append(row)
    }
    // Sorted here and not by SQLite: they are nearly in this order, except for samples that start at the same moment.
    rows.sort { ($0.start, $0.id) < ($1.start, $1.id) }
    try noteFirstSamples(of: &sources, type: query.type)
    let order = sources.rank()
    for index in rows.indices { rows[index].rank = order[rows[index].rank] }
    return rows
  }

  /// Visits the samples of the type and of each source of the answer from the first one on until all of its devices have
  /// occurred.
  private func noteFirstSamples(of sources: inout SourceRanking, type: QuantityType) throws(StoreError) {
    guard sources.needsStarts else { return }
    let names = Set(sources.names.map(\.source)).sorted()
    for source in names { try noteFirstSamples(of: &sources, source: source, type: type) }
  }

  private func noteFirstSamples(
    of sources: inout SourceRanking, source: String, type: QuantityType
  ) throws(StoreError) {
    var kinds = try connection.prepare(
      """
      SELECT types.id, sources.id FROM types, sources
      WHERE types.identifier = ?1 AND types.kind = 'quantity' AND sources.identifier = ?2
      """)
    try kinds.bind(type.identifier, at: 1)
    try kinds.bind(source, at: 2)
    // Each type and source separately, so that the index yields samples in order and nothing after the last is read.
    while try kinds.step() {
      var missing = Set(sources.names.filter { $0.source == source })
      guard !missing.isEmpty else { continue }
      var samples = try connection.prepare(
        """
        SELECT sample.start, ifnull(device.local_identifier, device.name)
        FROM samples AS sample LEFT JOIN devices AS device ON device.id = sample.device
        WHERE sample.type = ?1 AND sample.source = ?2 ORDER BY sample.start
        """)
      try samples.bind(kinds.integer(0), at: 1)
      try samples.bind(kinds.integer(1), at: 2)
      while !missing.isEmpty, try samples.step() {
        let name = DataSource(source: source, device: samples.text(1))
        if missing.remove(name) != nil { sources.note(start: samples.integer(0), of: name) }
      }
    }
  }

  /// Adds the samples, which are in order of their starts, to the buckets.
  private func collect(
    _ rows: [SeriesRow], into buckets: inout StatisticsBuckets, sourceCount: Int
  ) throws(StoreError) {
    let canUseCells =
      buckets.type.style != .discreteEquivalentContinuousLevel
      && buckets.policy.maximumGapMicroseconds == SummaryCell.maximumGap
      && buckets.edges.allSatisfy { $0 % SummaryCell.length == 0 }
    let gap = max(0, buckets.policy.maximumGapMicroseconds)
    let span = (
      from: buckets.edges[0].subtractingSaturated(gap),
      to: buckets.edges[buckets.edges.count - 1].addingSaturated(gap)
    )
    var cells = try connection.quantitySeries.cellStatement(from: span.from, to: span.to)
    var chunks = try connection.quantitySeries.statement(from: span.from, to: span.to)
    var index = 0
    while index < rows.count {
      try connection.checkCancellation()
      // Samples that overlap each other have to be separated moment by moment; a sample alone is already summarised by its
      // cells.
      var end = rows[index].end
      var next = index + 1
      while next < rows.count, rows[next].start <= end {
        end = max(end, rows[next].end)
        next += 1
      }
      if next == index + 1 {
        let row = rows[index]
        let isDone = canUseCells ? try addCells(of: row, from: &cells, to: &buckets) : false
        if !isDone {
          buckets.add(try track(of: row, from: &chunks), rank: row.rank)
        }
      } else {
        var tracks = Array(repeating: [QuantityTrack](), count: sourceCount)
        for row in rows[index..<next] { tracks[row.rank].append(try track(of: row, from: &chunks)) }
        buckets.add(tracks)
      }
      index = next
    }
  }

  /// Adds a sample by its cells. Returns false, and adds nothing, if they are not sufficient.
  private func addCells(
    of row: SeriesRow, from statement: inout Statement, to buckets: inout StatisticsBuckets
  ) throws(StoreError) -> Bool {
    if row.item != nil { return false }
    try statement.bind(chunksOf: row.id)
    var cells: [SummaryCell] = []
    while try statement.step() {
      do { try SummaryCells.decode(statement.bytes(0), onto: &cells) } catch {
        throw connection.samples.corrupt(row.id)
      }
    }
    let isInstantaneous = buckets.policy == .ownDuration || cells.allSatisfy { $0.duration == 0 }
    guard isInstantaneous, cells.allSatisfy(\.isSelfContained), SummaryCells.areDisjoint(cells) else { return false }
    buckets.add(cells, rank: row.rank)
    return true
  }

  private func track(of row: SeriesRow, from statement: inout Statement) throws(StoreError) -> QuantityTrack {
    // The row of a single quantity has its whole content.
    if let item = row.item { return QuantityTrack(item) }
    return try connection.quantitySeries.track(of: row.id, from: &statement)
  }
}

extension StatisticsBuckets {
  /// Adds a series by its cells, whose borders are borders of cells.
  mutating func add(_ cells: [SummaryCell], rank: Int) {
    guard let first = cells.first else { return }
    var bucket = max(0, index(of: first.start))
    let open = TimeStretches()
    var previous: SummaryCell?
    var latestEnd = first.firstStart
    for cell in cells {
      if let previous {
        if cell.firstStart > latestEnd, cell.firstStart &- latestEnd <= SummaryCell.maximumGap {
          addCoverage(from: latestEnd, to: cell.firstStart, rank: rank, blocked: open)
        }
        if cell.firstStart > previous.lastStart, cell.firstStart &- previous.lastStart <= SummaryCell.maximumGap {
          addSegment(
            Segment(
              start: previous.lastStart, end: cell.firstStart, value: previous.last, endValue: cell.first),
            startingAt: bucket, blocked: open)
        }
      }
      latestEnd = max(latestEnd, cell.maximumEnd)
      previous = cell
      while bucket < accumulators.count - 1, cell.start >= edges[bucket + 1] { bucket += 1 }
      guard cell.start >= edges[bucket], cell.start < edges[bucket + 1] else { continue }
      contribute(rank: rank, to: bucket)
      credit(SourceShare(cell), of: rank, to: bucket)
      accumulators[bucket].add(cell, rank: rank, policy: policy)
    }
  }
}

extension SourceShare {
  fileprivate init(_ cell: SummaryCell) {
    self.init(
      count: cell.count, sum: cell.sum, duration: Double(cell.duration), weighted: cell.weighted,
      covered: cell.covered)
  }
}

extension StatisticsAccumulator {
  fileprivate mutating func add(_ cell: SummaryCell, rank: Int, policy: WeightingPolicy) {
    minimum = min(minimum, cell.minimum)
    maximum = max(maximum, cell.maximum)
    note(MostRecent(value: cell.last, start: cell.lastStart, end: cell.lastEnd, rank: rank))
    switch policy {
    case .ownDuration: break
    case .holdLast:
      integrated += Double(cell.covered)
      integral += cell.held
    case .trapezoid:
      integrated += Double(cell.covered)
      integral += cell.trapezoid
    }
  }
}
