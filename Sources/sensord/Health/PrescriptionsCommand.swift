import ArgumentParser
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord health prescriptions [NAME]`: prescriptions of glasses and contacts that other programs saved.
struct PrescriptionsCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "prescriptions", abstract: "Show prescriptions of glasses and contact lenses.",
    usage: "sensord health prescriptions [<prescription>] [options]",
    discussion: """
      One is written as opticians do: R and L, powers in dioptres, the axis in
      degrees, distances in millimetres, prisms in prism dioptres. Other programs
      save them.

        sensord health prescriptions
        sensord health prescriptions last
      """)

  @Argument(help: "The first digits of a prescription's name, or last; a list without.")
  var prescription: String?

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let name = prescription
    let entries = try list.read { store async throws -> [PrescriptionEntry] in
      var entries: [PrescriptionEntry] = []
      let samples = try await SampleNames.prescriptions.samples(name, in: store)
      guard let store else { return entries }
      for sample in samples {
        let prescription = try await VisionPrescriptionQuery(sample.id).result(for: store).value
        entries.append(PrescriptionEntry(sample, prescription))
      }
      return entries
    }
    return Listing(
      isEmpty: entries.isEmpty, json: { Array((JSONValue.array(entries.map(\.json)).text + "\n").utf8) },
      rows: { columns in
        name == nil
          ? Self.table(entries, columns: columns) : entries.map { $0.text(columns: columns) }.joined()
      }, absence: "There are no prescriptions. Other programs save them; see Documentation/clients.md.\n")
  }
}

/// The rows of `sensord health prescriptions`.
extension PrescriptionsCommand {
  private static func table(_ entries: [PrescriptionEntry], columns: Int) -> String {
    var table = TextTable([
      .init("Name"), .init("Issued"), .init("Expires"), .init("For"), .init("Description", shrinks: true),
      .init("Source", shrinks: true),
    ])
    for entry in entries {
      table.add([
        entry.shortName, day(entry.sample.start), entry.expires.map(day) ?? "–", entry.prescription.type.word,
        entry.purpose ?? "–", entry.sample.source.identifier,
      ])
    }
    return table.rendered(columns: columns)
  }

  fileprivate static func day(_ time: Timestamp) -> String { String(LocalTime.minute(time.microseconds).prefix(10)) }
}

extension VisionPrescriptionType {
  fileprivate var word: String {
    switch self {
    case .glasses: "glasses"
    case .contacts: "contacts"
    @unknown default: "other"
    }
  }
}

extension PrescriptionEntry {
  /// One prescription as opticians write it: R and L, each power with its sign, columns only for prescribed values.
  func text(columns: Int) -> String {
    let lenses = prescription.lenses
    let columnsOfFields = Self.columns.filter { column in lenses.contains { column.text($0.values) != nil } }
    var table = TextTable([.init("")] + columnsOfFields.map { .init($0.title, .right) })
    for lens in lenses {
      table.add([lens.eye == .right ? "R" : "L"] + columnsOfFields.map { $0.text(lens.values) ?? "–" })
    }
    var text = "Prescription \(shortName) for \(prescription.type.word), \(PrescriptionsCommand.day(sample.start))"
    if let expires { text += " to \(PrescriptionsCommand.day(expires))" }
    text += "\n"
    if let purpose { text += PrintableText.line(purpose, columns: columns) + "\n" }
    if let brand = prescription.brand { text += PrintableText.line(brand, columns: columns) + "\n" }
    return text + "\n" + table.rendered(columns: columns)
  }

  private struct Column {
    var title: String
    var text: ([LensField: Double]) -> String?
  }

  /// Powers in dioptres, the axis in degrees, distances in millimetres, prisms in prism dioptres.
  private static var columns: [Column] {
    [
      Column(title: "Sph") { $0[.sphere].map(power) }, Column(title: "Cyl") { $0[.cylinder].map(power) },
      Column(title: "Axis") { $0[.axis].map { short($0) + "°" } }, Column(title: "Add") { $0[.addPower].map(power) },
      Column(title: "Prism", text: prism), Column(title: "VD") { $0[.vertexDistance].map(short) },
      Column(title: "PD far") { $0[.farPupillaryDistance].map(short) },
      Column(title: "PD near") { $0[.nearPupillaryDistance].map(short) },
      Column(title: "BC") { $0[.baseCurve].map(short) }, Column(title: "Dia") { $0[.diameter].map(short) },
    ]
  }

  /// `2 @ 45°`, or `1.5 up 2 in`.
  private static func prism(_ values: [LensField: Double]) -> String? {
    if let amount = values[.prismAmount], let angle = values[.prismAngle] {
      return "\(short(amount)) @ \(short(angle))°"
    }
    let parts = [
      (values[.prismVerticalAmount], values[.prismVerticalBase]),
      (values[.prismHorizontalAmount], values[.prismHorizontalBase]),
    ].compactMap { amount, base -> String? in
      guard let amount, let base = base.flatMap({ VisionPrismBase(rawValue: Int64($0)) }), base != .none else {
        return nil
      }
      return "\(short(amount)) \(base)"
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The power, always with a sign and two digits.
  private static func power(_ value: Double) -> String {
    (value < 0 ? "−" : "+") + FixedPoint.text(abs(value), digits: 2)
  }

  /// The value with at most two digits after the point.
  private static func short(_ value: Double) -> String {
    var text = FixedPoint.text(value, digits: 2)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
