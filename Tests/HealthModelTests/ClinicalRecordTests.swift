import HealthModel
import TestSupport
import Testing

@Suite("Clinical records")
struct ClinicalRecordTests {
  private func imported(_ json: String) throws(ClinicalRecordError) -> ImportedRecord {
    try ImportedRecord(Array(json.utf8))
  }

  private func refusal(_ json: String) -> ClinicalRecordError? {
    do throws(ClinicalRecordError) {
      _ = try imported(json)
      return nil
    } catch {
      return error
    }
  }

  @Test("a resource is kept byte for byte, with its type, name, time, identifier and origin")
  func resource() throws {
    let json = """
      { "resourceType" : "Observation", "id":"na-1",
        "meta": {"lastUpdated": "2026-11-02T03:04:05.678+01:00", "source": "https://clinic.example/fhir"},
        "category": [{"coding": [{"code": "laboratory"}]}],
        "code": {"text": "Sodium", "coding": [{"display": "Sodium [Moles/volume]"}]},
        "effectiveDateTime": "2026-11-01T07:30:00Z", "valueQuantity": {"value": 140.50} }

      """
    let record = try ImportedRecord(Array(json.utf8), fhirVersion: "4.0.1")
    #expect(record.record.type == .labResultRecord && record.record.displayName == "Sodium")
    #expect(
      record.record.resource
        == FHIRResource(
          resourceType: "Observation", identifier: "na-1", fhirVersion: "4.0.1",
          sourceURL: "https://clinic.example/fhir", data: Array(json.utf8)))
    #expect(record.date == Timestamp(iso8601: "2026-11-01T07:30:00Z"))
    #expect(record.lastUpdated == Timestamp(iso8601: "2026-11-02T02:04:05.678Z"))
  }

  @Test(
    "each resource has a type, also those of earlier releases of FHIR",
    arguments: [
      (#"{"resourceType":"AllergyIntolerance","substance":{"text":"Nuts"}}"#, .allergyRecord, "Nuts", nil),
      (
        #"{"resourceType":"DocumentReference","type":{"coding":[{"display":"Letter"}]},"date":"2019-05"}"#,
        .clinicalNoteRecord, "Letter", "2019-05-01"
      ),
      (
        #"{"resourceType":"Condition","code":{"coding":[{"code":"J45"}]},"onsetDateTime":"2001"}"#, .conditionRecord,
        "J45", "2001-01-01"
      ),
      (
        #"{"resourceType":"Coverage","type":{"text":"Basic"},"period":{"start":"2020-01-31"}}"#, .coverageRecord,
        "Basic", "2020-01-31"
      ),
      (
        #"{"resourceType":"Immunization","vaccineCode":{"text":"Flu"},"occurrenceDateTime":"2022-10-01"}"#,
        .immunizationRecord, "Flu", "2022-10-01"
      ),
      (
        #"{"resourceType":"Observation","category":{"coding":[{"code":"vital-signs"}]},"code":{"text":"Pulse"}}"#,
        .vitalSignRecord, "Pulse", nil
      ),
      (#"{"resourceType":"DiagnosticReport","code":{"text":"Blood count"}}"#, .labResultRecord, "Blood count", nil),
      (
        #"{"resourceType":"MedicationOrder","medicationReference":{"display":"Aspirin"},"dateWritten":"2015-02-28"}"#,
        .medicationRecord, "Aspirin", "2015-02-28"
      ),
      (
        #"{"resourceType":"MedicationRequest","medicationCodeableConcept":{"text":"Aspirin"},"authoredOn":"2021-02-28"}"#,
        .medicationRecord, "Aspirin", "2021-02-28"
      ),
      (
        #"{"resourceType":"Procedure","code":[],"performedPeriod":{"start":"2018-08-08T08:00:00+02:00"}}"#,
        .procedureRecord, "Procedure", "2018-08-08T06:00:00Z"
      ),
      // Where a part is not what it should be, the rest counts.
      (
        #"{"resourceType":"Condition","code":7,"id":8,"meta":"x","onsetDateTime":"soon","category":"x"}"#,
        .conditionRecord, "Condition", nil
      ),
    ] as [(String, ClinicalType, String, String?)])
  func types(json: String, type: ClinicalType, name: String, date: String?) throws {
    let record = try imported(json)
    #expect(record.record.type == type && record.record.displayName == name)
    #expect(record.date == date.flatMap { Timestamp(iso8601: $0) })
    #expect(SampleType(identifier: type.identifier) == .clinical(type))
  }

  @Test("what is no record is refused by name")
  func refusals() {
    #expect(refusal("") == .notJSON && refusal("<html>") == .notJSON && refusal(#"{"resourceType":"Cond"#) == .notJSON)
    #expect(refusal("{}") == .notAResource && refusal("[]") == .notAResource && refusal("7") == .notAResource)
    #expect(refusal(#"{"resourceType":""}"#) == .notAResource)
    #expect(refusal(#"{"resourceType":"Patient"}"#) == .otherResource("Patient"))
    let long = String(repeating: "x", count: 1_001)
    #expect(refusal(#"{"resourceType":"Condition","code":{"text":"\#(long)"}}"#) == .textTooLong)
    let large = #"{"resourceType":"Condition","note":""# + String(repeating: "x", count: 1 << 20) + #""}"#
    #expect(refusal(large) == .tooLarge)
    #expect(refusal(String(repeating: "[", count: 100_000)) == .notJSON, "as deep as a reader of JSON allows")
  }

  private func resources(_ text: String) throws -> [String] {
    try FHIRFile.resources(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a file is one resource, a resource on each line, or a Bundle, whose entries stay as they stand")
  func files() throws {
    let one = #"{"resourceType":"Condition"}"#
    #expect(try resources(one) == [one])
    #expect(try resources("\n\(one)\r\n\n\(one)\n") == [one, one])
    let odd = #"{ "resourceType":"Observation" , "note":"] } , \" \\", "value":1.50e0,"list":[[],{},[ "{" ]] }"#
    let bundle = #"""
      {"entry" : [ {"fullUrl":"entry","resource":\#(odd)} ,{"resource":\#(one), "x":[]},{"other":{}},
        {"resource":
          \#(odd)
        }], "resourceType":"Bundle"}
      """#
    #expect(try resources(bundle) == [odd, one, odd])
    #expect(
      try resources(#"{"resourceType":"Bundle"}"#) == [] && resources(#"{"resourceType":"Bundle","entry":{}}"#) == [])
    for text in ["", " \n\t\n", "x", "{\n"] {
      #expect(throws: ClinicalRecordError.notJSON) { try resources(text) }
    }
    #expect(throws: ClinicalRecordError.notAResource) { try resources("[\n1]") }
  }

  @Test("1,000 random resources come out of a Bundle as they went in")
  func random() throws {
    var random = SeededGenerator(seed: 5)
    func value(_ depth: Int) -> String {
      let space = [" ", "", "\n", "\t "].randomElement(using: &random) ?? ""
      switch Int.random(in: 0...(depth > 3 ? 3 : 5), using: &random) {
      case 0: return space + "\"\(["{", "]", "\\\"", "\\\\", ",", ":", "é"].shuffled(using: &random).joined())\""
      case 1: return "-1.250e+3" + space
      case 2: return space + "null"
      case 3: return "true"
      case 4:
        return "[" + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) }.joined(separator: ",")
          + "]"
      default:
        let members = (0..<Int.random(in: 0...3, using: &random)).map { "\"m\($0)\"" + space + ":" + value(depth + 1) }
        return "{" + space + members.joined(separator: space + ",") + "}"
      }
    }
    for _ in 0..<100 {
      let all = (0..<10).map { #"{"resourceType":"R\#($0)","v":"# + value(0) + "}" }
      let entries = all.map { #"{"search":\#(value(1)),"resource": \#($0) }"# }
      #expect(try resources(#"{"resourceType":"Bundle","entry":[\#(entries.joined(separator: " , "))]}"#) == all)
    }
  }

  @Test("no program saves a record, and each is read by itself")
  func rules() {
    let type = SampleType.clinical(.allergyRecord)
    #expect(type.requiresPerObjectAuthorization && !type.canBeShared && type.kind.takesAttachments)
    #expect(SampleType.visionPrescription.canBeShared && SampleType.quantity(.heartRate).canBeShared)
  }
}
