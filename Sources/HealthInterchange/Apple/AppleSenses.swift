internal import Bits
internal import HealthModel

/// An audiogram as it is being read.
struct AppleAudiogram {
  let fields: AppleFields
  let span: TimeSpan?
  var metadata: [(key: String, value: String)] = []
  var points: [AudiogramSensitivityPoint] = []
  var lost = 0

  init(_ element: XMLElement) {
    fields = AppleFields(element)
    span = element.span.start.flatMap { start in element.span.end.flatMap { TimeSpan(start: start, end: $0) } }
  }

  mutating func add(_ element: XMLElement) {
    guard points.count <= Audiogram.mostPoints,
      let frequency = element.quantity("frequencyValue", unit: "frequencyUnit"),
      let point = try? AudiogramSensitivityPoint(
        frequency: frequency, leftEarSensitivity: element.quantity("leftEarValue", unit: "leftEarUnit"),
        rightEarSensitivity: element.quantity("rightEarValue", unit: "rightEarUnit"))
    else { return lost += 1 }
    points.append(point)
  }
}

/// A lens of a prescription: numbers in our units by their names.
struct AppleEye {
  let values: [String: Double]
  /// The count of numbers whose units do not fit.
  let lost: Int

  private static let units: [(name: String, unit: Unit)] = [
    ("sphere", .diopter), ("cylinder", .diopter), ("axis", .degree), ("add", .diopter), ("vertex", .millimeter),
    ("prismAmount", .prismDiopter), ("prismAngle", .degree), ("farPD", .millimeter), ("nearPD", .millimeter),
    ("baseCurve", .millimeter), ("diameter", .millimeter),
  ]

  init(_ element: XMLElement) {
    var values: [String: Double] = [:]
    var lost = 0
    for (name, unit) in Self.units {
      guard let number = element.number(name) else { continue }
      // Without a unit it is in that of prescriptions.
      guard let given = element[name + "Unit"] else {
        values[name] = number
        continue
      }
      if let converted = try? AppleNames.unit(given)?.convert(number, to: unit) {
        values[name] = converted
      } else {
        lost += 1
      }
    }
    (self.values, self.lost) = (values, lost)
  }

  var glasses: GlassesLensSpecification? {
    guard let sphere = values["sphere"] else { return nil }
    var prism: VisionPrism?
    if let amount = values["prismAmount"], let angle = values["prismAngle"] {
      prism = .angled(amount: amount, angle: angle)
    }
    return GlassesLensSpecification(
      sphere: sphere, cylinder: values["cylinder"], axis: values["axis"], addPower: values["add"],
      vertexDistance: values["vertex"], prism: prism, farPupillaryDistance: values["farPD"],
      nearPupillaryDistance: values["nearPD"])
  }

  var contacts: ContactsLensSpecification? {
    guard let sphere = values["sphere"] else { return nil }
    return ContactsLensSpecification(
      sphere: sphere, cylinder: values["cylinder"], axis: values["axis"], addPower: values["add"],
      baseCurve: values["baseCurve"], diameter: values["diameter"])
  }
}

/// A prescription as it is being read.
struct ApplePrescription {
  let fields: AppleFields
  let issued: Timestamp?
  let expires: Timestamp?
  let brand: String?
  var metadata: [(key: String, value: String)] = []
  var right: AppleEye?
  var left: AppleEye?

  init(_ element: XMLElement) {
    fields = AppleFields(element)
    issued = element.moment("dateIssued")
    expires = element.moment("expirationDate")
    brand = element["brand"]
  }

  var prescription: VisionPrescription? {
    let type = fields.type.lowercased()
    if type.hasSuffix("glasses") || type == "1" {
      return .glasses(GlassesPrescription(rightEye: right?.glasses, leftEye: left?.glasses))
    }
    if type.hasSuffix("contacts") || type == "2" {
      return .contacts(ContactsPrescription(rightEye: right?.contacts, leftEye: left?.contacts, brand: brand))
    }
    return nil
  }
}

extension AppleContents {
  func endAudiogram() {
    guard let read = audiogram else { return }
    audiogram = nil
    guard let span = read.span else { return account.reading.leave(out: "audiogram without a time") }
    if read.lost > 0 { account.reading.leave(out: "point of an audiogram", read.lost) }
    let audiogram = Audiogram(read.points)
    do throws(AudiogramError) {
      try audiogram.validate()
    } catch {
      return account.reading.leave(out: "audiogram: \(error)")
    }
    guard isAskedFor("audiogram", until: span.end) else { return }
    let origin = AppleOrigin(read.fields, metadata: read.metadata, wanted: nil)
    let numbers = read.points.flatMap { [$0.frequency, $0.leftEarSensitivity ?? .nan, $0.rightEarSensitivity ?? .nan] }
    add(
      SampleDraft(audiogram, over: span, device: origin.device, metadata: origin.metadata), origin,
      [span.start.microseconds, span.end.microseconds] + numbers.map { Int64(bitPattern: $0.bitPattern) })
  }

  func endPrescription() {
    guard let read = prescription else { return }
    prescription = nil
    guard let issued = read.issued else { return account.reading.leave(out: "prescription without a time") }
    guard let prescription = read.prescription else {
      return account.reading.leave(out: "prescription of the type \(read.fields.type.prefix(60))")
    }
    let lost = (read.right?.lost ?? 0) + (read.left?.lost ?? 0)
    if lost > 0 { account.reading.leave(out: "number of a prescription in an unknown unit", lost) }
    let origin = AppleOrigin(read.fields, metadata: read.metadata, wanted: nil)
    let draft: SampleDraft
    do throws(VisionPrescriptionError) {
      try prescription.validate()
      draft = try SampleDraft(
        prescription, issued: issued, expires: read.expires, device: origin.device, metadata: origin.metadata)
    } catch {
      return account.reading.leave(out: "prescription: \(error)")
    }
    guard isAskedFor("visionPrescription", until: draft.span.end) else { return }
    var numbers: [Int64] = []
    for eye in [read.right, read.left] {
      numbers += (eye?.values ?? [:]).sorted { $0.key < $1.key }.map { Int64(bitPattern: $0.value.bitPattern) }
      numbers.append(0)
    }
    add(draft, origin, [issued.microseconds, draft.span.end.microseconds] + numbers)
  }

  private func add(_ draft: SampleDraft, _ origin: AppleOrigin, _ numbers: [Int64]) {
    count(draft.type.identifier)
    objects.append(
      AppleObject(
        digest: origin.digest(numbers), version: 1, source: origin.source, device: origin.device,
        metadata: origin.metadata,
        content: .draft(draft)))
  }
}
