import FoundationEssentials
import HealthModel

/// A record from a line such as `{"type":"labResultRecord","name":"Sodium","resourceType":"Observation","data":"e30="}`.
struct ClinicalRecordAnswer: AnswerDecoder {
  private var record: ClinicalRecord?
  private var isComplete = false

  private struct Line: Decodable {
    var complete: Bool?
    var type: String?
    var name: String?
    var resourceType: String?
    var identifier: String?
    var fhirVersion: String?
    var sourceURL: String?
    var data: String?
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if line.complete == true {
        isComplete = true
      } else if record == nil, let type = line.type, let name = line.name, let resourceType = line.resourceType,
        let data = line.data.flatMap({ Data(base64Encoded: $0) })
      {
        let resource = FHIRResource(
          resourceType: resourceType, identifier: line.identifier, fhirVersion: line.fhirVersion,
          sourceURL: line.sourceURL, data: Array(data))
        record = ClinicalRecord(ClinicalType(identifier: type), displayName: name, resource)
      } else {
        throw .unreadable
      }
    }
  }

  consuming func finish() throws(ClientError) -> ClinicalRecord {
    guard isComplete else { throw .cutOff }
    guard let record else { throw .unreadable }
    return record
  }
}
