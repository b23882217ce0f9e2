/// A unit in the grammar of `health-store`: SI prefixes, `.` or `*`, one `/`, powers `^`; `count/min`, `mmHg`, `%` …
public struct Unit: Hashable, Sendable {
  /// The text as it was given, `count/min` for instance.
  public let symbol: String

  private init(unchecked symbol: String) {
    self.symbol = symbol
  }

  public static let countPerMinute = Unit(unchecked: "count/min")
  public static let millisecond = Unit(unchecked: "ms")
  public static let percent = Unit(unchecked: "%")
}
