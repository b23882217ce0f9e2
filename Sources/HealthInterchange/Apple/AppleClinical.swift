internal import Bits
package import HealthModel

/// A file of a clinical record that an export names.
package struct AppleClinicalFile: Hashable, Sendable {
  /// The provider.
  package var source: SourceRevision
  package var fhirVersion: String?
  /// When the phone received it.
  package var received: Timestamp?
}

extension AppleContents {
  static let mostFiles = 1 << 15

  func addClinicalRecord(_ element: XMLElement) {
    guard let path = element["resourceFilePath"], path.utf8.count <= 512, files.count < Self.mostFiles else {
      return account.reading.leave(out: "ClinicalRecord without a file")
    }
    var fields = AppleFields(element)
    fields.sourceVersion = nil
    files[AppleArchive.lastName(path)] = AppleClinicalFile(
      source: fields.sourceRevision, fhirVersion: element["fhirVersion"].flatMap { $0.utf8.count <= 16 ? $0 : nil },
      received: element.moment("receivedDate"))
  }
}

extension AppleObject {
  /// A clinical record: the bytes of its file, which are one FHIR resource.
  ///
  /// - Throws: ``HealthModel/ClinicalRecordError``.
  package init(clinical bytes: [UInt8], _ file: AppleClinicalFile) throws(ClinicalRecordError) {
    let imported = try ImportedRecord(bytes, fhirVersion: file.fhirVersion)
    guard let time = imported.date ?? imported.lastUpdated ?? file.received else { throw .notAResource }
    let resource = imported.record.resource
    var hash = SHA256()
    hash.add((Array(file.source.identifier.utf8) + [0])[...])
    // By its identifier on the server where it says how old it is; else by its bytes.
    if let identifier = resource.identifier, let updated = imported.lastUpdated {
      hash.add(Array("\(resource.resourceType)/\(identifier)".utf8)[...])
      version = updated.microseconds
    } else {
      hash.add(bytes[...])
      version = 1
    }
    digest = hash.digest()
    source = file.source
    device = nil
    metadata = [:]
    content = .clinical(imported.record, time)
  }

  /// When a clinical record was; nil for other objects.
  package var time: Timestamp? {
    if case .clinical(_, let time) = content { time } else { nil }
  }
}
