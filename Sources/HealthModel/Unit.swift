/// A unit in the grammar of `health-store`: SI prefixes, `.` or `*`, one `/`, powers `^`; `count/min`, `mmHg`, `%` …
public struct Unit: Hashable, Sendable {
  /// The text as it was given, `count/min` for instance.
  public let symbol: String

  /// Nil where the text is no unit.
  public init?(_ symbol: String) {
    guard !symbol.isEmpty else { return nil }
    self.symbol = symbol
  }

  private init(unchecked symbol: String) {
    self.symbol = symbol
  }

  public static let countPerMinute = Unit(unchecked: "count/min")
  public static let millisecond = Unit(unchecked: "ms")
  public static let percent = Unit(unchecked: "%")
}
