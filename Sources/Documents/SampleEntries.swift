import FoundationEssentials
package import HealthModel
package import SeriesStore
package import Support

/// A stored measurement of blood pressure as lists show it.
package struct BloodPressureEntry: Hashable, Sendable {
  package var sample: HealthSample
  /// The systolic pressure in mmHg; nil where this part is missing, as in no sample that the store accepts.
  package var systolic: Double?
  /// The diastolic pressure in mmHg, likewise.
  package var diastolic: Double?

  /// - Parameters:
  ///   - sample: The measurement.
  ///   - parts: Its values, as samples.
  package init(_ sample: HealthSample, parts: [HealthSample]) {
    func value(_ type: QuantityType) -> Double? {
      parts.first { $0.type == .quantity(type) }?.summary?.average
    }
    self.sample = sample
    systolic = value(.bloodPressureSystolic)
    diastolic = value(.bloodPressureDiastolic)
  }

  package var json: JSONValue {
    [
      "id": .string(sample.id.uuidString.lowercased()), "start": .string(sample.start.iso8601()),
      "systolic": .number(systolic), "diastolic": .number(diastolic), "source": .string(sample.source.identifier),
    ]
  }
}

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

  /// The end of the prescription's validity; nil where the sample has none.
  package var expires: Timestamp? { sample.end > sample.start ? sample.end : nil }

  /// The purpose of the glasses; nil where no text names it.
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
    members.append(.init("lenses", .array(prescription.lenses.map(json))))
    return .object(members)
  }

  /// Values that were not prescribed are absent.
  private func json(_ lens: PrescribedLens) -> JSONValue {
    .object(
      [.init("prescription", .integer(prescription.type.rawValue)), .init("eye", .integer(lens.eye.rawValue))]
        + LensField.allCases.compactMap { field in lens.values[field].map { .init(field.rawValue, .number($0)) } }
        + (prescription.brand.map { [.init("brand", .string($0))] } ?? []))
  }
}

/// A stored clinical record as lists show it, without its document.
package struct RecordEntry: Hashable, Sendable {
  package var sample: HealthSample
  /// The name of the record: untrusted text.
  package var name: String

  package init(_ sample: HealthSample, name: String) {
    self.sample = sample
    self.name = name
  }

  /// The first eight digits of the identifier.
  package var shortName: String { String(sample.id.uuidString.lowercased().prefix(8)) }

  package var json: JSONValue {
    [
      "id": .string(sample.id.uuidString.lowercased()), "type": .string(sample.type.identifier),
      "name": .string(name), "date": .string(sample.start.iso8601()), "source": .string(sample.source.identifier),
    ]
  }
}

extension HealthSample {
  /// The object of `events --json`; nil for a sample that is no heart event. Keys are stable.
  package var heartEventJSON: JSONValue? {
    guard let span = TimeSpan(start: start, end: end), let event = HeartEvent(type, over: span, metadata: metadata)
    else { return nil }
    let hasRule = !event.rule.name.isEmpty
    return [
      "id": .string(id.uuidString.lowercased()), "kind": .string(event.kind.rawValue),
      "start": .string(start.iso8601()), "end": .string(end.iso8601()), "threshold": .number(event.threshold),
      "rule": hasRule ? .string(event.rule.name) : .null,
      "ruleVersion": hasRule ? .integer(event.rule.version) : .null,
      "session": .string(session?.uuidString.lowercased()), "source": .string(source.identifier),
    ]
  }
}

extension GrantEntry {
  /// The object `{"application", "uid", "type", "permission", "decision", "decided", "configured"}`, and `"object"` of a single
  /// sample.
  package var json: JSONValue {
    guard isByObject, case .object(let members) = common else { return common }
    return .object(members + [.init("object", .string(object?.id.uuidString.lowercased()))])
  }

  private var common: JSONValue {
    [
      "application": .string(client.application), "uid": .integer(client.uid), "type": .string(type),
      "permission": .string(permission.rawValue), "decision": .string(word),
      "decided": .string(decided?.iso8601()), "configured": .bool(isConfigured),
    ]
  }
}

extension AllowedSensor {
  /// The object `{"address", "name", "added"}`.
  package var json: JSONValue {
    ["address": .string(address), "name": .string(name), "added": .string(added.iso8601())]
  }
}
