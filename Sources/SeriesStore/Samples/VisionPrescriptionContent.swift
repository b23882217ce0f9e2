public import FoundationEssentials
public import HealthModel

/// The lenses of a prescription, a row each.
struct VisionPrescriptionContent: SampleContent {
  static let kind = SampleKind.visionPrescription
  /// The columns of the fields, in the order of ``HealthModel/LensField/allCases``.
  private static let fields = [
    "sphere", "cylinder", "axis", "add_power", "vertex_distance", "far_pupillary_distance", "near_pupillary_distance",
    "prism_amount", "prism_angle", "prism_vertical_amount", "prism_vertical_base", "prism_horizontal_amount",
    "prism_horizontal_base", "base_curve", "diameter",
  ]
  static let lenses = Table(
    "prescription_lenses",
    ["sample INTEGER NOT NULL", "eye INTEGER NOT NULL"] + fields.map { "\($0) REAL" } + ["brand TEXT"],
    key: "sample, eye")
  static let tables = [ContentTable(table: lenses, key: "sample")]

  let prescription: VisionPrescription

  func figures() -> SampleFigures {
    SampleFigures(value: prescription.type.rawValue, count: prescription.lenses.count)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    for lens in prescription.lenses {
      try connection.insert(
        [.integer(sample), .integer(lens.eye.rawValue)] + LensField.allCases.map { SQLValue(lens.values[$0]) }
          + [SQLValue(prescription.brand)], into: Self.lenses)
    }
  }

  /// The prescription of a sample whose row is `row`.
  static func prescription(
    of row: SampleRow, object: String, in connection: Connection
  ) throws(StoreError) -> VisionPrescription {
    var statement = try connection.prepare(
      """
      SELECT eye, brand, \(fields.joined(separator: ", ")) FROM prescription_lenses WHERE sample = ?1 ORDER BY eye
      """)
    try statement.bind(row.id, at: 1)
    var lenses: [PrescribedLens] = []
    var brands: Set<String?> = []
    while try statement.step() {
      guard let eye = VisionEye(rawValue: statement.integer(0)) else { throw connection.corrupt(object) }
      var values: [LensField: Double] = [:]
      for (field, column) in zip(LensField.allCases, Int32(2)...) { values[field] = statement.optionalReal(column) }
      lenses.append(PrescribedLens(eye, values))
      brands.insert(statement.text(1))
    }
    guard lenses.count == row.figures.count, brands.count <= 1,
      let type = row.figures.value.flatMap(VisionPrescriptionType.init(rawValue:)),
      let prescription = try? VisionPrescription(type, lenses, brand: brands.first ?? nil),
      (try? prescription.validate()) != nil
    else { throw connection.corrupt(object) }
    return prescription
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    do throws(StoreError) {
      _ = try prescription(of: sample, object: "sample", in: connection)
      return nil
    } catch {
      guard error.isCorrupt else { throw error }
      return "its lenses are not those that were saved"
    }
  }
}

extension NewSample {
  /// A prescription as a sample, over the time from issue to expiry, or at the moment of issue if it does not expire.
  ///
  /// - Throws: ``HealthModel/VisionPrescriptionError`` for a prescription that
  ///   ``HealthModel/VisionPrescription/validate()`` refuses, or that expires before it is issued.
  public init(
    _ prescription: VisionPrescription, issued: Timestamp, expires: Timestamp? = nil, id: UUID = UUID(),
    device: Device? = nil, metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws(VisionPrescriptionError) {
    try prescription.validate()
    self.init(
      VisionPrescriptionContent(prescription: prescription), of: .visionPrescription,
      over: try VisionPrescription.span(issued: issued, expires: expires), id: id, device: device, metadata: metadata,
      sync: sync)
  }
}
