internal import FoundationEssentials
package import HealthModel

/// A stored measurement of blood pressure as lists show it.
package struct BloodPressureEntry: Hashable, Sendable {
  package var sample: HealthSample
  /// In mmHg; nil where the sample has no such part, which no program could save.
  package var systolic: Double?
  /// In mmHg, likewise.
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
