/// What kind of thing a sample is: which form its content has.
///
/// Open: a store may hold kinds of which this program knows the name only. What all samples have is there for those too.
public struct SampleKind: RawRepresentable, Hashable, Sendable, Codable {
  /// The name in the file.
  public let rawValue: String

  /// Takes the name as it is.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A series of values of a quantity type; a single value is a series of one.
  public static let quantity = SampleKind(rawValue: "quantity")
  /// Beats.
  public static let heartbeatSeries = SampleKind(rawValue: "heartbeatSeries")
  /// One integer whose meaning the type tells.
  public static let category = SampleKind(rawValue: "category")
  /// Samples that are one measurement together.
  public static let correlation = SampleKind(rawValue: "correlation")
  /// A recording session: no sample, but an object of the list of changes.
  public static let session = SampleKind(rawValue: "session")
}
