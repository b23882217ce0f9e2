import Foundation
import Testing

/// Two adapters in the real processes; `unplug`, `other_adapter` and `two_adapters` of the lab's scenarios have two as well.
@Suite("Two adapters")
struct TwoAdaptersTests {
  private let strap = "C0:FF:EE:00:00:01"

  /// Another program has the strap over the second adapter, until it gives it back.
  private func scenario() -> String {
    let values = (0...60).map { #"{"t": \#($0), "bpm": \#(60 + $0), "rr_ms": [\#(1000 - $0)]}"# }
    let deeds = [
      #"{"t": 0.1, "event": "plug", "adapter": "00:1B:DC:00:00:02"}"#,
      #"{"t": 3, "event": "client", "do": "discover", "adapter": "hci1"}"#,
      #"{"t": 3.5, "event": "client", "do": "connect", "adapter": "hci1"}"#,
      #"{"t": 16, "event": "client", "do": "subscribe", "adapter": "hci1"}"#,
      #"{"t": 30.5, "event": "client", "do": "disconnect", "adapter": "hci1"}"#,
    ]
    return """
      {"straps": [{"name": "Strap", "address": "\(strap)", "timeline": [\(values.joined(separator: ", "))]}],
       "timeline": [\(deeds.joined(separator: ", "))]}
      """
  }

  @Test(
    "what another program receives over an adapter that the configuration leaves out is not recorded; afterwards all is"
  )
  func leftOut() async throws {
    let recording = try Recording(speed: 12)
    try recording.allow(strap)
    let simulator = try recording.simulator(scenario(), holdingAfter: 10)
    try await simulator.printed("ready")
    try await wait(for: "the other program's link") { try recording.count("done") >= 3 }
    let recorder = try recording.recorder(configuration: "[sensors]\nadapters = hci0\n")
    try await wait(for: "the strap's end") { try recording.count("end", of: strap) == 1 }
    try await recording.arrive()
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(!recorder.text.contains("linked over hci1"), "\(recorder.text)")
    let sent = try recording.sent(by: strap)
    let recorded = try recording.sessions(of: strap).flatMap(recording.captured)
    #expect(!recorded.isEmpty && recorded.count < sent.count - 5, "\(recorded.count) of \(sent.count)")
    #expect(Array(sent.suffix(recorded.count)) == recorded)
  }
}
