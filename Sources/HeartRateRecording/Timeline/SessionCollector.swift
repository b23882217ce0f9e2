public import Sensors

/// Collects a session's events one by one and keeps what the final pass needs: about a tenth of their size.
public struct SessionCollector: Sendable {
  private(set) var columns = TimelineCollector()

  public init() {}

  /// Appends the next event, in the order of recording.
  public mutating func append(_ event: SensorEvent) {
    columns.append(event)
  }

  /// Appends all events of a log.
  public mutating func append(_ log: SensorEventLog) {
    columns.append(log)
  }

  /// Moves the columns out. Their only owner may then change them without a copy.
  mutating func removeColumns() -> TimelineCollector {
    let taken = columns
    columns = TimelineCollector()
    return taken
  }
}
