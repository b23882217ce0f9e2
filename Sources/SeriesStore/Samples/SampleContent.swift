/// What a sample of one kind holds, and all that the store has to know of the kind: its tables, how its content gets into
/// them, and what is wrong with what lies there.
///
/// A new kind is a type of this, a line in ``SampleContents``, and a way to make a ``NewSample`` of it. Source, device,
/// metadata, predicates, order, changes, tombstones, sync identity, deletion and the checksums of rows are the same for all.
protocol SampleContent: Sendable {
  static var kind: SampleKind { get }
  /// The kind's own tables; what a row of `samples` and the associations hold needs none.
  static var tables: [ContentTable] { get }
  /// What `sensord sql` shows unpacked of it.
  static var unpackedTables: [UnpackedTable] { get }
  /// What is wrong with the content of a sample whose rows are as they were written; nil where nothing is.
  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String?

  /// What the sample's own row says of the content.
  func figures() throws(StoreError) -> SampleFigures
  /// Samples that are saved with it, and go with it.
  var parts: [NewSample] { get }
  /// Puts what is not in the sample's own row into the kind's tables.
  func insert(of sample: Int64, into connection: Connection) throws(StoreError)
}

extension SampleContent {
  static var tables: [ContentTable] { [] }
  static var unpackedTables: [UnpackedTable] { [] }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? { nil }

  var parts: [NewSample] { [] }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {}
}

/// A table of a kind, whose rows belong to samples: those whose `key`, without its lowest `shift` bits, is the sample's number.
struct ContentTable: Sendable {
  var table: Table
  var key: String
  var shift: Int64 = 0
}

/// The kinds that this program knows.
enum SampleContents {
  static let all: [any SampleContent.Type] = [
    QuantityContent.self, HeartbeatContent.self, CategoryContent.self, CorrelationContent.self,
  ]

  private static let byKind = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0) })

  /// The kind's content; nil where this program does not know it.
  static func content(of kind: SampleKind) -> (any SampleContent.Type)? {
    byKind[kind]
  }
}
