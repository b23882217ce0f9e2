import FoundationEssentials
import HealthModel

/// Locations from lines such as `{"timeMicroseconds":1,"latitude":52.5,"longitude":13.4,"altitude":34}`.
struct LocationAnswer: AnswerDecoder {
  private var locations: [RouteLocation] = []
  private var isComplete = false

  private struct Line: Decodable {
    var complete: Bool?
    var timeMicroseconds: Int64?
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    var horizontalAccuracy: Double?
    var verticalAccuracy: Double?
    var speed: Double?
    var course: Double?
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if line.complete == true {
        isComplete = true
      } else if let time = line.timeMicroseconds, let latitude = line.latitude, let longitude = line.longitude {
        locations.append(
          RouteLocation(
            at: Timestamp(microseconds: time), latitude: latitude, longitude: longitude, altitude: line.altitude,
            horizontalAccuracy: line.horizontalAccuracy, verticalAccuracy: line.verticalAccuracy, speed: line.speed,
            course: line.course))
      } else {
        throw .unreadable
      }
    }
  }

  consuming func finish() throws(ClientError) -> [RouteLocation] {
    guard isComplete else { throw .cutOff }
    return locations
  }
}

/// An audiogram from lines such as `{"frequencyHertz":250,"leftEarSensitivity":34,"rightEarSensitivity":27}`.
struct AudiogramAnswer: AnswerDecoder {
  private var points: [AudiogramSensitivityPoint] = []
  private var isComplete = false

  private struct Line: Decodable {
    var complete: Bool?
    var frequencyHertz: Double?
    var leftEarSensitivity: Double?
    var rightEarSensitivity: Double?
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if line.complete == true {
        isComplete = true
      } else if let frequency = line.frequencyHertz {
        points.append(
          AudiogramSensitivityPoint(hertz: frequency, left: line.leftEarSensitivity, right: line.rightEarSensitivity))
      } else {
        throw .unreadable
      }
    }
  }

  consuming func finish() throws(ClientError) -> Audiogram {
    guard isComplete else { throw .cutOff }
    return Audiogram(points)
  }
}

/// A prescription from lines such as `{"prescription":1,"eye":2,"sphere":1.25}`.
struct VisionPrescriptionAnswer: AnswerDecoder {
  private var type: VisionPrescriptionType?
  private var lenses: [PrescribedLens] = []
  private var brand: String?
  private var isComplete = false

  private struct Line: Decodable {
    var complete: Bool?
    var prescription: Int64?
    var eye: Int64?
    var brand: String?
    var values: [LensField: Double] = [:]

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let line = try decoder.container(keyedBy: Key.self)
      complete = try line.decodeIfPresent(Bool.self, forKey: Key(stringValue: "complete"))
      prescription = try line.decodeIfPresent(Int64.self, forKey: Key(stringValue: "prescription"))
      eye = try line.decodeIfPresent(Int64.self, forKey: Key(stringValue: "eye"))
      brand = try line.decodeIfPresent(String.self, forKey: Key(stringValue: "brand"))
      for field in LensField.allCases {
        values[field] = try line.decodeIfPresent(Double.self, forKey: Key(stringValue: field.rawValue))
      }
    }
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if line.complete == true {
        isComplete = true
      } else if let type = line.prescription.flatMap(VisionPrescriptionType.init(rawValue:)),
        let eye = line.eye.flatMap(VisionEye.init(rawValue:))
      {
        self.type = type
        brand = line.brand
        lenses.append(PrescribedLens(eye, line.values))
      } else {
        throw .unreadable
      }
    }
  }

  consuming func finish() throws(ClientError) -> VisionPrescription {
    guard isComplete else { throw .cutOff }
    guard let type, let prescription = try? VisionPrescription(type, lenses, brand: brand) else { throw .unreadable }
    return prescription
  }
}

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
