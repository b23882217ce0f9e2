internal import Bits
package import HealthModel

/// An object of Apple's export: a day of values, or anything else that stands alone.
package struct AppleObject: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// Values of one UTC day in the type's unit, by time, each once. Continued: earlier ones of the file were given before.
    case series(QuantityType, [SampleDraft.QuantityValue], isContinued: Bool)
    case draft(SampleDraft)
    case workout(Workout)
    /// The route of the workout that has this ``AppleObject/digest``, and whether that was asked for as well.
    case route(ofWorkout: [UInt8], comesWithWorkout: Bool, [RouteLocation])
    /// A record of a health provider, and when it was.
    case clinical(ClinicalRecord, Timestamp)
  }

  /// The identity of the object, the same in every export that has the object: 32 bytes.
  package var digest: [UInt8]
  /// A greater one has more.
  package var version: Int64
  package var source: SourceRevision
  package var device: Device?
  package var metadata: Metadata
  package var content: Content

  package var type: SampleType {
    switch content {
    case .series(let type, _, _): .quantity(type)
    case .draft(let draft): draft.type
    case .workout: .workout
    case .route: .workoutRoute
    case .clinical(let record, _): .clinical(record.type)
    }
  }

  /// The approximate number of bytes of the object while it waits to be stored; values of a series are packed then.
  package var size: Int {
    switch content {
    case .series(_, let values, _): 500 + 50 * values.count
    case .draft: 2_000
    // Each event has metadata of its own.
    case .workout(let workout):
      2_000 + 400 * workout.activities.reduce(workout.events.count) { $0 + 2 + $1.events.count }
    case .route(_, _, let locations): 500 + 100 * locations.count
    case .clinical(let record, _): 500 + record.resource.data.count
    }
  }
}

/// The account of an export: objects found, and objects left out.
package struct AppleAccount: Hashable, Sendable {
  /// Records and other objects, by the names of our types.
  package var read: [String: Int] = [:]
  /// Records of types that are not known, by type.
  package private(set) var unknown: [String: Int] = [:]
  /// The number of objects that stood in the export before.
  package var repeated = 0
  /// The number of objects that ended before the requested time, or are of other types.
  package var notAskedFor = 0
  /// The date of the export, as in the file.
  package var exported: String?
  /// The skipped parts, and why.
  package var reading = ReadingAccount()

  package init() {}

  private static let mostUnknown = 400

  mutating func leaveOutUnknown(_ type: String) {
    let name = unknown[type] != nil || unknown.count < Self.mostUnknown ? type : "others"
    unknown[name, default: 0] += 1
  }
}

/// A file of a clinical record that an export names.
package struct AppleClinicalFile: Hashable, Sendable {
  /// The provider.
  package var source: SourceRevision
  package var fhirVersion: String?
  /// The time at which the phone received the record.
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
    // Identified by its identifier on the server where it has a date; else by its bytes.
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

  /// The time of a clinical record; nil for other objects.
  package var time: Timestamp? {
    if case .clinical(_, let time) = content { time } else { nil }
  }
}
