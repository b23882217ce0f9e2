import FoundationEssentials
import HealthModel

/// The tables of the samples and changes that a reader may see, in SQL, with the parameters of its scope's values.
///
/// Each search for a sample begins with the rows that the reader may see. No statement reads a row of another sample,
/// or depends on whether there is one.
struct ScopePlaces {
  /// The rows of readable types; nil if there are none.
  private let typeRows: String?
  /// The rows of the reader's own source; nil if it has none.
  private let sourceRows: String?
  /// The parameter of the identifiers of single samples; nil if there are none.
  private let objects: String?

  /// Binds the scope's values to a condition.
  init(_ scope: ReadScope, in condition: inout SamplePredicate.Condition) throws(StoreError) {
    typeRows = try condition.typeRows(scope)
    sourceRows = try condition.sourceRows(scope)
    objects = try condition.objects(scope)
  }

  /// The samples, by type, source and time.
  var samplesByTime: String {
    var arms: [String] = []
    if let typeRows {
      // The sources of each type, one after the other by the index, so that rows of other types are not read.
      arms.append(
        """
        SELECT sample.* FROM (WITH RECURSIVE part (type, source) AS (
            SELECT id, (SELECT min(source) FROM samples WHERE type = readable.id) FROM (\(typeRows)) AS readable
            UNION ALL SELECT type, (SELECT min(source) FROM samples WHERE type = part.type AND source > part.source)
              FROM part WHERE source IS NOT NULL)
          SELECT type, source FROM part WHERE source IS NOT NULL) AS part
          CROSS JOIN samples AS sample INDEXED BY sample_time ON sample.type = part.type AND sample.source = part.source
        """)
    }
    return union(arms + others(of: "sample.*", Self.itsSample), of: "samples")
  }

  /// The samples, by the changes after ?1 and up to ?2 that saved them.
  var samplesBySaving: String {
    let range = "AND change.number > ?1 AND change.number <= ?2 \(Self.itsSample)"
    return union(readableChanges(of: "sample.*", range) + others(of: "sample.*", range), of: "samples")
  }

  /// The changes after ?1.
  var changes: String {
    let range = "AND change.number > ?1"
    return union(readableChanges(of: "change.*", range) + others(of: "change.*", range), of: "changes")
  }

  private static let itsSample = "CROSS JOIN samples AS sample ON sample.id = change.number"

  /// The changes of readable types; `rest` continues their condition.
  private func readableChanges(of columns: String, _ rest: String) -> [String] {
    guard let typeRows else { return [] }
    return [
      """
      SELECT \(columns) FROM (\(typeRows)) AS readable
        CROSS JOIN changes AS change INDEXED BY change_type ON change.type = readable.id \(rest)
      """
    ]
  }

  /// The changes of the reader's own samples and of single ones, without those of readable types.
  private func others(of columns: String, _ rest: String) -> [String] {
    let isNotReadable = typeRows.map { " AND change.type NOT IN (\($0))" } ?? ""
    var arms: [String] = []
    if let sourceRows {
      arms.append(
        """
        SELECT \(columns) FROM (\(sourceRows)) AS own
          CROSS JOIN changes AS change INDEXED BY change_source ON change.source = own.id \(rest)
          WHERE 1\(isNotReadable)
        """)
    }
    if let objects {
      let isNotOwn = sourceRows.map { " AND change.source NOT IN (\($0))" } ?? ""
      arms.append(
        """
        SELECT \(columns) FROM (\(UUID.rows(in: objects))) AS single
          CROSS JOIN changes AS change INDEXED BY change_uuid
            ON substr(change.uuid, 1, 4) = substr(single.object, 1, 4) AND change.uuid = single.object \(rest)
          WHERE 1\(isNotReadable)\(isNotOwn)
        """)
    }
    return arms
  }

  private func union(_ arms: [String], of table: String) -> String {
    // A table without rows, for a reader who may see nothing.
    guard !arms.isEmpty else { return "(SELECT * FROM \(table) WHERE 0)" }
    return "(" + arms.joined(separator: " UNION ALL ") + ")"
  }
}

extension SamplePredicate.Condition {
  /// The condition that a reader may see a row of `table`, which has a type and a source, and is about the object `uuid`.
  mutating func isVisible(_ table: String, uuid: String, in scope: ReadScope) throws(StoreError) -> String {
    var ways: [String] = []
    if let rows = try typeRows(scope) { ways.append("\(table).type IN (\(rows))") }
    if let rows = try sourceRows(scope) { ways.append("\(table).source IN (\(rows))") }
    if let objects = try objects(scope) { ways.append("\(uuid) IN (\(UUID.rows(in: objects)))") }
    return ways.isEmpty ? "0" : "(" + ways.joined(separator: " OR ") + ")"
  }

  fileprivate mutating func typeRows(_ scope: ReadScope) throws(StoreError) -> String? {
    guard !scope.types.isEmpty else { return nil }
    var places: [String] = []
    for type in scope.types.sorted() { places.append(try place(.text(type))) }
    return """
      SELECT id FROM types WHERE identifier IN (\(places.joined(separator: ", ")))
        AND kind <> '\(SampleKind.session.rawValue)'
      """
  }

  fileprivate mutating func sourceRows(_ scope: ReadScope) throws(StoreError) -> String? {
    guard let source = scope.source else { return nil }
    return "SELECT id FROM sources WHERE identifier = \(try place(.text(source)))"
  }

  fileprivate mutating func objects(_ scope: ReadScope) throws(StoreError) -> String? {
    guard !scope.objects.isEmpty else { return nil }
    return try place(.bytes(scope.objects.sorted { $0.uuidString < $1.uuidString }.flatMap(\.bytes)))
  }
}

extension UUID {
  /// The rows `object` of the identifiers in a parameter: sixteen bytes each.
  static func rows(in parameter: String) -> String {
    """
    WITH RECURSIVE part (first) AS
      (SELECT 1 UNION ALL SELECT first + 16 FROM part WHERE first + 16 < length(\(parameter)))
    SELECT substr(\(parameter), first, 16) AS object FROM part
    """
  }
}
