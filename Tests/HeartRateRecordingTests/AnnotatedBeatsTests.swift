import Foundation
import HeartRateRecording
import Testing

/// MIT-BIH record 100: half an hour of beats that cardiologists have labelled, where the test data are present.
@Suite("Annotated beats")
struct AnnotatedBeatsTests {
  static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  /// A beat's sample number and its label: 1 normal, 5 ventricular, 8 atrial.
  struct Annotation {
    var sample: Int
    var label: Int
  }

  /// Reads the MIT annotation format: 16-bit words, label in the high six bits, samples since the last in the low ten.
  static func annotations(_ name: String) throws -> [Annotation] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: #require(folder) + "/wfdb-sample-data/" + name))
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    var result: [Annotation] = []
    var sample = 0
    var index = 0
    while index < words.count, words[index] != 0 {
      let label = words[index] >> 10
      let value = words[index] & 0x3FF
      index += 1
      switch label {
      case 59:  // a longer step: two words, the high one first
        sample += words[index] << 16 | words[index + 1]
        index += 2
      case 60, 61, 62: break
      case 63: index += (value + 1) / 2
      default:
        sample += value
        if (1...13).contains(label) || label == 34 || label == 38 { result.append(.init(sample: sample, label: label)) }
      }
    }
    return result
  }

  @Test("34 of 34 early beats are flagged at exactly their beat, and hardly any other", .enabled(if: folder != nil))
  func recordHundred() throws {
    let beats = try Self.annotations("100.atr")
    let early = beats.indices.filter { beats[$0].label == 5 || beats[$0].label == 8 }
    try #require(early.count == 34)
    var script = Script()
    for index in beats.indices.dropFirst() {
      let ticks = Double(beats[index].sample - beats[index - 1].sample) * 1024 / 360
      script.notify([UInt16(ticks.rounded())], at: 10 + Double(beats[index].sample) / 360, rate: 75)
    }
    let timeline = SessionTimeline(events: script.events)
    // The first annotated beat began the first interval and is none of ours.
    let flagged = timeline.beats.flags.map { $0.subtracting(.firstOfRun) }
    let ectopic = flagged.indices.filter { flagged[$0].contains(.ectopic) }.map { $0 + 1 }
    let any = flagged.indices.filter { !flagged[$0].isEmpty }.map { $0 + 1 }
    #expect(Set(early).isSubset(of: ectopic))
    let normal = Double(beats.count - 1 - early.count)
    let specificity = 1 - Double(Set(ectopic).subtracting(early).count) / normal
    let anySpecificity = 1 - Double(Set(any).subtracting(early).count) / normal
    #expect(specificity >= 0.996)
    #expect(anySpecificity >= 0.979)
    print("record 100: ectopic specificity \(specificity), any flag \(anySpecificity)")
  }
}
