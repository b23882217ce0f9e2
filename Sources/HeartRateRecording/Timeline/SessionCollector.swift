public import Sensors

/// Collects a session's events one by one and keeps what the final pass needs: about a tenth of their size.
public struct SessionCollector: Sendable {
  private(set) var columns = TimelineCollector()

  public init() {}

  /// Appends the next event, in the order of recording.
  public mutating func take(_ event: SensorEvent) {
    columns.take(event)
  }

  /// Appends all events of a log.
  public mutating func take(_ log: SensorEventLog) {
    columns.take(log)
  }

  /// Moves the columns out. Their only owner may then change them without a copy.
  mutating func takeColumns() -> TimelineCollector {
    let taken = columns
    columns = TimelineCollector()
    return taken
  }
}
