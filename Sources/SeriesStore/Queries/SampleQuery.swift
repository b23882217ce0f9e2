/// Samples by predicate, with order and limit: everything but their values.
public struct SampleQuery: HealthQuery {
  public var predicate: SamplePredicate
  /// What comes first decides; samples that are equal in all of it are in the order in which they were saved.
  public var order: [Order]
  public var limit: Int?

  public struct Order: Hashable, Sendable {
    public var key: Key
    public var isDescending: Bool

    public enum Key: String, Hashable, Sendable, CaseIterable {
      case start = "sample.start"
      case end = "sample.end"
      case count = "sample.count"
      case change = "sample.change"
    }

    public init(_ key: Key, isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  public init(_ predicate: SamplePredicate = .all, order: [Order] = [Order(.start)], limit: Int? = nil) {
    self.predicate = predicate
    self.order = order
    self.limit = limit
  }

  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[HealthSample]> {
    try await store.run(self)
  }
}
