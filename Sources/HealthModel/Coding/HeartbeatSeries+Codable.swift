extension HeartbeatSeries: Codable {
  private enum Key: CodingKey { case timescale, start, runs, beats }

  /// Timescale, start, runs and beats. Throws ``SeriesError`` if they are no valid series.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try self.init(
      timescale: container.decode(Int32.self, forKey: .timescale), runs: container.decode([Run].self, forKey: .runs),
      beats: container.decode([Heartbeat].self, forKey: .beats),
      start: container.decodeIfPresent(Timestamp.self, forKey: .start))
  }

  /// Timescale, start, runs and beats.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(timescale, forKey: .timescale)
    try container.encodeIfPresent(start, forKey: .start)
    try container.encode(runs, forKey: .runs)
    try container.encode(beats, forKey: .beats)
  }
}

extension HeartbeatSeries: CustomStringConvertible {
  /// `5 beats in 1 run since 2026-11-22T10:30:00.000000Z`.
  public var description: String {
    guard let start else { return "0 beats" }
    return "\(beats.count) beats in \(runs.count) \(runs.count == 1 ? "run" : "runs") since \(start)"
  }
}
