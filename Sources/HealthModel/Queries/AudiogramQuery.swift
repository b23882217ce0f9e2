public import FoundationEssentials

/// The points of one audiogram; `StoreError.Code.notFound` if it is not in the store.
public struct AudiogramQuery: HealthQuery {
  /// The audiogram.
  public typealias Output = Audiogram

  /// Its identifier.
  public let audiogram: UUID

  /// Asks for the points of that audiogram.
  public init(_ audiogram: UUID) {
    self.audiogram = audiogram
  }

  /// Whether the change is about an audiogram.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.audiogram).mayMean(change)
  }
}
