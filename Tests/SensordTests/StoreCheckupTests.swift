import Ingestion
import RecordingSamples
import Reports
import Testing
import Timeline

@testable import sensord

@Suite("StoreCheckup")
struct StoreCheckupTests {
  @Test("a recorder that cannot keep what it records is no healthy one, though it runs")
  func problem() {
    var document = SampleStatus.document()
    #expect(StoreCheckup.recorder(document).text == "✓ recorder        running (process 42): Recording\n")
    document.status.problem = "/s/sensord.sqlite cannot grow: the disk is full; free some space"
    for state in [RecorderState.recording, .searching] {
      document.status.state = state
      let finding = StoreCheckup.recorder(document)
      #expect(Finding.status([finding]) == .inputOutput)
      #expect(finding.text.contains("running (process 42), but /s/sensord.sqlite cannot grow: the disk is full"))
    }
    document.status.valuesInMemory = 240
    let text = StoreCheckup.recorder(document).text
    #expect(text.contains("free some space; 240 values are in memory only; a kill loses them\n"))
    // A restart would lose them.
    #expect(!text.contains("systemctl restart"))
  }

  @Test("what another check says is wrong is said once, and that no recorder runs is no failure")
  func others() {
    var document = SampleStatus.document()
    document.status.state = .noAdapter
    document.status.problem = "there is no Bluetooth adapter; plug one in"
    #expect(Finding.status([StoreCheckup.recorder(document), StoreCheckup.recorder(nil)]) == .success)
  }

  @Test("a near sensor with the name of one that is away is told with the command")
  func namesake() {
    var document = SampleStatus.document()
    #expect(StoreCheckup.namesakes(document).isEmpty && StoreCheckup.namesakes(nil).isEmpty)
    document.status.sensors[1].namesake = SensorAddress("C0:FF:EE:00:00:03")
    document.status.sensors[1].name = "Strap \u{1B}[2J"
    let findings = StoreCheckup.namesakes(document)
    #expect(Finding.status(findings) == .unavailable)
    #expect(
      findings.map(\.text) == [
        """
        ✗ sensor          Strap \u{FFFD}[2J (C0:FF:EE:00:00:02) is away, and a sensor with its name is near, as C0:FF:EE:00:00:03
            → if it is the same one: sensord devices replace C0:FF:EE:00:00:02 C0:FF:EE:00:00:03

        """
      ])
  }

  @Test("a disk without room for a session is told before a recorder fails on it")
  func full() throws {
    let location = StoreLocation(path: "/s/sensord.sqlite")
    let finding = Finding(title: "store", result: try #require(StoreCheckup.full(location, free: (1 << 20) - 1)))
    #expect(finding.text.hasPrefix("✗ store           the disk of /s/sensord.sqlite is full: 1023 KiB are left\n"))
    #expect(Finding.status([finding]) == .inputOutput)
    #expect(StoreCheckup.full(location, free: 1 << 20) == nil)
    #expect(try #require(FileAccess.freeBytes(at: "/")) > 0)
  }

  @Test("a service that fails, and is started again each time, is not well")
  func service() {
    for (active, sub, status) in [
      ("active", "running", ExitStatus.success), ("activating", "start", .success),
      ("activating", "auto-restart", .unavailable), ("failed", "failed", .unavailable), ("inactive", "dead", .success),
    ] {
      let finding = Finding(title: "service", result: ServiceCheckup.result(active: active, sub: sub))
      #expect(Finding.status([finding]) == status, "\(active) \(sub)")
    }
  }
}
