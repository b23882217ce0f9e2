public import FoundationEssentials
public import HealthModel

/// Beats: packed chunks, the runs' maps to time, and the timescale.
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
  /// The beats of a finished ``HealthModel/HeartbeatSeriesBuilder``; nil if there are none.
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
