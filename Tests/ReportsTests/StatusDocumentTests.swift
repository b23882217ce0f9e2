import Documents
import Ingestion
import RecordingSamples
import Support
import Testing
import Timeline

@testable import Reports

@Suite("StatusDocument")
struct StatusDocumentTests {
  @Test("what is written is read back")
  func roundTrip() throws {
    var document = SampleStatus.document()
    document.status.valuesInMemory = 240
    #expect(StatusDocument(reading: document.json.bytes) == document)
    document.status.sensors[1].namesake = SensorAddress("C0:FF:EE:00:00:03")
    #expect(StatusDocument(reading: document.json.bytes) == document)
  }

  @Test("keys have a fixed order, and what is unknown is null")
  func json() throws {
    let text = SampleStatus.document().json.text
    #expect(text.hasPrefix(#"{"version":"0.1.0","pid":42,"started":"2026-11-21T01:58:08.000Z","updated":"#))
    #expect(text.contains(#""bpm":62,"rateAt":"2026-11-21T02:08:07.500Z","contact":true,"battery":81,"#))
    #expect(
      text.contains(#""session":null,"sessionStart":null,"bpm":null,"rateAt":null,"contact":null,"battery":null"#))
    #expect(
      text.contains(
        #""provisional":{"until":"2026-11-21T02:08:07.000Z","beats":1250,"flagged":10,"lastFiveMinutes":"#
          + #"{"beats":300,"flagged":6,"rmssdMilliseconds":41.25}},"#))
    #expect(text.contains(#""provisional":null,"#))
    #expect(text.contains(#""beats":63,"gaps":3,"losses":2,"junk":0,"#))
  }

  @Test("a recorder of an earlier version tells no gaps")
  func withoutGaps() throws {
    let text = SampleStatus.document().json.text.replacing(#""gaps":3,"#, with: "")
    #expect(StatusDocument(reading: Array(text.utf8))?.status.sensors.first?.gaps == 0)
  }

  @Test("ages count by the boot clock: a step of the wall clock behind the last status changes none")
  func steppedClock() throws {
    var document = SampleStatus.document()
    let later = SampleStatus.now + 20_000_000
    for wall in [later, later + 259_200_000_000, 0] {
      #expect(document.now(wall: wall, boot: 7_020_000_000) == later)
    }
    // A file of another boot, or of an earlier version.
    #expect(document.now(wall: later, boot: 6_000_000_000) == later)
    document.bootMicroseconds = nil
    #expect(document.now(wall: later, boot: 7_020_000_000) == later)
    #expect(StatusDocument(reading: document.json.bytes) == document)
  }

  @Test("a file that is cut off or of another kind is refused", arguments: ["", "{}", "[]", "null", "{\"version\":1}"])
  func refused(text: String) {
    #expect(StatusDocument(reading: Array(text.utf8)) == nil)
  }

  @Test("every cut of a status file is refused, none traps")
  func cuts() throws {
    let bytes = SampleStatus.document().json.bytes
    for length in 0..<bytes.count { #expect(StatusDocument(reading: Array(bytes.prefix(length))) == nil) }
  }
}
