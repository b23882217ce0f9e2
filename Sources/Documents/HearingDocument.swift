import FoundationEssentials
package import HealthModel
package import Support

/// The object of `hearing --json`. Keys are stable.
package struct HearingDocument {
  private let audiograms: [AudiogramEntry]
  private let exposures: [ExposureEventEntry]
  private let dose: Double?

  /// - Parameters:
  ///   - audiograms: The audiograms.
  ///   - exposures: The events of too much sound.
  ///   - dose: The dose of the last seven days; nil where it is not known.
  package init(_ audiograms: [AudiogramEntry], _ exposures: [ExposureEventEntry], dose: Double?) {
    self.audiograms = audiograms
    self.exposures = exposures
    self.dose = dose
  }

  package var json: JSONValue {
    [
      "audiograms": .array(audiograms.map(\.json)), "exposureEvents": .array(exposures.map(\.json)),
      "headphoneDoseSevenDays": .number(dose),
    ]
  }
}

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
      "points": .array(audiogram.sensitivityPoints.map(Self.json)),
    ]
  }

  /// An ear that was not measured is absent.
  private static func json(_ point: AudiogramSensitivityPoint) -> JSONValue {
    let ears = [
      ("leftEarSensitivity", point.leftEarSensitivity), ("rightEarSensitivity", point.rightEarSensitivity),
    ]
    return .object(
      [.init("frequencyHertz", .number(point.frequency))]
        + ears.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }
}

/// A stored event of too much sound as lists show it. A program may have saved an event without level and duration.
package struct ExposureEventEntry: Hashable, Sendable {
  package var sample: HealthSample

  package init(_ sample: HealthSample) {
    self.sample = sample
  }

  /// Whether the sound came from headphones; else from the environment.
  package var isOfHeadphones: Bool { sample.type == .category(.headphoneAudioExposureEvent) }

  /// The equivalent continuous level, in dB(A).
  package var decibels: Double? { quantity(SoundExposureEvent.levelKey, in: .decibelAWeightedSoundPressureLevel) }

  /// The duration of the sound in seconds.
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
