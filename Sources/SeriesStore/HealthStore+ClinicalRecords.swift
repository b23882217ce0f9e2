package import FoundationEssentials
public import HealthModel

extension ClinicalRecordQuery: StoreQuery {
  /// The record now; see ``StoreQuery/result(for:)``. Throws ``StoreError/Code/notFound`` if it is not in the store.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<ClinicalRecord> {
    try await store.run(self)
  }
}

extension HealthStore {
  /// What records are called, by their identifiers; what is no record is left out. No document is read.
  package func clinicalRecordNames(of records: [UUID]) throws(StoreError) -> [UUID: String] {
    try opened().read { (connection) throws(StoreError) in
      // A file of an earlier program has none.
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

  /// A clinical record; ``StoreError/Code/notFound`` if there is none in the scope.
  package func answer(_ query: ClinicalRecordQuery, in scope: ReadScope?) throws(StoreError) -> ClinicalRecord {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).clinicalRecord(query.record)
    }
  }

  func run(_ query: ClinicalRecordQuery) throws(StoreError) -> Snapshot<ClinicalRecord> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).clinicalRecord(query.record)
    }
  }
}
