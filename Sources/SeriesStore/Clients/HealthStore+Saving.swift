package import FoundationEssentials
package import HealthModel

/// What other programs save and delete.
extension HealthStore {
  /// Saves samples of a client, all or none.
  ///
  /// - Returns: The identifiers under which they are in the store, in order. One that the client had saved before in this or a
  ///   later version keeps that sample's.
  package func saveAll(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [UUID] {
    let ids = try opened().write { (connection) throws(StoreError) in
      try connection.samples.identifiers(saving: samples, as: source)
    }
    notifyListeners()
    return ids
  }

  /// Deletes samples by identifier, all or none.
  ///
  /// - Parameters:
  ///   - ids: Which.
  ///   - source: Only what this program saved is found, and looking for others does the same work as for none; nil: whatever
  ///     program saved it.
  /// - Throws: ``StoreError/Code/notFound`` where one is not found, ``StoreError/Code/invalid`` for one that belongs to a session
  ///   or is a part of another.
  package func delete(_ ids: Set<UUID>, savedBy source: String?) throws(StoreError) {
    let scope = source.map { ReadScope(source: $0) }
    let found = try answer(SampleQuery(.identifier(ids), order: []), in: scope)
    guard Set(found.map(\.id)) == ids else { throw StoreError(.notFound, "there is no such sample") }
    guard !found.isEmpty else { return }
    let file = try opened()
    try file.write { (connection) throws(StoreError) in
      for (source, samples) in Dictionary(grouping: found, by: \.source.identifier) {
        try connection.samples.delete(samples.map(\.id), as: source)
      }
    }
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
  }
}
