public import HealthModel

/// What an open session has received so far.
public struct SessionCounts: Hashable, Sendable {
  /// Measurements, whatever they contained.
  public var notifications = 0
  /// Intervals received; each ends at a beat.
  public var beats = 0
  /// Runs begun.
  public var runs = 0
  /// Gaps between beats or, where there are no beats, between rates: provisional.
  public var gaps = 0
  /// How often the link was lost.
  public var linkLosses = 0
  /// Values that were received and then lost by the recorder itself.
  public var lostValues = 0
  /// How many measurements had each defect; a measurement can have several.
  public var defects: [PayloadDefect: Int64] = [:]

  public init() {}
}
