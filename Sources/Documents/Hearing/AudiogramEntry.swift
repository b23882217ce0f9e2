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

  fileprivate var json: JSONValue {
    [
      "id": .string(sample.id.uuidString.lowercased()), "start": .string(sample.start.iso8601()),
      "end": .string(sample.end.iso8601()), "source": .string(sample.source.identifier),
      "points": .array(audiogram.sensitivityPoints.map(\.line)),
    ]
  }
}

/// The object of `hearing --json`. Keys are stable.
package struct HearingDocument {
  private let entries: [AudiogramEntry]
  private let dose: Double?

  /// - Parameters:
  ///   - entries: The audiograms.
  ///   - dose: Of the last seven days; nil where nothing is known of them.
  package init(_ entries: [AudiogramEntry], dose: Double?) {
    self.entries = entries
    self.dose = dose
  }

  package var json: JSONValue {
    ["audiograms": .array(entries.map(\.json)), "headphoneDoseSevenDays": .number(dose)]
  }
}
