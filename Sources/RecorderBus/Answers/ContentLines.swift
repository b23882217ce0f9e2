import FoundationEssentials
package import HealthModel
package import Support

/// A location of a route: `{"timeMicroseconds":1,"latitude":52.5,"longitude":13.4,"altitude":34}`.
///
/// Numbers are in degrees, metres and metres a second, in the fewest digits that read back as the same. Unknown members are absent.
package struct LocationLine: AnswerLine {
  private var timeMicroseconds: Int64
  private var latitude: Double
  private var longitude: Double
  private var altitude: Double?
  private var horizontalAccuracy: Double?
  private var verticalAccuracy: Double?
  private var speed: Double?
  private var course: Double?

  package static func json(_ location: RouteLocation) -> JSONValue {
    let known: [(String, Double?)] = [
      ("altitude", location.altitude), ("horizontalAccuracy", location.horizontalAccuracy),
      ("verticalAccuracy", location.verticalAccuracy), ("speed", location.speed), ("course", location.course),
    ]
    return .object(
      [
        .init("timeMicroseconds", .integer(location.time.microseconds)), .init("latitude", .number(location.latitude)),
        .init("longitude", .number(location.longitude)),
      ] + known.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }

  package func read() -> RouteLocation {
    RouteLocation(
      at: Timestamp(microseconds: timeMicroseconds), latitude: latitude, longitude: longitude, altitude: altitude,
      horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, speed: speed, course: course)
  }
}

/// A point of an audiogram: `{"frequencyHertz":250,"leftEarSensitivity":34,"rightEarSensitivity":27}`; an ear that was not measured
/// is absent.
package struct AudiogramLine: AnswerLine {
  private var frequencyHertz: Double
  private var leftEarSensitivity: Double?
  private var rightEarSensitivity: Double?

  package static func json(_ point: AudiogramSensitivityPoint) -> JSONValue {
    let ears = [
      ("leftEarSensitivity", point.leftEarSensitivity), ("rightEarSensitivity", point.rightEarSensitivity),
    ]
    return .object(
      [.init("frequencyHertz", .number(point.frequency))]
        + ears.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }

  package func read() -> AudiogramSensitivityPoint {
    AudiogramSensitivityPoint(hertz: frequencyHertz, left: leftEarSensitivity, right: rightEarSensitivity)
  }

  package static func values(of audiogram: Audiogram) -> [AudiogramSensitivityPoint] { audiogram.sensitivityPoints }
  package static func answer(_ points: [AudiogramSensitivityPoint]) -> Audiogram { Audiogram(points) }
}

/// A lens of a prescription: `{"prescription":1,"eye":2,"sphere":1.25}`; values that were not prescribed are absent.
package struct LensLine: AnswerLine {
  /// A lens, with the members of its prescription.
  package struct Lens {
    fileprivate var type: VisionPrescriptionType
    fileprivate var lens: PrescribedLens
    fileprivate var brand: String?
  }

  private var prescription: Int64
  private var eye: Int64
  private var brand: String?
  private var values: [LensField: Double] = [:]

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Key.self)
    prescription = try line.decode(Int64.self, forKey: Key(stringValue: "prescription"))
    eye = try line.decode(Int64.self, forKey: Key(stringValue: "eye"))
    brand = try line.decodeIfPresent(String.self, forKey: Key(stringValue: "brand"))
    for field in LensField.allCases {
      values[field] = try line.decodeIfPresent(Double.self, forKey: Key(stringValue: field.rawValue))
    }
  }

  package static func json(_ lens: Lens) -> JSONValue {
    .object(
      [.init("prescription", .integer(lens.type.rawValue)), .init("eye", .integer(lens.lens.eye.rawValue))]
        + LensField.allCases.compactMap { field in lens.lens.values[field].map { .init(field.rawValue, .number($0)) } }
        + (lens.brand.map { [.init("brand", .string($0))] } ?? []))
  }

  package func read() throws(AnswerError) -> Lens {
    guard let type = VisionPrescriptionType(rawValue: prescription), let eye = VisionEye(rawValue: eye) else {
      throw .unreadable
    }
    return Lens(type: type, lens: PrescribedLens(eye, values), brand: brand)
  }

  package static func values(of prescription: VisionPrescription) -> [Lens] {
    prescription.lenses.map { Lens(type: prescription.type, lens: $0, brand: prescription.brand) }
  }

  package static func answer(_ lenses: [Lens]) throws(AnswerError) -> VisionPrescription {
    guard let last = lenses.last,
      let prescription = try? VisionPrescription(last.type, lenses.map(\.lens), brand: last.brand)
    else { throw .unreadable }
    return prescription
  }
}

/// A clinical record: `{"type":"labResultRecord","name":"Sodium","resourceType":"Observation","data":"e30="}`, with its document in
/// Base64, so that the bytes stay the same.
package struct ClinicalRecordLine: AnswerLine {
  private var type: String
  private var name: String
  private var resourceType: String
  private var identifier: String?
  private var fhirVersion: String?
  private var sourceURL: String?
  private var data: String

  package static func json(_ record: ClinicalRecord) -> JSONValue {
    let resource = record.resource
    var members: [JSONValue.Member] = [
      .init("type", .string(record.type.identifier)), .init("name", .string(record.displayName)),
      .init("resourceType", .string(resource.resourceType)),
    ]
    let optional = [
      ("identifier", resource.identifier), ("fhirVersion", resource.fhirVersion), ("sourceURL", resource.sourceURL),
    ]
    for (key, text) in optional { if let text { members.append(.init(key, .string(text))) } }
    members.append(.init("data", .string(Data(resource.data).base64EncodedString())))
    return .object(members)
  }

  package func read() throws(AnswerError) -> ClinicalRecord {
    guard let data = Data(base64Encoded: data) else { throw .unreadable }
    let resource = FHIRResource(
      resourceType: resourceType, identifier: identifier, fhirVersion: fhirVersion, sourceURL: sourceURL,
      data: Array(data))
    return ClinicalRecord(ClinicalType(identifier: type), displayName: name, resource)
  }

  package static func values(of record: ClinicalRecord) -> [ClinicalRecord] { [record] }

  package static func answer(_ records: [ClinicalRecord]) throws(AnswerError) -> ClinicalRecord {
    guard let record = records.first, records.count == 1 else { throw .unreadable }
    return record
  }
}
