import Ingestion
import Sensors
import TestSupport
import Testing

@testable import sensord

@Suite("StatusDocument")
struct StatusDocumentTests {
  static let now: Int64 = 1_795_226_888_000_000

  static func document() throws -> StatusDocument {
    var strap = SensorStatus(
      address: try #require(SensorAddress("C0:FF:EE:00:00:01")), name: "Strap \u{1B}[2J", state: .measuring,
      since: now - 61_000_000)
    strap.session = "3f2a91bc-0000-4000-8000-000000000000"
    strap.sessionStart = now - 61_000_000
    strap.beatsPerMinute = 62
    strap.rateAt = now - 500_000
    strap.contact = true
    strap.battery = 81
    strap.notifications = 61
    strap.beats = 63
    strap.gaps = 3
    strap.losses = 2
    strap.provisional = ProvisionalQuality(
      beats: 1250, flagged: 10, recentBeats: 300, recentFlagged: 6, rmssdMilliseconds: 41.25, until: now - 1_000_000)
    let away = SensorStatus(
      address: try #require(SensorAddress("C0:FF:EE:00:00:02")), name: nil, state: .absent, since: now - 600_000_000)
    return StatusDocument(
      version: "0.1.0", processIdentifier: 42, started: now - 600_000_000, updated: now, store: "/s/sensord.sqlite",
      status: RecorderStatus(state: .recording, problem: nil, sensors: [strap, away]))
  }

  @Test("what is written is read back")
  func roundTrip() throws {
    let document = try Self.document()
    #expect(StatusDocument(reading: document.json.bytes) == document)
  }

  @Test("keys have a fixed order, and what is unknown is null")
  func json() throws {
    let text = try Self.document().json.text
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
    let text = try Self.document().json.text.replacing(#""gaps":3,"#, with: "")
    #expect(StatusDocument(reading: Array(text.utf8))?.status.sensors.first?.gaps == 0)
  }

  @Test("a file that is cut off or of another kind is refused", arguments: ["", "{}", "[]", "null", "{\"version\":1}"])
  func refused(text: String) {
    #expect(StatusDocument(reading: Array(text.utf8)) == nil)
  }

  @Test("every cut of a status file is refused, none traps")
  func cuts() throws {
    let bytes = try Self.document().json.bytes
    for length in 0..<bytes.count { #expect(StatusDocument(reading: Array(bytes.prefix(length))) == nil) }
  }

  @Test("the file appears whole and goes with the recorder")
  func file() throws {
    let folder = TemporaryFolder()
    let file = StatusFile(directory: folder.path + "/run")
    try file.prepare()
    #expect(try file.read() == nil)
    let document = try Self.document()
    try file.write(document)
    try file.write(document)
    #expect(try file.read() == document)
    file.remove()
    #expect(try file.read() == nil)
  }

  @Test("a recorder writes where systemd says, else in the person's runtime directory, else beside the store")
  func places() {
    let store = StoreLocation(path: "/s/x.sqlite")
    func path(_ values: [String: String]) -> String {
      StatusFile.forRecorder(environment: ProcessEnvironment(values), store: store).path
    }
    #expect(
      path(["RUNTIME_DIRECTORY": "/run/sensord", "XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/sensord/status.json")
    #expect(path(["XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/user/1/sensord/status.json")
    #expect(path([:]) == "/s/status.json")
  }

  @Test("a process that is gone, or is another program, does not run")
  func running() throws {
    var document = try Self.document()
    document.processIdentifier = 1 << 30
    #expect(!StatusFile.isRunning(document))
    document.processIdentifier = 1
    #expect(!StatusFile.isRunning(document))
  }
}

@Suite("StatusReport")
struct StatusReportTests {
  @Test("a person sees each sensor with its state, rate and gaps, in 80 columns")
  func table() throws {
    let text = try StatusReport.text(StatusDocumentTests.document(), now: StatusDocumentTests.now, columns: 80)
    #expect(text.hasPrefix("Recording, for 10 min\nStore  /s/sensord.sqlite\n"))
    #expect(text.contains("C0:FF:EE:00:00:01  measuring    61 s    62     63     3  81%"))
    #expect(text.contains("C0:FF:EE:00:00:02  away       10 min"))
    #expect(!text.contains("\u{1B}"))
    #expect(text.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
  }

  @Test("what the beats look like so far is called provisional, and the last minutes are not told when they are old")
  func provisional() throws {
    var document = try StatusDocumentTests.document()
    let now = StatusDocumentTests.now
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

  @Test("an old rate is called stale and its age is told")
  func stale() throws {
    let text = try StatusReport.text(
      StatusDocumentTests.document(), now: StatusDocumentTests.now + 60_000_000, columns: 100)
    #expect(text.contains("62 stale"))
    #expect(text.contains("C0:FF:EE:00:00:01: last rate 60 s ago"))
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
