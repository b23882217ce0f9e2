import FoundationEssentials

/// A clinical record that was read from a file, with its times.
public struct ImportedRecord: Hashable, Sendable {
  /// The record.
  public var record: ClinicalRecord
  /// The time that the record is about, or of its writing; nil where the resource has no such time. A date is its midnight in
  /// UTC, a year its first day.
  public var date: Timestamp?
  /// The time of the last change on the server; nil where the resource has no such time.
  public var lastUpdated: Timestamp?

  /// Reads one FHIR resource.
  ///
  /// **Ours**: the choice of a resource's type. HealthKit does not document its own choice.
  ///
  /// - Parameters:
  ///   - data: The resource as JSON.
  ///   - fhirVersion: The version of FHIR, where it is known: a resource does not contain it.
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
  /// - Returns: The resources in the order of the file. ``ImportedRecord`` rejects an element that is not a resource.
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

/// The parts of a FHIR resource that are needed to list it. Releases of FHIR call the same thing by different names, and a
/// resource that breaks some of their rules is still a record; so any missing or invalid part but the type is nil.
struct FHIRHead {
  let resourceType: String
  let id: String?
  let source: String?
  let lastUpdated: Timestamp?
  let name: String?
  let date: Timestamp?
  private let categories: Set<String>

  /// - Throws: ``ClinicalRecordError/notJSON``, ``ClinicalRecordError/notAResource``.
  init(_ data: [UInt8]) throws(ClinicalRecordError) {
    let parts: Parts
    do {
      parts = try JSONDecoder().decode(Parts.self, from: Data(data))
    } catch DecodingError.dataCorrupted {
      throw .notJSON
    } catch {
      throw .notAResource
    }
    guard let resourceType = parts.text("resourceType"), !resourceType.isEmpty else { throw .notAResource }
    self.resourceType = resourceType
    id = parts.text("id")
    let meta = parts.object("meta")
    source = meta?.text("source")
    lastUpdated = meta?.text("lastUpdated").flatMap(Self.moment)
    name = Self.nameKeys.lazy.compactMap { parts.concept($0) ?? parts.text($0) }.first { !$0.isEmpty }
    date =
      Self.dateKeys.lazy.compactMap { key in
        (parts.text(key) ?? parts.object(key)?.text("start")).flatMap(Self.moment)
      }.first
    categories = parts.codes("category")
  }

  /// The type of clinical record that such a resource is; nil for other resources.
  var clinicalType: ClinicalType? {
    switch resourceType {
    case "AllergyIntolerance": .allergyRecord
    case "DocumentReference": .clinicalNoteRecord
    case "Condition": .conditionRecord
    case "Coverage": .coverageRecord
    case "Immunization": .immunizationRecord
    case "Observation": categories.contains("vital-signs") ? .vitalSignRecord : .labResultRecord
    case "DiagnosticReport": .labResultRecord
    case "MedicationOrder", "MedicationRequest", "MedicationStatement", "MedicationDispense",
      "MedicationAdministration":
      .medicationRecord
    case "Procedure": .procedureRecord
    default: nil
    }
  }

  /// The keys under which the name of a resource stands, the most informative first.
  private static let nameKeys = [
    "code", "vaccineCode", "medicationCodeableConcept", "medicationReference", "substance", "type", "description",
  ]

  /// The keys under which the time of a resource stands, the most informative first.
  private static let dateKeys = [
    "effectiveDateTime", "effectivePeriod", "effectiveInstant", "occurrenceDateTime", "performedDateTime",
    "performedPeriod", "onsetDateTime", "onsetPeriod", "authoredOn", "dateWritten", "whenHandedOver", "recordedDate",
    "assertedDate", "dateAsserted", "dateRecorded", "date", "period", "issued", "created",
  ]

  /// A FHIR date, dateTime or instant (R4, section 2.24.0.1): a year, a month, a day or a moment.
  private static func moment(_ text: String) -> Timestamp? {
    switch text.utf8.count {
    case 4: Timestamp(iso8601: text + "-01-01")
    case 7: Timestamp(iso8601: text + "-01")
    default: Timestamp(iso8601: text)
    }
  }

  /// An object of which any member may be anything.
  private struct Parts: Decodable {
    private let members: KeyedDecodingContainer<Key>

    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      members = try decoder.container(keyedBy: Key.self)
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: String) -> Value? {
      try? members.decode(type, forKey: Key(stringValue: key))
    }

    func text(_ key: String) -> String? { value(String.self, key) }

    func object(_ key: String) -> Parts? { value(Parts.self, key) }

    private func list(_ key: String) -> [Parts] { value([Parts].self, key) ?? object(key).map { [$0] } ?? [] }

    /// The words of a concept: its own text, or those of its first code; of a reference, what it shows.
    func concept(_ key: String) -> String? {
      guard let concept = list(key).first else { return nil }
      return concept.text("text") ?? concept.list("coding").lazy.compactMap { $0.text("display") ?? $0.text("code") }
        .first
        ?? concept.text("display")
    }

    /// The codes of concepts, or the texts where they are mere codes.
    func codes(_ key: String) -> Set<String> {
      Set(list(key).flatMap { $0.list("coding") }.compactMap { $0.text("code") })
    }
  }
}

/// The extents of the parts of a JSON value, for a caller that needs their bytes unchanged. The value has been decoded as JSON
/// before, so that only strings and brackets are left to find.
struct JSONExtent {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = ArraySlice(bytes)
  }

  /// The elements of an array; empty for any other value.
  var elements: [ArraySlice<UInt8>] {
    parts(of: UInt8(ascii: "["))
  }

  /// The values of an object's members with that name, which has no character that JSON escapes.
  func members(named name: String) -> [ArraySlice<UInt8>] {
    let key = Array("\"\(name)\"".utf8)
    return parts(of: UInt8(ascii: "{")).compactMap { member in
      guard member.starts(with: key) else { return nil }
      let rest = member.dropFirst(key.count).drop { Self.isSpace($0) }
      return rest.first == UInt8(ascii: ":") ? Self.trimmed(rest.dropFirst()) : nil
    }
  }

  /// The parts between the commas of the outermost brackets.
  private func parts(of bracket: UInt8) -> [ArraySlice<UInt8>] {
    let bytes = Self.trimmed(bytes)
    guard bytes.first == bracket else { return [] }
    var parts: [ArraySlice<UInt8>] = []
    var (depth, start) = (0, bytes.startIndex + 1)
    var (isString, isEscaped) = (false, false)
    for (index, byte) in zip(bytes.indices, bytes) {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ","):
        guard depth == 1 else { continue }
        parts.append(Self.trimmed(bytes[start..<index]))
        start = index + 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        guard depth == 0 else { continue }
        let last = Self.trimmed(bytes[start..<index])
        return last.isEmpty ? parts : parts + [last]
      default: break
      }
    }
    return parts
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let rest = bytes.drop { isSpace($0) }
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return [] }
    return rest[...last]
  }

  /// Whether a byte is white space (RFC 8259, section 2).
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
