public import FoundationEssentials
public import HealthModel

/// A record in a row of its own, with its document.
struct ClinicalRecordContent: SampleContent {
  static let kind = SampleKind.clinicalRecord
  static let records = Table(
    "clinical_records",
    [
      "sample INTEGER PRIMARY KEY", "name TEXT NOT NULL", "resource_type TEXT NOT NULL", "resource_id TEXT",
      "fhir_version TEXT", "source_url TEXT", "data BLOB NOT NULL",
    ])
  static let tables = [ContentTable(table: records, key: "sample")]

  let record: ClinicalRecord

  func figures() -> SampleFigures { SampleFigures() }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    let resource = record.resource
    try connection.insert(
      [
        .integer(sample), .text(record.displayName), .text(resource.resourceType), SQLValue(resource.identifier),
        SQLValue(resource.fhirVersion), SQLValue(resource.sourceURL), .blob(resource.data),
      ], into: Self.records)
  }

  /// The record of a sample whose row is `row`.
  static func record(
    of row: SampleRow, object: String, in connection: Connection
  ) throws(StoreError) -> ClinicalRecord {
    var statement = try connection.prepare(
      """
      SELECT name, resource_type, resource_id, fhir_version, source_url, data,
        \(RowChecksum.name)(\(records.columns.joined(separator: ", "))) = \(Table.checksum)
      FROM clinical_records WHERE sample = ?1
      """)
    try statement.bind(row.id, at: 1)
    // The checksum of the row is the only evidence that the document is whole.
    guard try statement.step(), statement.integer(6) == 1, row.figures == SampleFigures(), let name = statement.text(0),
      let resourceType = statement.text(1)
    else { throw connection.corrupt(object) }
    let resource = FHIRResource(
      resourceType: resourceType, identifier: statement.text(2), fhirVersion: statement.text(3),
      sourceURL: statement.text(4), data: statement.bytes(5))
    let record = ClinicalRecord(
      ClinicalType(identifier: row.type.identifier), displayName: name, resource)
    guard (try? record.validate()) != nil else { throw connection.corrupt(object) }
    return record
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    do throws(StoreError) {
      _ = try record(of: sample, object: "sample", in: connection)
      return nil
    } catch {
      guard error.isCorrupt else { throw error }
      return "its document is not the one that was saved"
    }
  }
}

extension NewSample {
  /// A clinical record as a sample, at the time that the record is about.
  ///
  /// - Throws: ``HealthModel/ClinicalRecordError`` for a record that ``HealthModel/ClinicalRecord/validate()`` refuses.
  public init(
    _ record: ClinicalRecord, at time: Timestamp, id: UUID = UUID(), metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) throws(ClinicalRecordError) {
    try record.validate()
    self.init(
      ClinicalRecordContent(record: record), of: .clinical(record.type), over: TimeSpan(at: time), id: id,
      device: nil, metadata: metadata, sync: sync)
  }
}

extension HealthStore {
  /// The names of records by their identifiers; identifiers that are not those of records are left out. No document is
  /// read.
  package func clinicalRecordNames(of records: [UUID]) throws(StoreError) -> [UUID: String] {
    try opened().read { (connection) throws(StoreError) in
      // A file of an earlier program has no table of records.
      guard try connection.has(ClinicalRecordContent.records) else { return [:] }
      var names: [UUID: String] = [:]
      for record in records {
        guard let number = try connection.samples.number(of: record) else { continue }
        var statement = try connection.prepare("SELECT name FROM clinical_records WHERE sample = ?1")
        try statement.bind(number, at: 1)
        if try statement.step() { names[record] = statement.text(0) }
      }
      return names
    }
  }
}
