/// Samples by predicate, with order and limit: everything except their values.
public struct SampleQuery: HealthQuery {
  /// Selects the samples.
  public var predicate: SamplePredicate
  /// Sort criteria, the first one first; samples that are equal by all of them are in the order of saving.
  public var order: [Order]
  /// The most samples in the answer; nil for all.
  public var limit: Int?

  /// A sort criterion.
  public struct Order: Hashable, Sendable {
    /// The key to sort by.
    public var key: Key
    /// Whether the greatest is first.
    public var isDescending: Bool

    /// The keys by which samples can be sorted.
    public struct Key: Hashable, Sendable {
      let column: String

      /// By start.
      public static let start = Key(column: "sample.start")
      /// By end.
      public static let end = Key(column: "sample.end")
      /// By the number of quantities or beats.
      public static let count = Key(column: "sample.count")
      /// By the order of saving.
      public static let change = Key(column: "sample.id")
    }

    /// A criterion; ascending by default.
    public init(_ key: Key, isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  /// A query with the given parts.
  public init(_ predicate: SamplePredicate = .all, order: [Order] = [Order(.start)], limit: Int? = nil) {
    self.predicate = predicate
    self.order = order
    self.limit = limit
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[HealthSample]> {
    try await store.run(self)
  }

  /// Whether the change may be about a sample that matches the predicate.
  public func isConcerned(by change: StoreChange) -> Bool { predicate.mayMean(change) }
}
