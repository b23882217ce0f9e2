public import FoundationEssentials

/// One clinical record with its document; `StoreError.Code.notFound` if it is not in the store.
public struct ClinicalRecordQuery: HealthQuery {
  /// The record.
  public typealias Output = ClinicalRecord

  /// Its identifier.
  public let record: UUID

  /// Asks for that record.
  public init(_ record: UUID) {
    self.record = record
  }

  /// Whether the change is about a clinical record.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.type.map { $0.kind == .clinicalRecord } ?? true
  }
}
