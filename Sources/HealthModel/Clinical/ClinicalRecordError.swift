/// Why something is no clinical record, or none that can be stored.
@nonexhaustive
public enum ClinicalRecordError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no JSON.
  case notJSON
  /// The JSON is no FHIR resource: it has no `resourceType`.
  case notAResource
  /// Resources of this type are no clinical records.
  case otherResource(String)
  /// It has no name, or no type of resource.
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
