import FoundationEssentials
import GATTHeartRate
import Testing

/// Where the published vectors are; nil where `SENSORD_TEST_DATA` is not set.
private let vectorsFile = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"].map {
  "\($0)/hr2a37-vectors/vectors.jsonl"
}

@Suite("Published vectors")
struct PublishedVectorsTests {
  private struct Line: Decodable {
    struct Expected: Decodable {
      let flags: UInt8
      let bpm: UInt16
      let contact: String
      let energy_kj: UInt16?
      let rr_ticks: [UInt16]
      let trailing: String
    }

    let id: String
    let hex: String
    let expected: Expected?
  }

  @Test(
    "82 of the 84 vectors give the values that independent decoders agree on, two are too short",
    .enabled(if: vectorsFile != nil, "left out: SENSORD_TEST_DATA is not set"))
  func decodesThemAll() throws {
    let file = try #require(vectorsFile)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    var tooShort: [String: HeartRateMeasurement.DecodingError] = [:]
    var decoded = 0
    for line in text.split(separator: "\n") {
      let vector = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      let bytes = hex(vector.hex)
      guard let expected = vector.expected else {
        do throws(HeartRateMeasurement.DecodingError) {
          _ = try HeartRateMeasurement(decoding: bytes)
        } catch {
          tooShort[vector.id] = error
        }
        continue
      }
      let measurement = try HeartRateMeasurement(decoding: bytes)
      #expect(measurement.flags.rawValue == expected.flags, "\(vector.id)")
      #expect(measurement.beatsPerMinute == expected.bpm, "\(vector.id)")
      #expect("\(measurement.contact)" == Self.contacts[expected.contact], "\(vector.id)")
      #expect(measurement.energyKilojoules == expected.energy_kj, "\(vector.id)")
      #expect(measurement.rrTicks == expected.rr_ticks, "\(vector.id)")
      #expect(measurement.trailing == hex(expected.trailing), "\(vector.id)")
      #expect(measurement.encoded() == bytes, "\(vector.id)")
      decoded += 1
    }
    #expect(decoded == 82)
    #expect(
      tooShort == [
        "v027": .truncated(field: .heartRate, needed: 3, available: 2),
        "v028": .truncated(field: .heartRate, needed: 2, available: 1),
      ])
  }

  private static let contacts = [
    "not_supported": "notSupported", "not_detected": "notDetected", "detected": "detected",
  ]
}
