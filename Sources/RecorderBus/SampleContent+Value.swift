package import DBus
import FoundationEssentials
package import HealthModel

// A location is a structure of eight: when, in microseconds since 1970, then latitude, longitude, altitude, horizontal
// and vertical accuracy, speed and course. A number that the receiver of the location did not know is NaN.

extension RouteLocation {
  package static let signature: Signature = "(xddddddd)"

  private static let numbers: [any KeyPath<RouteLocation, Double?> & Sendable] = [
    \.altitude, \.horizontalAccuracy, \.verticalAccuracy, \.speed, \.course,
  ]

  package var value: Value {
    .structure(
      [.int64(time.microseconds), .double(latitude), .double(longitude)]
        + Self.numbers.map { .double(self[keyPath: $0] ?? .nan) })
  }

  /// - Throws: ``ArgumentError/invalid(_:)``. The store checks the ranges of numbers.
  package init(_ value: Value) throws(ArgumentError) {
    guard let fields = value.structure, fields.count == 8, let time = fields[0].int64 else {
      throw .invalid("locations")
    }
    let numbers = fields.dropFirst().compactMap(\.double)
    guard numbers.count == 7 else { throw .invalid("locations") }
    func known(_ place: Int) -> Double? { numbers[place].isNaN ? nil : numbers[place] }
    self.init(
      at: Timestamp(microseconds: time), latitude: numbers[0], longitude: numbers[1], altitude: known(2),
      horizontalAccuracy: known(3), verticalAccuracy: known(4), speed: known(5), course: known(6))
  }
}

// A point is a structure of three: the frequency in hertz, then the thresholds of the left and the right ear in dBHL. A
// threshold that was not measured is NaN.

extension AudiogramSensitivityPoint {
  package static let signature: Signature = "(ddd)"

  package var value: Value {
    .structure([.double(frequency), .double(leftEarSensitivity ?? .nan), .double(rightEarSensitivity ?? .nan)])
  }

  /// - Throws: ``ArgumentError/invalid(_:)``. The store checks the ranges of numbers.
  package init(_ value: Value) throws(ArgumentError) {
    guard let numbers = value.structure?.compactMap(\.double), numbers.count == 3, value.structure?.count == 3 else {
      throw .invalid("points")
    }
    func known(_ place: Int) -> Double? { numbers[place].isNaN ? nil : numbers[place] }
    self.init(hertz: numbers[0], left: known(1), right: known(2))
  }
}

// A prescription is `prescription` (x: 1 glasses, 2 contacts), `lenses` (aa{sv}) and, of contacts, `brand` (s). A lens
// is `eye` (x: 1 left, 2 right) and a number for each of its fields (`sphere`, `cylinder` …). An absent field was not
// prescribed.

extension VisionPrescription {
  /// The keys and values that a sample with this prescription has on the bus.
  var values: [String: Value] {
    var values: [String: Value] = ["prescription": .int64(type.rawValue)]
    values["lenses"] = .array(
      lenses.map { lens in
        var properties: [String: Value] = ["eye": .int64(lens.eye.rawValue)]
        for (field, value) in lens.values { properties[field.rawValue] = .double(value) }
        return .properties(properties)
      }, of: "a{sv}")
    values["brand"] = brand.map { .string($0) }
    return values
  }

  /// - Throws: ``ArgumentError``. The store checks the ranges of numbers.
  init(_ arguments: inout Arguments) throws(ArgumentError) {
    let type = try arguments.take("prescription") { value in
      value.integer.flatMap { VisionPrescriptionType(rawValue: Int64($0)) }
    }.required("prescription")
    let brand = try arguments.text("brand")
    var lenses: [PrescribedLens] = []
    for value in try arguments.take("lenses", { $0.array }).required("lenses") {
      var lens = try Arguments(value, at: "lenses")
      let eye = try lens.take("eye") { $0.integer.flatMap { VisionEye(rawValue: Int64($0)) } }.required("eye")
      var values: [LensField: Double] = [:]
      for field in LensField.allCases { values[field] = try lens.real(field.rawValue) }
      try lens.finish()
      lenses.append(PrescribedLens(eye, values))
    }
    do throws(VisionPrescriptionError) {
      try self.init(type, lenses, brand: brand)
    } catch {
      switch error {
      case .noSphere: throw .missing(LensField.sphere.rawValue)
      default: throw .invalid("lenses")
      }
    }
  }
}

extension Attachment {
  /// The attachment as it stands in the answer of `List`.
  package var value: Value {
    .properties([
      "id": .string(id.uuidString.lowercased()), "object": .string(object.uuidString.lowercased()),
      "name": .string(name), "type": .string(contentType.rawValue), "size": .int64(Int64(size)),
      "sha256": .string(digest), "added_us": .int64(added.microseconds), "metadata": metadata.value,
    ])
  }

  /// Reads an attachment from an answer of `List`; nil for a value of another form. Keys of a later recorder are skipped.
  package init?(_ value: Value) {
    guard let values = value.properties, let id = values["id"]?.string.flatMap({ UUID(uuidString: $0) }),
      let object = values["object"]?.string.flatMap({ UUID(uuidString: $0) }), let name = values["name"]?.string,
      let type = values["type"]?.string, let size = values["size"]?.int64, size >= 0,
      let digest = values["sha256"]?.string, let added = values["added_us"]?.int64,
      let metadata = values["metadata"].flatMap({ try? Metadata($0) })
    else { return nil }
    self.init(
      id: id, object: object, name: name, contentType: AttachmentContentType(rawValue: type), size: Int(size),
      digest: digest, added: Timestamp(microseconds: added), metadata: metadata)
  }
}
