internal import FoundationEssentials
package import HealthModel

/// A stored prescription as lists show it.
package struct PrescriptionEntry: Hashable, Sendable {
  package var sample: HealthSample
  package var prescription: VisionPrescription

  package init(_ sample: HealthSample, _ prescription: VisionPrescription) {
    self.sample = sample
    self.prescription = prescription
  }

  /// The first eight digits of the identifier.
  package var shortName: String { String(sample.id.uuidString.lowercased().prefix(8)) }

  /// Until when it is good; nil where it does not say.
  package var expires: Timestamp? { sample.end > sample.start ? sample.end : nil }

  /// What the glasses are for, where a text says so.
  package var purpose: String? {
    if case .text(let text)? = sample.metadata[VisionPrescription.glassesDescriptionKey] { text } else { nil }
  }

  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(sample.id.uuidString.lowercased())), .init("issued", .string(sample.start.iso8601())),
      .init("expires", expires.map { .string($0.iso8601()) } ?? .null),
      .init("source", .string(sample.source.identifier)),
    ]
    if let purpose { members.append(.init("description", .string(purpose))) }
    members.append(.init("lenses", .array(prescription.lines)))
    return .object(members)
  }
}
