/// What a clinical record is about: a name.
///
/// Open: any name is a type.
public struct ClinicalType: Hashable, Sendable, CustomStringConvertible {
  /// HealthKit's name without its prefix: `labResultRecord`.
  public let identifier: String

  /// The type of that name.
  public init(identifier: String) {
    self.identifier = identifier
  }

  /// The name.
  public var description: String { identifier }
}

extension ClinicalType {
  /// An allergy or intolerance.
  public static let allergyRecord = ClinicalType(identifier: "allergyRecord")
  /// A note of a clinician.
  public static let clinicalNoteRecord = ClinicalType(identifier: "clinicalNoteRecord")
  /// A diagnosis or another condition.
  public static let conditionRecord = ClinicalType(identifier: "conditionRecord")
  /// An insurance that pays.
  public static let coverageRecord = ClinicalType(identifier: "coverageRecord")
  /// A vaccination.
  public static let immunizationRecord = ClinicalType(identifier: "immunizationRecord")
  /// A result of a laboratory.
  public static let labResultRecord = ClinicalType(identifier: "labResultRecord")
  /// A medication that was prescribed, handed out or taken.
  public static let medicationRecord = ClinicalType(identifier: "medicationRecord")
  /// Something that was done, such as an operation.
  public static let procedureRecord = ClinicalType(identifier: "procedureRecord")
  /// A vital sign that a clinician measured.
  public static let vitalSignRecord = ClinicalType(identifier: "vitalSignRecord")
}

extension ClinicalType {
  /// The library's types.
  package static let standard: [ClinicalType] = [
    allergyRecord, clinicalNoteRecord, conditionRecord, coverageRecord, immunizationRecord, labResultRecord,
    medicationRecord, procedureRecord, vitalSignRecord,
  ]
}
