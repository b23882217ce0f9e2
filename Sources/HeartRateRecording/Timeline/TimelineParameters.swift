/// The figures of the final pass. They are fixed: ``standard`` is what sessions are stored with.
public struct TimelineParameters: Hashable, Sendable {
  /// This many intervals of ``fillerTicks`` in a row are invented.
  public var fillerCount = 4
  public var fillerTicks: UInt16 = 512
  /// An interval longer than this many medians of its neighbours spans missed beats or a pause.
  public var missedRatio = 2.5
  /// How many neighbours give that median: half before, half after.
  public var missedNeighbours = 12

  public init() {}

  public static let standard = TimelineParameters()
}
