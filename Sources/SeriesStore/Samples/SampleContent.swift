public import FoundationEssentials
public import HealthModel

/// The content of one kind of samples, with all that the store has to know about the kind: the tables, how content is
/// written to them, and how it is verified.
///
/// A new kind is a type that conforms to this protocol, a line in ``SampleContents``, and an initializer of
/// ``NewSample``. Source, device, metadata, predicates, order, changes, tombstones, sync identity, deletion and row
/// checksums are the same for all kinds.
protocol SampleContent: Sendable {
  static var kind: SampleKind { get }
  /// The kind's own tables; empty for content that fits into a row of `samples` and into associations.
  static var tables: [ContentTable] { get }
  /// The tables in which `sensord sql` shows the content unpacked.
  static var unpackedTables: [UnpackedTable] { get }
  /// The fault in the content of a sample whose rows are as they were written; nil for sound content.
  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String?

  /// The columns of the sample's own row that depend on the content.
  func figures() throws(StoreError) -> SampleFigures
  /// Samples that are saved and deleted with this one.
  var parts: [NewSample] { get }
  /// Samples that were collected with this one: saved before or beside it, they stay when it is deleted.
  var collected: [UUID] { get }
  /// The stored workout to which this sample belongs, as if it had been collected with the workout.
  var workout: UUID? { get }
  /// Writes to the kind's tables all content that is not in the sample's own row.
  func insert(of sample: Int64, into connection: Connection) throws(StoreError)
}

extension SampleContent {
  static var tables: [ContentTable] { [] }
  static var unpackedTables: [UnpackedTable] { [] }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? { nil }

  var parts: [NewSample] { [] }
  var collected: [UUID] { [] }
  var workout: UUID? { nil }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {}
}

/// A table of a kind. A row belongs to the sample whose number is the row's `key` without its lowest `shift` bits.
struct ContentTable: Sendable {
  var table: Table
  var key: String
  var shift: Int64 = 0
  /// The statements that create the indexes of the table.
  var indexes: [String] = []
}

/// The kinds that this program knows.
enum SampleContents {
  static let all: [any SampleContent.Type] = [
    QuantityContent.self, HeartbeatContent.self, CategoryContent.self, CorrelationContent.self,
    WorkoutContent.self, WorkoutRouteContent.self, AudiogramContent.self, VisionPrescriptionContent.self,
    ClinicalRecordContent.self,
  ]

  private static let byKind = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0) })

  /// The content type of the kind; nil if this program does not know it.
  static func content(of kind: SampleKind) -> (any SampleContent.Type)? {
    byKind[kind]
  }
}

/// The content of a category sample: one integer, whose meaning depends on the type, in the sample's row.
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
  /// A category value for a span of time. Any integer is accepted, since types may get new values.
  public init(
    _ type: CategoryType, _ value: CategoryValue, over span: TimeSpan, id: UUID = UUID(), device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) {
    self.init(
      CategoryContent(value: value.rawValue), of: .category(type), over: span, id: id, device: device,
      metadata: metadata, sync: sync)
  }
}

/// The parts of a correlation, which together are one measurement: samples of their own, referred to by associations.
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
  /// A correlation: samples that together are one measurement, from the first start to the last end of them. Each part
  /// can also be queried by itself, and is deleted with the correlation.
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

  /// One quantity at a moment or over a span of time.
  ///
  /// - Throws: ``HealthModel/SeriesError`` under the rules of ``QuantitySeriesBuilder/insert(_:for:)``.
  public init(
    _ type: QuantityType, _ quantity: Quantity, over span: TimeSpan, id: UUID = UUID(), device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws(SeriesError) {
    var builder = QuantitySeriesBuilder(type: type, start: span.start, device: device)
    try builder.insert(quantity, for: span)
    self = try builder.finish(id: id, metadata: metadata, sync: sync)
  }
}
