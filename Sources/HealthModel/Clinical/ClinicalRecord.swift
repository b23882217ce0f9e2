/// A document of a health provider: a FHIR resource, byte for byte, with a type and a name for people.
public struct ClinicalRecord: Hashable, Sendable {
  /// What it is about.
  public var type: ClinicalType
  /// What it is called where records are listed; text of others.
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

  /// Whether it can be stored.
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

/// A resource of HL7 FHIR as it was received. Nothing of it is written anew: a decimal's zeros and a signature stay what they are.
public struct FHIRResource: Hashable, Sendable {
  /// `AllergyIntolerance`, `Observation` and the like (FHIR R4, section 2.26).
  public var resourceType: String
  /// Its logical identifier on the server that it is from; nil where it has none.
  public var identifier: String?
  /// The version of FHIR, `4.0.1` for example; nil where nobody said.
  public var fhirVersion: String?
  /// Where it is from, where the resource says so.
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
