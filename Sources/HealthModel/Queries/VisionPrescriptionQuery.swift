public import FoundationEssentials

/// The lenses of one prescription; `StoreError.Code.notFound` if it is not in the store.
public struct VisionPrescriptionQuery: HealthQuery {
  /// The prescription.
  public typealias Output = VisionPrescription

  /// Its identifier.
  public let prescription: UUID

  /// Asks for the lenses of that prescription.
  public init(_ prescription: UUID) {
    self.prescription = prescription
  }

  /// Whether the change is about a prescription.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.visionPrescription).mayMean(change)
  }
}
