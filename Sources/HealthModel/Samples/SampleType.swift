/// The type of a sample: a name, and the kind of its content.
///
/// Open: for a sample of a newer program, name and kind are as in the file.
public struct SampleType: Hashable, Sendable, CustomStringConvertible {
  /// The name in the file: HealthKit's without its prefix.
  public let identifier: String
  /// The form of its content.
  public let kind: SampleKind
  /// Unit and style of a quantity type, as far as they are known (``QuantityType/isKnown``); nil for other kinds.
  public let quantityType: QuantityType?

  /// The type with that name and kind, known to this program or not.
  public init(identifier: String, kind: SampleKind) {
    self.identifier = identifier
    self.kind = kind
    quantityType =
      kind == .quantity ? QuantityType(identifier: identifier) ?? QuantityType(stored: identifier) : nil
  }

  private init(_ type: QuantityType) {
    identifier = type.identifier
    kind = .quantity
    quantityType = type
  }

  /// Values of a quantity type; a single value is a series of one.
  public static func quantity(_ type: QuantityType) -> SampleType {
    SampleType(type)
  }

  /// The type of category samples of `type`.
  public static func category(_ type: CategoryType) -> SampleType {
    SampleType(identifier: type.identifier, kind: .category)
  }

  /// The type of correlations of `type`.
  public static func correlation(_ type: CorrelationType) -> SampleType {
    SampleType(identifier: type.identifier, kind: .correlation)
  }

  /// Beats.
  public static let heartbeatSeries = SampleType(identifier: "heartbeatSeries", kind: .heartbeatSeries)
  /// A recording session in the list of changes.
  public static let session = SampleType(identifier: "session", kind: .session)

  /// The name in the file.
  public var description: String { identifier }
}
