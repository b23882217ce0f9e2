import FoundationEssentials

/// What is read of a FHIR resource: enough to list it. Releases of FHIR call the same thing by different names, and a resource that breaks
/// their rules somewhere is a record still; so each part is taken where it is there and is what it should be.
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

  /// The type of record that such a resource is; nil where it is none.
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

  /// Where the name of a resource stands, the most telling first.
  private static let nameKeys = [
    "code", "vaccineCode", "medicationCodeableConcept", "medicationReference", "substance", "type", "description",
  ]

  /// Where the time stands that a resource is about, the most telling first.
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
