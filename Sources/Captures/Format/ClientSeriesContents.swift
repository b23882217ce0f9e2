/// A client's series as a journal has it: what is known of it, and the values so far.
public struct ClientSeriesContents: Hashable, Sendable {
  public var series: ClientSeries
  /// Metadata from the client, at its beginning or later; the last value of a key counts.
  public var metadata: [String: CaptureMetadataValue] = [:]
  /// Values in the order of their insertion.
  public var values: [ClientSeries.Value] = []
  /// Heartbeats in order.
  public var beats: [ClientSeries.Beat] = []
  /// Whether the client completed it.
  public var isFinished = false
  /// When it ends, as the client said, in microseconds since 1970 (UTC); nil: with its last value.
  public var endMicroseconds: Int64?
  /// From the series' start to its last heartbeat.
  private var ticks: Int64 = 0

  public init(_ series: ClientSeries) {
    self.series = series
  }

  mutating func append(_ record: ClientSeriesRecord) {
    switch record {
    case .begin: break
    case .values(let more): values += more
    case .beats(let more, let after): append(more, after: after)
    case .finish(let end):
      isFinished = true
      endMicroseconds = end
    }
  }

  /// Where records between are missing, the first of these is preceded by a gap. What cannot follow what is there is left out.
  private mutating func append(_ more: [ClientSeries.Beat], after: Int64) {
    guard var first = more.first else { return }
    if after != ticks {
      let (sum, overflow) = after.addingReportingOverflow(Int64(first.ticks))
      guard !overflow, sum > ticks, let interval = UInt32(exactly: sum &- ticks) else { return }
      first = ClientSeries.Beat(ticks: interval, precededByGap: true)
    }
    beats.append(first)
    beats += more.dropFirst()
    ticks &+= Int64(first.ticks)
    for beat in more.dropFirst() { ticks &+= Int64(beat.ticks) }
  }
}
