import FoundationEssentials
import HealthModel

extension StoreFile {
  /// A quantity sample as statistics see it.
  private struct SeriesRow {
    var id: Int64
    /// The rank of its source among those of the answer.
    var rank: Int
    var start: Int64
    var end: Int64
    /// Of a sample that is its row alone.
    var item: QuantityPacker.Item?
  }

  func statistics(_ query: StatisticsCollectionQuery) throws(StoreError) -> [Statistics] {
    guard let edges = try edges(of: query) else { return [] }
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

  /// The borders of the buckets; nil where there is nothing to lay them over.
  private func edges(of query: StatisticsCollectionQuery) throws(StoreError) -> [Int64]? {
    var from = query.from
    var to = query.to
    if from == nil || to == nil {
      let condition = SamplePredicate.Condition(
        .and([.type(.quantity(query.type)), query.predicate]), firstParameter: 1)
      var statement = try connection.prepare(
        "SELECT min(sample.start), max(sample.end) FROM \(Self.sampleTables) WHERE \(condition.text)")
      try condition.bind(to: &statement)
      guard try statement.step(), !statement.isNull(0) else { return nil }
      if query.buckets != .single { try requireDates(query, condition) }
      from = from ?? Timestamp(microseconds: statement.integer(0))
      to = to ?? Timestamp(microseconds: statement.integer(1)).advanced(byMicroseconds: 1)
    }
    guard let from, let to else { return nil }
    // Data that end before the first moment asked for, say: nothing to answer, and nothing wrong.
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

  /// Throws where the sample that buckets would be laid from or to lies in no year of the calendar.
  private func requireDates(
    _ query: StatisticsCollectionQuery, _ condition: SamplePredicate.Condition
  ) throws(StoreError) {
    let span = CalendarBuckets.span
    let first = query.from == nil ? "sample.start < \(span.lowerBound.microseconds)" : "0"
    let last = query.to == nil ? "sample.end >= \(span.upperBound.microseconds)" : "0"
    var statement = try connection.prepare(
      "SELECT sample.id FROM \(Self.sampleTables) WHERE (\(condition.text)) AND (\(first) OR \(last))")
    try condition.bind(to: &statement)
    guard try statement.step() else { return }
    throw corrupt(sample: statement.integer(0))
  }

  private func seriesRows(
    _ query: StatisticsCollectionQuery, from: Int64, to: Int64, sources: inout SourceRanking
  ) throws(StoreError) -> [SeriesRow] {
    let condition = SamplePredicate.Condition(query.predicate, firstParameter: 4)
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.start, sample.end, sample.source, sample.device, source.identifier,
        ifnull(device.local_identifier, device.name), sample.count, sample.most_recent, sample.most_recent_start,
        sample.most_recent_end
      FROM \(Self.sampleTables)
      WHERE sample.type IN (SELECT id FROM type WHERE identifier = ?1) AND sample.start < ?3 AND sample.end >= ?2
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
    // Here, and not by SQLite: they come in this order, but for samples that start at one moment.
    rows.sort { ($0.start, $0.id) < ($1.start, $1.id) }
    try noteFirstSamples(of: &sources, type: query.type)
    let order = sources.settle()
    for index in rows.indices { rows[index].rank = order[rows[index].rank] }
    return rows
  }

  /// Goes through the type's samples from the first on until every source of the answer has been met.
  private func noteFirstSamples(of sources: inout SourceRanking, type: QuantityType) throws(StoreError) {
    guard sources.needsStarts else { return }
    var types = try connection.prepare("SELECT id FROM type WHERE identifier = ?1")
    try types.bind(type.identifier, at: 1)
    // Each row of the type by itself, so that the index gives the samples in order and none beyond the last is read.
    while try types.step() {
      var samples = try connection.prepare(
        """
        SELECT sample.start, source.identifier, ifnull(device.local_identifier, device.name)
        FROM \(Self.sampleTables) WHERE sample.type = ?1 ORDER BY sample.start
        """)
      try samples.bind(types.integer(0), at: 1)
      var missing = Set(sources.names)
      while !missing.isEmpty, try samples.step() {
        let name = DataSource(source: samples.text(1) ?? "", device: samples.text(2))
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
    let gap = buckets.policy.maximumGapMicroseconds
    let span = (from: buckets.edges[0] &- gap, to: buckets.edges[buckets.edges.count - 1] &+ gap)
    var cells = try cellStatement(from: span.from, to: span.to)
    var chunks = try chunkStatement(from: span.from, to: span.to)
    var index = 0
    while index < rows.count {
      // Samples that overlap each other have to be told apart moment by moment; one by itself is summed up already.
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

  /// A sample's cells that touch the time; the sample's rows are still to be bound.
  private func cellStatement(from: Int64, to: Int64) throws(StoreError) -> Statement {
    var statement = try connection.prepare(
      "SELECT cells FROM summary WHERE id BETWEEN ?1 AND ?2 AND start <= ?3 AND end >= ?4 ORDER BY id")
    try statement.bind(to, at: 3)
    try statement.bind(from, at: 4)
    return statement
  }

  /// Adds a sample by its cells; false, and nothing added, where they do not tell enough.
  private func addCells(
    of row: SeriesRow, from statement: inout Statement, to buckets: inout StatisticsBuckets
  ) throws(StoreError) -> Bool {
    if row.item != nil { return false }
    try bind(sample: row.id, to: &statement)
    var cells: [SummaryCell] = []
    while try statement.step() {
      do { try SummaryCells.decode(statement.bytes(0), onto: &cells) } catch { throw corrupt(sample: row.id) }
    }
    let isInstantaneous = buckets.policy == .ownDuration || cells.allSatisfy { $0.duration == 0 }
    guard isInstantaneous, cells.allSatisfy(\.isSelfContained), SummaryCells.areDisjoint(cells) else { return false }
    buckets.add(cells, rank: row.rank)
    return true
  }

  private func bind(sample: Int64, to statement: inout Statement) throws(StoreError) {
    let rows = Self.chunkRows(of: sample)
    statement.reset()
    try statement.bind(rows.first, at: 1)
    try statement.bind(rows.last, at: 2)
  }

  /// A sample's chunks that touch the time, with what is said about them; the sample's rows are still to be bound.
  func chunkStatement(from: Int64, to: Int64) throws(StoreError) -> Statement {
    var statement = try connection.prepare(
      """
      SELECT chunk.payload, summary.count FROM summary LEFT JOIN chunk ON chunk.id = summary.id
      WHERE summary.id BETWEEN ?1 AND ?2 AND summary.start <= ?3 AND summary.end >= ?4 ORDER BY summary.id
      """)
    try statement.bind(to, at: 3)
    try statement.bind(from, at: 4)
    return statement
  }

  private func track(of row: SeriesRow, from statement: inout Statement) throws(StoreError) -> QuantityTrack {
    // Its row tells all of a single quantity.
    if let item = row.item { return QuantityTrack(item) }
    return try track(of: row.id, from: &statement)
  }

  /// The quantities of the sample's chunks that ``chunkStatement(from:to:)`` finds, or the only one of a sample without.
  func track(of sample: Int64, from statement: inout Statement) throws(StoreError) -> QuantityTrack {
    try bind(sample: sample, to: &statement)
    var track = QuantityTrack()
    while try statement.step() {
      // A chunk that is gone has no bytes, which no chunk is.
      guard let chunk = try? QuantityChunk(decoding: statement.bytes(0)),
        Int64(chunk.times.count) == statement.integer(1)
      else { throw corrupt(sample: sample) }
      // What follows relies on the order.
      if let last = track.starts.last, let next = chunk.times.first, next < last { throw corrupt(sample: sample) }
      track.append(chunk)
    }
    guard track.starts.isEmpty else { return track }
    return try bareItem(of: sample).map { QuantityTrack($0) } ?? track
  }
}

extension QuantityTrack {
  fileprivate init(_ item: QuantityPacker.Item) {
    self.init(starts: [item.start], ends: [item.end], values: [item.value])
  }

  /// Adds the quantities of the chunk that follows.
  mutating func append(_ chunk: consuming QuantityChunk) {
    // Most series are one chunk: its columns are taken over.
    if starts.isEmpty, chunk.durations.isEmpty {
      starts = chunk.times
      values = chunk.values
      return
    }
    // Chunks of one series differ in whether anything in them has a duration.
    if !chunk.durations.isEmpty || !ends.isEmpty {
      if ends.isEmpty { ends = starts }
      ends += chunk.durations.isEmpty ? chunk.times : zip(chunk.times, chunk.durations).map { $0 &+ $1 }
    }
    starts += chunk.times
    values += chunk.values
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
          addCoverage(from: latestEnd, to: cell.firstStart, blocked: open)
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
      accumulators[bucket].add(cell, rank: rank, policy: policy)
    }
  }
}

extension StatisticsAccumulator {
  fileprivate mutating func add(_ cell: SummaryCell, rank: Int, policy: WeightingPolicy) {
    count += cell.count
    sum += cell.sum
    minimum = min(minimum, cell.minimum)
    maximum = max(maximum, cell.maximum)
    duration += Double(cell.duration)
    weighted += cell.weighted
    covered &+= cell.covered
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
