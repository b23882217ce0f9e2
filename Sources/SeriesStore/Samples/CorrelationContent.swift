public import FoundationEssentials
public import HealthModel

/// Samples that together are one measurement. They are samples of their own, referred to by associations.
struct CorrelationContent: SampleContent {
  static let kind = SampleKind.correlation

  let parts: [NewSample]

  func figures() -> SampleFigures {
    SampleFigures(count: parts.count)
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    let count = try connection.associations.parts(of: sample.id).count
    return count == sample.figures.count ? nil : "\(sample.figures.count) parts are said to be there, \(count) are"
  }
}

extension NewSample {
  /// Samples that together are one measurement, over all of their time. Each can also be queried by itself, and is deleted
  /// with it.
  ///
  /// - Throws: ``HealthModel/SeriesError/empty`` without parts, ``HealthModel/SeriesError/partMissing(_:)`` if a required
  ///   part is missing, ``HealthModel/SeriesError/correlationWithin`` if a part is a correlation itself.
  public init(
    _ type: CorrelationType, of parts: [NewSample], id: UUID = UUID(), device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws(SeriesError) {
    guard let start = parts.map(\.span.start).min(), let end = parts.map(\.span.end).max(),
      let span = TimeSpan(start: start, end: end)
    else { throw .empty }
    guard !parts.contains(where: { $0.type.kind == .correlation }) else { throw .correlationWithin }
    for part in type.parts where !parts.contains(where: { $0.type == .quantity(part) }) {
      throw .partMissing(part.identifier)
    }
    self.init(
      CorrelationContent(parts: parts), of: .correlation(type), over: span, id: id, device: device,
      metadata: metadata, sync: sync)
  }

  /// One quantity at a moment or over a time.
  ///
  /// - Throws: ``HealthModel/SeriesError`` as ``QuantitySeriesBuilder/insert(_:for:)``.
  public init(
    _ type: QuantityType, _ quantity: Quantity, over span: TimeSpan, id: UUID = UUID(), device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws(SeriesError) {
    var builder = QuantitySeriesBuilder(type: type, start: span.start, device: device)
    try builder.insert(quantity, for: span)
    self = try builder.finish(id: id, metadata: metadata, sync: sync)
  }
}
