internal import FoundationEssentials
package import HealthModel

/// A stored event of too much sound as lists show it. A program may have saved it without level and duration.
package struct ExposureEventEntry: Hashable, Sendable {
  package var sample: HealthSample

  package init(_ sample: HealthSample) {
    self.sample = sample
  }

  /// Whether it was headphones; else the environment.
  package var isOfHeadphones: Bool { sample.type == .category(.headphoneAudioExposureEvent) }

  /// The equivalent continuous level, in dB(A).
  package var decibels: Double? { quantity(SoundExposureEvent.levelKey, in: .decibelAWeightedSoundPressureLevel) }

  /// How long there was sound, in seconds.
  package var seconds: Double? { quantity(SoundExposureEvent.durationKey, in: .second) }

  private func quantity(_ key: String, in unit: Unit) -> Double? {
    if case .quantity(let quantity)? = sample.metadata[key] { try? quantity.value(in: unit) } else { nil }
  }

  package var json: JSONValue {
    [
      "id": .string(sample.id.uuidString.lowercased()), "type": .string(sample.type.identifier),
      "start": .string(sample.start.iso8601()), "end": .string(sample.end.iso8601()), "decibels": .number(decibels),
      "seconds": .number(seconds), "source": .string(sample.source.identifier),
    ]
  }
}
