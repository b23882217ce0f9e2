/// Samples by predicate, with order and limit: everything but their values.
public struct SampleQuery: HealthQuery {
  /// Which samples are asked for.
  public var predicate: SamplePredicate
  /// What comes first decides; samples that are equal in all of it are in the order in which they were saved.
  public var order: [Order]
  /// The most samples that are returned; nil for all.
  public var limit: Int?

  /// One thing to order by.
  public struct Order: Hashable, Sendable {
    /// What decides.
    public var key: Key
    /// The greatest first.
    public var isDescending: Bool

    /// What samples can be ordered by.
    public struct Key: Hashable, Sendable {
      let column: String

      /// When they begin.
      public static let start = Key(column: "sample.start")
      /// When they end.
      public static let end = Key(column: "sample.end")
      /// How many quantities or beats they hold.
      public static let count = Key(column: "sample.count")
      /// In which order they were saved.
      public static let change = Key(column: "sample.id")
    }

    /// The greatest first.
    public init(_ key: Key, isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  /// Takes every part as it is.
  public init(_ predicate: SamplePredicate = .all, order: [Order] = [Order(.start)], limit: Int? = nil) {
    self.predicate = predicate
    self.order = order
    self.limit = limit
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[HealthSample]> {
    try await store.run(self)
  }

  /// Whether it may be about a sample that the predicate means.
  public func isConcerned(by change: StoreChange) -> Bool { predicate.mayMean(change) }
}
