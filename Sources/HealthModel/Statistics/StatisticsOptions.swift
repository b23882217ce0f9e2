/// The requested figures.
public struct StatisticsOptions: OptionSet, Hashable, Sendable, Codable {
  /// The flags as bits.
  public let rawValue: UInt8

  /// Takes the flags as bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The mean by the type's style; discrete types only.
  public static let average = StatisticsOptions(rawValue: 1 << 0)
  /// The smallest value; discrete types only.
  public static let minimum = StatisticsOptions(rawValue: 1 << 1)
  /// The greatest value; discrete types only.
  public static let maximum = StatisticsOptions(rawValue: 1 << 2)
  /// The sum; cumulative types only.
  public static let sum = StatisticsOptions(rawValue: 1 << 3)
  /// The value that starts last, with its time.
  public static let mostRecent = StatisticsOptions(rawValue: 1 << 4)
  /// The total duration of the quantities.
  public static let duration = StatisticsOptions(rawValue: 1 << 5)
  /// One result for each source, instead of one for all sources merged.
  public static let separateBySource = StatisticsOptions(rawValue: 1 << 6)

  /// Every figure that is meaningful for the type's style.
  public static func all(for type: QuantityType) -> StatisticsOptions {
    guard type.style.isKnown else { return [.mostRecent, .duration] }
    return type.style.isCumulative
      ? [.sum, .mostRecent, .duration] : [.average, .minimum, .maximum, .mostRecent, .duration]
  }

  /// Throws if a figure is not meaningful for the type's style.
  public func validate(for type: QuantityType) throws(StatisticsError) {
    guard type.style.isKnown else {
      if isDisjoint(with: [.average, .minimum, .maximum, .sum]) { return }
      throw .unknownStyle(type: type.identifier)
    }
    if type.style.isCumulative {
      if contains(.average) { throw .notForCumulative(option: "average", type: type.identifier) }
      if contains(.minimum) { throw .notForCumulative(option: "minimum", type: type.identifier) }
      if contains(.maximum) { throw .notForCumulative(option: "maximum", type: type.identifier) }
    } else if contains(.sum) {
      throw .notForDiscrete(option: "sum", type: type.identifier)
    }
  }
}
