import Foundation
import Testing

/// `[sensors] record = any`, and what is never recorded without it.
@Suite("Sensors that are not in the list")
struct UnlistedSensorTests {
  private let near = "C0:FF:EE:00:00:01"
  private let far = "C0:FF:EE:00:00:02"
  private let thermometer = "C0:FF:EE:00:00:03"

  private func scenario() -> String {
    let values = (0...60).map { #"{"t": \#($0), "bpm": 60, "rr_ms": [1000]}"# }.joined(separator: ", ")
    return """
      {"straps": [
        {"name": "Twin", "address": "\(near)", "rssi": -60, "timeline": [\(values)]},
        {"name": "Twin", "address": "\(far)", "rssi": -80, "timeline": [\(values)]},
        {"name": "Twin", "address": "\(thermometer)", "rssi": -40, "uuids": ["1809"], "timeline": [\(values)]}
      ]}
      """
  }

  @Test("with any, the sensor that is near enough is recorded; what is farther away, or no heart-rate sensor, is not")
  func any() async throws {
    let recording = try Recording()
    let simulator = try recording.simulator(scenario())
    try await simulator.printed("ready")
    let recorder = try recording.recorder(configuration: "[sensors]\nrecord = any\nminimum-signal = -70\n")
    try await wait(for: "three values") { try recording.sent(by: near).count >= 3 }
    let status = try recording.statusText()
    #expect(status.contains(near) && !status.contains(far), "\(status)")
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(recorder.text.contains("\(near): not in the list of sensors; recorded since"))
    #expect(try recording.sessions().count == 1)
    #expect(try recording.sessions(of: near).count == 1)
    #expect(try recording.count("connected", of: far) == 0)
    #expect(try recording.count("connected", of: thermometer) == 0)
  }

  @Test("a store that was deleted is made anew with the list that it had, without strangers that are recorded")
  func newStore() async throws {
    let recording = try Recording()
    try recording.allow(far)
    let simulator = try recording.simulator(scenario())
    try await simulator.printed("ready")
    let recorder = try recording.recorder(configuration: "[sensors]\nrecord = any\nminimum-signal = -70\n")
    try await wait(for: "three values") { try recording.sent(by: near).count >= 3 }
    for file in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: recording.store + file) }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try recording.sessions(of: near).count == 1)
    #expect(try recording.listed() == [far])
  }

  @Test("without it a sensor with the name of an allowed one is another one, and is not connected")
  func sameName() async throws {
    let recording = try Recording()
    try recording.allow(far)
    let simulator = try recording.simulator(scenario())
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "three values") { try recording.sent(by: far).count >= 3 }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try recording.sessions().count == 1)
    #expect(try recording.count("connected", of: near) == 0)
    #expect(!recorder.text.contains(near), "a neighbour's strap stands in no log")
  }
}
