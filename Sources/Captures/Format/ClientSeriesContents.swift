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

  public init(_ series: ClientSeries) {
    self.series = series
  }

  mutating func append(_ record: ClientSeriesRecord) {
    switch record {
    case .begin: break
    case .values(let more): values += more
    case .beats(let more): beats += more
    case .finish(let end):
      isFinished = true
      endMicroseconds = end
    }
  }
}
