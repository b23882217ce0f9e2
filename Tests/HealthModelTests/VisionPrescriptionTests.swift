import HealthModel
import Testing

@Suite("Prescriptions")
struct VisionPrescriptionTests {
  private static func glasses(
    _ right: GlassesLensSpecification?, _ left: GlassesLensSpecification? = nil
  ) -> VisionPrescription {
    .glasses(GlassesPrescription(rightEye: right, leftEye: left))
  }

  private static func prism(_ prism: VisionPrism) -> VisionPrescription {
    glasses(GlassesLensSpecification(sphere: 1, prism: prism))
  }

  @Test("parts are in dioptres, degrees, millimetres and prism dioptres; what is of another unit is refused")
  func units() throws {
    let lens = try GlassesLensSpecification(
      sphere: Quantity(1.25, .diopter), axis: Quantity(90, .degree), vertexDistance: Quantity(0.012, .meter),
      prism: VisionPrism(amount: Quantity(2, .prismDiopter), angle: Quantity(45, .degree)))
    #expect(
      lens
        == GlassesLensSpecification(
          sphere: 1.25, axis: 90, vertexDistance: 12, prism: .angled(amount: 2, angle: 45)))
    #expect(lens.cylinder == nil && lens.addPower == nil)
    #expect(throws: UnitError.self) { try GlassesLensSpecification(sphere: Quantity(1, .prismDiopter)) }
    #expect(throws: UnitError.self) { try ContactsLensSpecification(sphere: Quantity(1, .meter)) }
    #expect(throws: UnitError.self) { try VisionPrism(amount: Quantity(1, .percent), angle: Quantity(1, .degree)) }
  }

  @Test("raw values are HealthKit's")
  func rawValues() {
    #expect(VisionPrescriptionType.allCases.map(\.rawValue) == [1, 2])
    #expect(VisionEye.left.rawValue == 1 && VisionEye.right.rawValue == 2)
    #expect(VisionPrismBase.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
  }

  @Test("only the sphere has to be there, and one eye may be missing")
  func least() throws {
    try Self.glasses(GlassesLensSpecification(sphere: 0)).validate()
    try Self.glasses(nil, GlassesLensSpecification(sphere: -40, cylinder: 40, axis: 180)).validate()
    try VisionPrescription.contacts(ContactsPrescription(rightEye: ContactsLensSpecification(sphere: 3), leftEye: nil))
      .validate()
  }

  @Test(
    "each rule has its error",
    arguments: [
      (glasses(nil), .noLens),
      (.contacts(ContactsPrescription(rightEye: nil, leftEye: nil, brand: "Clear")), .noLens),
      (glasses(GlassesLensSpecification(sphere: 40.25)), .outOfRange(.sphere)),
      (glasses(GlassesLensSpecification(sphere: .nan)), .outOfRange(.sphere)),
      (
        glasses(GlassesLensSpecification(sphere: 1), GlassesLensSpecification(sphere: -.infinity)), .outOfRange(.sphere)
      ),
      (glasses(GlassesLensSpecification(sphere: 1, cylinder: -41)), .outOfRange(.cylinder)),
      (glasses(GlassesLensSpecification(sphere: 1, axis: 181)), .outOfRange(.axis)),
      (glasses(GlassesLensSpecification(sphere: 1, addPower: -1)), .outOfRange(.addPower)),
      (glasses(GlassesLensSpecification(sphere: 1, vertexDistance: 201)), .outOfRange(.vertexDistance)),
      (glasses(GlassesLensSpecification(sphere: 1, farPupillaryDistance: -1)), .outOfRange(.farPupillaryDistance)),
      (glasses(GlassesLensSpecification(sphere: 1, nearPupillaryDistance: 999)), .outOfRange(.nearPupillaryDistance)),
      (prism(.angled(amount: -1, angle: 0)), .outOfRange(.prismAmount)),
      (prism(.angled(amount: 1, angle: 361)), .outOfRange(.prismAngle)),
      (
        prism(.based(verticalAmount: 1, verticalBase: .in, horizontalAmount: 0, horizontalBase: .none)), .prismBase
      ),
      (
        prism(.based(verticalAmount: 1, verticalBase: .none, horizontalAmount: 1, horizontalBase: .in)), .prismBase
      ),
      (
        .contacts(ContactsPrescription(rightEye: ContactsLensSpecification(sphere: 1, baseCurve: 0), leftEye: nil)),
        .outOfRange(.baseCurve)
      ),
      (
        .contacts(ContactsPrescription(rightEye: ContactsLensSpecification(sphere: 1, diameter: 51), leftEye: nil)),
        .outOfRange(.diameter)
      ),
      (
        .contacts(
          ContactsPrescription(
            rightEye: ContactsLensSpecification(sphere: 1), leftEye: nil, brand: String(repeating: "ä", count: 129))),
        .brandTooLong
      ),
    ] as [(VisionPrescription, VisionPrescriptionError)])
  func rules(prescription: VisionPrescription, error: VisionPrescriptionError) {
    #expect(throws: error) { try prescription.validate() }
  }

  @Test("a sample ends when the prescription expires, which is after its issue")
  func time() throws {
    let lens = Self.glasses(GlassesLensSpecification(sphere: 1))
    let issued = Timestamp(milliseconds: 1_790_000_000_000)
    #expect(try SampleDraft(lens, issued: issued).span == TimeSpan(at: issued))
    let expires = issued.advanced(byMicroseconds: 1)
    #expect(try SampleDraft(lens, issued: issued, expires: expires).span.end == expires)
    #expect(throws: VisionPrescriptionError.expiresBeforeIssue) {
      try SampleDraft(lens, issued: issued, expires: issued)
    }
  }
}
