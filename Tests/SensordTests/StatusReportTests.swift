import Documents
import Ingestion
import RecordingSamples
import Reports
import Support
import Testing
import Timeline

@testable import sensord

@Suite("StatusReport")
struct StatusReportTests {
  @Test("a person sees each sensor with its state, rate and gaps, in 80 columns")
  func table() throws {
    let text = StatusReport.text(SampleStatus.document(), now: SampleStatus.now, columns: 80)
    #expect(text.hasPrefix("Recording, for 10 min\nStore  /s/sensord.sqlite\n"))
    #expect(text.contains("C0:FF:EE:00:00:01  measuring    61 s    62     63     3  81%"))
    #expect(text.contains("C0:FF:EE:00:00:02  away       10 min"))
    #expect(text.contains("C0:FF:EE:00:00:01: 2 lost links\n"))
    #expect(!text.contains("\u{1B}"))
    #expect(text.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
  }

  @Test("what the beats look like so far is called provisional, and the last minutes are not told when they are old")
  func provisional() throws {
    var document = SampleStatus.document()
    let now = SampleStatus.now
    let text = StatusReport.text(document, now: now, columns: 80)
    #expect(text.contains("\nProvisional, until the session is stored:\nSensor"))
    #expect(text.contains("C0:FF:EE:00:00:01     0.8%        2.0%        41 ms\n"))
    #expect(text.contains("Flagged  Last 5 min  RMSSD 5 min\n"))
    let later = StatusReport.text(document, now: now + 61_000_000, columns: 80)
    #expect(later.contains("C0:FF:EE:00:00:01     0.8%\n"))
    document.status.sensors[0].provisional?.rmssdMilliseconds = nil
    #expect(StatusReport.text(document, now: now, columns: 80).contains("     0.8%        2.0%\n"))
    document.status.sensors[0].provisional = nil
    #expect(!StatusReport.text(document, now: now, columns: 80).contains("Provisional"))
  }

  @Test("a near sensor with the name of one that is away is named with the command, in 80 columns")
  func namesake() throws {
    var document = SampleStatus.document()
    document.status.sensors[1].namesake = SensorAddress("C0:FF:EE:00:00:03")
    let text = StatusReport.text(document, now: SampleStatus.now, columns: 80)
    #expect(
      text.hasSuffix(
        """
        C0:FF:EE:00:00:02: a sensor with its name is near, as C0:FF:EE:00:00:03.
          If it is the same: sensord devices replace C0:FF:EE:00:00:02 C0:FF:EE:00:00:03

        """))
    #expect(text.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
  }

  @Test("an old rate is called stale and its age is told")
  func stale() throws {
    let text = StatusReport.text(
      SampleStatus.document(), now: SampleStatus.now + 60_000_000, columns: 100)
    #expect(text.contains("62 stale"))
    #expect(text.contains("C0:FF:EE:00:00:01: last rate 60 s ago"))
  }

  @Test("values that are in memory only are counted before all else")
  func valuesInMemory() {
    var document = SampleStatus.document()
    document.status.valuesInMemory = 240
    let text = StatusReport.text(document, now: SampleStatus.now, columns: 80)
    #expect(
      text.hasPrefix(
        "Recording, for 10 min\n240 values are in memory only; a kill loses them\nStore  /s/sensord.sqlite\n"))
    document.status.valuesInMemory = 1
    #expect(StatusReport.valuesInMemory(document.status) == "1 value is in memory only; a kill loses it")
  }

  @Test("every state has words of its own", arguments: RecorderState.allCases)
  func words(state: RecorderState) {
    let others = RecorderState.allCases.filter { $0 != state }.map { headline($0) }
    #expect(!others.contains(headline(state)))
  }

  private func headline(_ state: RecorderState) -> String {
    StatusReport.headline(RecorderStatus(state: state, problem: nil, sensors: []))
  }
}
