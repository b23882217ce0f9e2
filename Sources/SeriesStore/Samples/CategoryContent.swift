public import FoundationEssentials
public import HealthModel

/// One integer whose meaning depends on the type; it is stored in the sample's row.
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

extension NewSample {
  /// A category value for a span of time; any integer is accepted, since types may get new values.
  public init(
    _ type: CategoryType, _ value: CategoryValue, over span: TimeSpan, id: UUID = UUID(), device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) {
    self.init(
      CategoryContent(value: value.rawValue), of: .category(type), over: span, id: id, device: device,
      metadata: metadata, sync: sync)
  }
}
