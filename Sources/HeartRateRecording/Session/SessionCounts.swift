public import HealthModel

/// What an open session has seen so far.
public struct SessionCounts: Hashable, Sendable {
  /// Measurements, whatever was in them.
  public var notifications = 0
  /// Intervals received; each ends at a beat.
  public var beats = 0
  /// Runs begun.
  public var runs = 0
  /// Gaps of beats or, where there are none, of rates: provisional.
  public var gaps = 0
  /// How often the link was lost.
  public var linkLosses = 0
  /// Values that the recorder itself lost after it had received them.
  public var lostValues = 0
  /// How many measurements had each defect; one can have several.
  public var defects: [PayloadDefect: Int64] = [:]

  public init() {}
}
