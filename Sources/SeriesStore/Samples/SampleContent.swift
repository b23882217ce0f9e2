import FoundationEssentials
import HealthModel

/// The content of one kind of samples, and everything that the store has to know about the kind: its tables, how content is
/// written to them, and how it is verified.
///
/// A new kind is a type that conforms to this, a line in ``SampleContents``, and a way to create its ``NewSample``. Source,
/// device, metadata, predicates, order, changes, tombstones, sync identity, deletion and row checksums are the same for all
/// kinds.
protocol SampleContent: Sendable {
  static var kind: SampleKind { get }
  /// The kind's own tables. What fits into a row of `samples` and into associations needs none.
  static var tables: [ContentTable] { get }
  /// The tables in which `sensord sql` shows the content unpacked.
  static var unpackedTables: [UnpackedTable] { get }
  /// The fault in the content of a sample whose rows are as they were written; nil if there is none.
  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String?

  /// The columns of the sample's own row that depend on the content.
  func figures() throws(StoreError) -> SampleFigures
  /// Samples that are saved and deleted with it.
  var parts: [NewSample] { get }
  /// Samples that were collected with it, which are saved before or beside it and stay when it is deleted.
  var collected: [UUID] { get }
  /// The stored workout to which it belongs, as if it had been collected with it.
  var workout: UUID? { get }
  /// Writes what is not in the sample's own row to the kind's tables.
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
  /// The statements that create its indexes.
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
