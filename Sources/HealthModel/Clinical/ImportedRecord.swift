/// A clinical record that was read from a file, with what the file says of it beside.
public struct ImportedRecord: Hashable, Sendable {
  /// The record.
  public var record: ClinicalRecord
  /// The time that it is about, or when it was written; nil where it does not say. A date is its midnight in UTC, a year its first day.
  public var date: Timestamp?
  /// When the server changed it last; nil where it does not say.
  public var lastUpdated: Timestamp?

  /// Reads one FHIR resource.
  ///
  /// **Ours**: which type a resource has. HealthKit does not say how it decides.
  ///
  /// - Parameters:
  ///   - data: The resource as JSON.
  ///   - fhirVersion: The version of FHIR, where it is known: a resource does not say.
  /// - Throws: ``ClinicalRecordError``.
  public init(_ data: [UInt8], fhirVersion: String? = nil) throws(ClinicalRecordError) {
    guard data.count <= FHIRResource.mostBytes else { throw .tooLarge }
    let head = try FHIRHead(data)
    guard let type = head.clinicalType else { throw .otherResource(head.resourceType) }
    let resource = FHIRResource(
      resourceType: head.resourceType, identifier: head.id, fhirVersion: fhirVersion, sourceURL: head.source,
      data: data)
    record = ClinicalRecord(type, displayName: head.name ?? head.resourceType, resource)
    date = head.date
    lastUpdated = head.lastUpdated
    try record.validate()
  }
}

/// A file of FHIR resources.
public enum FHIRFile {
  /// The resources in a file, each as the bytes that stand there: one resource, a resource on each line (FHIR's bulk export), or the
  /// entries of a `Bundle`.
  ///
  /// - Parameter bytes: The whole file.
  /// - Returns: In the order of the file. What is no resource is left for ``ImportedRecord`` to refuse.
  /// - Throws: ``ClinicalRecordError/notJSON``, ``ClinicalRecordError/notAResource``.
  public static func resources(in bytes: [UInt8]) throws(ClinicalRecordError) -> [[UInt8]] {
    let lines = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
      .filter { !$0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
    guard !lines.isEmpty else { throw .notJSON }
    // Each line of a bulk export is a whole object; no line but a single one of other JSON is.
    if lines.count > 1, lines.allSatisfy({ $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}") }) {
      return lines.map(Array.init)
    }
    guard try FHIRHead(bytes).resourceType == "Bundle" else { return [bytes] }
    return JSONExtent(bytes).members(named: "entry").flatMap { JSONExtent($0).elements }
      .compactMap { JSONExtent($0).members(named: "resource").first }.map(Array.init)
  }
}
