internal import FoundationEssentials
package import HealthModel

/// A stored clinical record as lists show it, without its document.
package struct RecordEntry: Hashable, Sendable {
  package var sample: HealthSample
  /// What it is called. Hostile text.
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
