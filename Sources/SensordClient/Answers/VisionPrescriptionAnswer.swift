import HealthModel

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
