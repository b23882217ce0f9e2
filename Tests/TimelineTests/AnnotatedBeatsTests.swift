import Foundation
import HealthModel
import TestSupport
import Testing
import Timeline

/// MIT-BIH record 100: half an hour of beats that cardiologists have labelled, where the test data are present.
@Suite("Annotated beats")
struct AnnotatedBeatsTests {
  static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  @Test("34 of 34 early beats are flagged at exactly their beat, and hardly any other", .enabled(if: folder != nil))
  func recordHundred() throws {
    let beats = try AnnotationFile(path: #require(Self.folder) + "/wfdb-sample-data/100.atr").beats
    let early = beats.indices.filter { beats[$0].label == 5 || beats[$0].label == 8 }
    try #require(early.count == 34)
    var script = Script()
    for index in beats.indices.dropFirst() {
      let ticks = Double(beats[index].sample - beats[index - 1].sample) * 1024 / 360
      script.notify([UInt16(ticks.rounded())], at: 10 + Double(beats[index].sample) / 360, rate: 75)
    }
    let timeline = SessionTimeline(script.events)
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
