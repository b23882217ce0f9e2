package import HealthModel

/// Answers page by page: nothing is held between two pages, so that a slow reader keeps no state of the file alive.
extension HealthStore {
  /// Another connection to the same file, with a thread of its own.
  package nonisolated func openReader() throws(StoreError) -> HealthStore {
    try HealthStore.open(path, for: .reading, types: types)
  }

  /// The numbers of the samples that match, in the query's order.
  package func numbers(_ query: SampleQuery, in scope: ReadScope?) throws(StoreError) -> [Int64] {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).numbers(query)
    }
  }

  /// The samples with these numbers, in that order, a few hundred at most; those that are deleted meanwhile are left out.
  ///
  /// What was seen when the numbers were read is seen here: the reader's scope has been applied. The numbers of their changes are
  /// 0 where it has one.
  package func samples(_ numbers: [Int64], in scope: ReadScope?) throws(StoreError) -> [HealthSample] {
    guard !numbers.isEmpty else { return [] }
    let places = (1...numbers.count).map { "?\($0)" }.joined(separator: ", ")
    let found = try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection).samples(.all, suffix: " AND sample.id IN (\(places))", numbers)
    }
    let ranks = Dictionary(zip(numbers, 0...), uniquingKeysWith: { first, _ in first })
    var samples = found.sorted { ranks[$0.change, default: 0] < ranks[$1.change, default: 0] }
    if scope != nil { for index in samples.indices { samples[index].change = 0 } }
    return samples
  }
}
