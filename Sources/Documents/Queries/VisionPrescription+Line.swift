package import HealthModel

extension VisionPrescription {
  /// The lines of the answer to a query of a prescription: one for each lens. What was not prescribed is left out.
  package var lines: [JSONValue] {
    lenses.map { lens in
      .object(
        [.init("prescription", .integer(type.rawValue)), .init("eye", .integer(lens.eye.rawValue))]
          + LensField.allCases.compactMap { field in
            lens.values[field].map { .init(field.rawValue, .number($0)) }
          } + (brand.map { [.init("brand", .string($0))] } ?? []))
    }
  }
}
