import DBus
import HealthModel

// A prescription is `prescription` (x: 1 glasses, 2 contacts), `lenses` (aa{sv}) and, of contacts, `brand` (s). A lens is `eye` (x: 1 left,
// 2 right) and a number for each of its fields (`sphere`, `cylinder` …). What is absent was not prescribed.

extension VisionPrescription {
  /// The keys of its sample on the bus.
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

  /// - Throws: ``ArgumentError``. Ranges are looked at by whoever stores it.
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
