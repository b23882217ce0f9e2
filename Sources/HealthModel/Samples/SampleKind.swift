/// The kind of a sample: the form of its content.
///
/// Open: a store may have kinds of which this program only knows the name. What all samples have in common works for those
/// too.
public struct SampleKind: RawRepresentable, Hashable, Sendable, Codable {
  /// The name in the file.
  public let rawValue: String

  /// The kind with that name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A series of values of a quantity type; a single value is a series of one.
  public static let quantity = SampleKind(rawValue: "quantity")
  /// Beats.
  public static let heartbeatSeries = SampleKind(rawValue: "heartbeatSeries")
  /// One integer whose meaning depends on the type.
  public static let category = SampleKind(rawValue: "category")
  /// Samples that together are one measurement.
  public static let correlation = SampleKind(rawValue: "correlation")
  /// An exercise with its events, activities and figures.
  public static let workout = SampleKind(rawValue: "workout")
  /// The places where somebody was in a workout.
  public static let workoutRoute = SampleKind(rawValue: "workoutRoute")
  /// How well somebody hears, by frequency.
  public static let audiogram = SampleKind(rawValue: "audiogram")
  /// Lenses for glasses or contacts.
  public static let visionPrescription = SampleKind(rawValue: "visionPrescription")
  /// A document of a health provider.
  public static let clinicalRecord = SampleKind(rawValue: "clinicalRecord")
  /// A recording session: not a sample, but an object in the list of changes.
  public static let session = SampleKind(rawValue: "session")
}
