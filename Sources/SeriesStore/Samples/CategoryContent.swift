public import FoundationEssentials
public import HealthModel

/// One integer whose meaning the type tells: it stands in the sample's row.
struct CategoryContent: SampleContent {
  static let kind = SampleKind.category

  let value: Int64

  func figures() -> SampleFigures {
    SampleFigures(value: value)
  }

  static func problem(of sample: SampleRow, in connection: Connection) -> String? {
    sample.figures.value == nil ? "it has no value" : nil
  }
}

extension SampleType {
  /// A value of a category type.
  public static func category(_ type: CategoryType) -> SampleType {
    SampleType(identifier: type.identifier, kind: .category)
  }
}

extension NewSample {
  /// A value of a category type over a time; any integer is taken, since types get new values.
  public init(
    _ type: CategoryType, _ value: CategoryValue, over span: TimeSpan, id: UUID = UUID(), device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) {
    self.init(
      CategoryContent(value: value.rawValue), of: .category(type), over: span, id: id, device: device,
      metadata: metadata, sync: sync)
  }
}

extension HealthSample {
  /// The value of a category sample; nil for other kinds.
  public var category: CategoryValue? {
    type.kind == .category ? value.map(CategoryValue.init(rawValue:)) : nil
  }
}
