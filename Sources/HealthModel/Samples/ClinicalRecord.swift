/// A document of a health provider: a FHIR resource, byte for byte, with a type and a name for people.
public struct ClinicalRecord: Hashable, Sendable {
  /// The type, which names the subject of the record.
  public var type: ClinicalType
  /// The name of the record in lists; text of other programs.
  public var displayName: String
  /// The document.
  public var resource: FHIRResource

  /// The longest name, in bytes.
  public static let longestName = 1_000

  /// A record with the given parts.
  public init(_ type: ClinicalType, displayName: String, _ resource: FHIRResource) {
    self.type = type
    self.displayName = displayName
    self.resource = resource
  }

  /// Checks whether the record can be stored.
  ///
  /// - Throws: ``ClinicalRecordError/noName``, ``ClinicalRecordError/textTooLong``, ``ClinicalRecordError/empty``,
  ///   ``ClinicalRecordError/tooLarge``.
  public func validate() throws(ClinicalRecordError) {
    guard !displayName.isEmpty, !resource.resourceType.isEmpty else { throw .noName }
    let texts = [displayName, resource.resourceType, resource.identifier, resource.fhirVersion, resource.sourceURL]
    guard texts.allSatisfy({ ($0?.utf8.count ?? 0) <= Self.longestName }) else { throw .textTooLong }
    guard !resource.data.isEmpty else { throw .empty }
    guard resource.data.count <= FHIRResource.mostBytes else { throw .tooLarge }
  }
}

/// A resource of HL7 FHIR as it was received. Its bytes are never rewritten: a decimal's zeros and a signature stay as they are.
public struct FHIRResource: Hashable, Sendable {
  /// `AllergyIntolerance`, `Observation` and the like (FHIR R4, section 2.26).
  public var resourceType: String
  /// The logical identifier of the resource on its server; nil for a resource without an identifier.
  public var identifier: String?
  /// The version of FHIR, `4.0.1` for example; nil where it is unknown.
  public var fhirVersion: String?
  /// The address that the resource names as its origin; nil for a resource without such an address.
  public var sourceURL: String?
  /// The JSON.
  public var data: [UInt8]

  /// The most bytes of a resource: 1 MiB.
  public static let mostBytes = 1 << 20

  /// A resource with the given parts.
  public init(
    resourceType: String, identifier: String? = nil, fhirVersion: String? = nil, sourceURL: String? = nil,
    data: [UInt8]
  ) {
    self.resourceType = resourceType
    self.identifier = identifier
    self.fhirVersion = fhirVersion
    self.sourceURL = sourceURL
    self.data = data
  }
}

/// The subject of a clinical record: a name.
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

/// A reason why something is no clinical record, or cannot be stored.
@nonexhaustive
public enum ClinicalRecordError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no JSON.
  case notJSON
  /// The JSON is no FHIR resource: it has no `resourceType`.
  case notAResource
  /// Resources of this type are no clinical records.
  case otherResource(String)
  /// The record has no name, or no type of resource.
  case noName
  /// A text is longer than ``ClinicalRecord/longestName``.
  case textTooLong
  /// The resource has no bytes.
  case empty
  /// The resource is larger than ``FHIRResource/mostBytes``.
  case tooLarge

  /// One line for a person; nothing of the record stands in it but the type of its resource.
  public var description: String {
    switch self {
    case .notJSON: "this is no JSON"
    case .notAResource: "this is no FHIR resource: it has no resourceType"
    case .otherResource(let type): "a \(type) is no clinical record"
    case .noName: "the record has no name"
    case .textTooLong: "a text of the record is longer than \(ClinicalRecord.longestName) bytes"
    case .empty: "the record is empty"
    case .tooLarge: "the resource is larger than 1 MiB"
    }
  }
}
