public import Sensors

/// Takes a session's events one by one, and keeps of them what the final pass needs: about a tenth of their size.
public struct SessionCollector: Sendable {
  private(set) var columns = TimelineCollector()

  public init() {}

  /// Takes the next event, in the order in which they were recorded.
  public mutating func take(_ event: SensorEvent) {
    columns.take(event)
  }

  /// Takes all events of a log.
  public mutating func take(_ log: SensorEventLog) {
    columns.take(log)
  }

  /// Gives the columns away: the one owner that is left may change them without a copy.
  mutating func takeColumns() -> TimelineCollector {
    let taken = columns
    columns = TimelineCollector()
    return taken
  }
}
