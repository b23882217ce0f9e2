/// The figures of one quantity type over a workout or one of its activities, pauses left out.
///
/// They are those of ``Statistics`` of one stretch of time: a value belongs to it from its start to before its end. Sources that
/// measured at the same time are merged; the one that was collected first goes first.
public struct WorkoutStatistics: Hashable, Sendable, Codable {
  /// The quantity type, with the unit of all values here.
  public var type: QuantityType
  /// The number of quantities that contributed; 1 or more.
  public var count: Int
  /// The sum; nil for discrete types.
  public var sum: Double?
  /// The mean by the type's style; nil for cumulative types.
  public var average: Double?
  /// The smallest value; nil for cumulative types.
  public var minimum: Double?
  /// The greatest value; nil for cumulative types.
  public var maximum: Double?
  /// The value that starts last.
  public var mostRecent: Double?
  /// When that was measured.
  public var mostRecentSpan: TimeSpan?

  /// Figures with the given parts.
  public init(
    _ type: QuantityType, count: Int, sum: Double? = nil, average: Double? = nil, minimum: Double? = nil,
    maximum: Double? = nil, mostRecent: Double? = nil, mostRecentSpan: TimeSpan? = nil
  ) {
    self.type = type
    self.count = count
    self.sum = sum
    self.average = average
    self.minimum = minimum
    self.maximum = maximum
    self.mostRecent = mostRecent
    self.mostRecentSpan = mostRecentSpan
  }

  /// One of the figures with its unit; nil if the type has none of that name.
  public func quantity(_ figure: SamplePredicate.QuantityFigure) -> Quantity? {
    let value =
      switch figure {
      case .sum: sum
      case .average: average
      case .minimum: minimum
      case .maximum: maximum
      case .mostRecent: mostRecent
      }
    return value.map { Quantity($0, type.unit) }
  }
}
