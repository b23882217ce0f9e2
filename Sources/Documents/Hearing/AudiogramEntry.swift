internal import FoundationEssentials
package import HealthModel

/// A stored audiogram as lists show it.
package struct AudiogramEntry: Hashable, Sendable {
  package var sample: HealthSample
  package var audiogram: Audiogram

  package init(_ sample: HealthSample, _ audiogram: Audiogram) {
    self.sample = sample
    self.audiogram = audiogram
  }

  /// The first eight digits of the identifier.
  package var shortName: String { String(sample.id.uuidString.lowercased().prefix(8)) }

  package var json: JSONValue {
    [
      "id": .string(sample.id.uuidString.lowercased()), "start": .string(sample.start.iso8601()),
      "end": .string(sample.end.iso8601()), "source": .string(sample.source.identifier),
      "points": .array(audiogram.sensitivityPoints.map(\.line)),
    ]
  }
}
