public import FoundationEssentials
public import HealthModel

/// The beats of a series: packed chunks, the runs' maps to time, and the timescale.
struct HeartbeatContent: SampleContent {
  static let kind = SampleKind.heartbeatSeries
  static let tables = [
    ContentTable(table: HeartbeatSeriesTable.series, key: "sample"),
    ContentTable(table: HeartbeatSeriesTable.runs, key: "sample"),
  ]
  static let unpackedTables: [UnpackedTable] = [.beats]

  let series: HeartbeatSeries

  func figures() -> SampleFigures {
    SampleFigures(count: series.beats.count)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    try connection.heartbeatSeries.insert(series, of: sample)
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    let series: HeartbeatSeries
    do throws(StoreError) {
      series = try connection.heartbeatSeries.series(
        of: sample.id, count: sample.figures.count, start: Timestamp(microseconds: sample.start), object: "sample")
    } catch {
      guard error.isCorrupt else { throw error }
      return "its beats cannot be unpacked"
    }
    guard series.beats.count == sample.figures.count else {
      return "\(sample.figures.count) beats are said to be there, \(series.beats.count) are"
    }
    guard Int64(series.gapCount) == (try connection.heartbeatSeries.gaps(of: sample.id)) else {
      return "its gaps are not those of its beats"
    }
    // A series may begin before its first beat but not after it, which unpacking has checked.
    guard series.bounds?.end.microseconds == sample.end else { return "it does not end with its last beat" }
    return nil
  }
}

extension NewSample {
  /// The beats of a finished ``HealthModel/HeartbeatSeriesBuilder`` as a sample; nil for a series without beats.
  public init?(
    heartbeats: HeartbeatSeries, id: UUID = UUID(), device: Device? = nil, metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) {
    guard let bounds = heartbeats.bounds, let start = heartbeats.start,
      let span = TimeSpan(start: start, end: bounds.end)
    else { return nil }
    self.init(
      HeartbeatContent(series: heartbeats), of: .heartbeatSeries, over: span, id: id, device: device,
      metadata: metadata, sync: sync)
  }
}

/// The runs and chunks of heartbeat series.
struct HeartbeatSeriesTable {
  let connection: Connection

  static let series = Table(
    "heartbeat_series", ["sample INTEGER PRIMARY KEY", "timescale INTEGER NOT NULL", "gaps INTEGER NOT NULL"])
  static let runs = Table(
    "runs",
    [
      "sample INTEGER NOT NULL", "ordinal INTEGER NOT NULL", "first INTEGER NOT NULL", "count INTEGER NOT NULL",
      "first_tick INTEGER NOT NULL", "anchor INTEGER NOT NULL", "slope INTEGER NOT NULL",
      "uncertainty INTEGER NOT NULL", "start INTEGER NOT NULL", "end INTEGER NOT NULL",
    ], key: "sample, ordinal")

  func insert(_ series: HeartbeatSeries, of sample: Int64) throws(StoreError) {
    try connection.insert(
      [.integer(sample), .integer(Int64(series.timescale)), .integer(Int64(series.gapCount))], into: Self.series)
    var beats = series.beats[...]
    var ordinal = 0
    while !beats.isEmpty {
      let chunk = HeartbeatChunk(beats.prefix(HeartbeatChunk.capacity))
      _ = try connection.chunks.insert(chunk.encode(), of: sample, ordinal: ordinal)
      beats = beats.dropFirst(HeartbeatChunk.capacity)
      ordinal += 1
    }
    for (ordinal, run) in series.runs.enumerated() {
      let span = series.span(of: run)
      try connection.insert(
        [
          .integer(sample), .integer(Int64(ordinal)), .integer(Int64(run.beats.lowerBound)),
          .integer(Int64(run.beats.count)), .integer(run.firstTick), SQLValue(run.map.anchor),
          .integer(Int64(run.map.slopePartsPerBillion)), .integer(run.map.uncertaintyMicroseconds),
          SQLValue(span.start), SQLValue(span.end),
        ], into: Self.runs)
    }
  }

  /// The beats of a sample which, by its row, has `count` and begins at `start`.
  func series(
    of sample: Int64, count: Int, start: Timestamp, object: String
  ) throws(StoreError) -> HeartbeatSeries {
    var beats: [Heartbeat] = []
    // A damaged count must not lead to a huge allocation.
    beats.reserveCapacity(min(count, 1 << 20))
    try connection.chunks.forEach(of: sample, object: object) { (bytes) throws(ChunkError) in
      beats.append(contentsOf: try HeartbeatChunk.decode(bytes))
    }
    let timescale = try column("timescale", of: sample)
    let runs = try runs(of: sample, count: count)
    do {
      return try HeartbeatSeries(timescale: Int32(clamping: timescale), runs: runs, beats: beats, start: start)
    } catch {
      throw connection.corrupt(object)
    }
  }

  /// The number of beats preceded by a gap, except the first, as the sample's row says.
  func gaps(of sample: Int64) throws(StoreError) -> Int64 {
    try column("gaps", of: sample)
  }

  private func column(_ name: String, of sample: Int64) throws(StoreError) -> Int64 {
    var statement = try connection.prepare("SELECT \(name) FROM heartbeat_series WHERE sample = ?1")
    try statement.bind(sample, at: 1)
    return try statement.step() ? statement.integer(0) : 0
  }

  private func runs(of sample: Int64, count total: Int) throws(StoreError) -> [HeartbeatSeries.Run] {
    var statement = try connection.prepare(
      "SELECT first, count, first_tick, anchor, slope, uncertainty FROM runs WHERE sample = ?1 ORDER BY ordinal")
    try statement.bind(sample, at: 1)
    var runs: [HeartbeatSeries.Run] = []
    while try statement.step() {
      let first = Int(statement.integer(0))
      let count = Int(statement.integer(1))
      // Values that no writer writes become an empty run, which the series refuses.
      let isSane = first >= 0 && count > 0 && first <= total && count <= total
      let map = AffineTimeMap(
        anchor: Timestamp(microseconds: statement.integer(3)),
        slopePartsPerBillion: Int32(clamping: statement.integer(4)),
        uncertaintyMicroseconds: statement.integer(5))
      runs.append(
        HeartbeatSeries.Run(
          beats: isSane ? first..<first + count : 0..<0, firstTick: statement.integer(2), map: map))
    }
    return runs
  }
}
