public import HealthModel

extension VisionPrescriptionQuery: StoreQuery {
  /// The prescription now; see ``StoreQuery/result(for:)``. Throws ``StoreError/Code/notFound`` if it is not in the store.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<VisionPrescription> {
    try await store.run(self)
  }
}

extension HealthStore {
  /// The lenses of a prescription; ``StoreError/Code/notFound`` if there is none in the scope.
  package func answer(_ query: VisionPrescriptionQuery, in scope: ReadScope?) throws(StoreError) -> VisionPrescription {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).prescription(query.prescription)
    }
  }

  func run(_ query: VisionPrescriptionQuery) throws(StoreError) -> Snapshot<VisionPrescription> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).prescription(query.prescription)
    }
  }
}
