import Foundation
import TestSupport
import Testing

/// `sensord scan` and `sensord reset-energy`, as processes on a private bus.
@Suite("Commands that use Bluetooth")
struct BluetoothCommandTests {
  private let scenario = """
    {"straps": [
      {"name": "Mine", "address": "C0:FF:EE:00:00:01", "rssi": -80},
      {"name": "Neighbour\\u001b[2J", "address": "C0:FF:EE:00:00:02", "rssi": -90},
      {"name": "Only a name", "address": "C0:FF:EE:00:00:03", "uuids": []},
      {"name": "Thermometer", "address": "C0:FF:EE:00:00:04", "uuids": ["1809"]},
      {"name": "Pad", "address": "C0:FF:EE:00:00:05", "uuids": ["180d", "1812"], "hid": true, "rssi": -40}
    ]}
    """

  @Test("scan lists sensors, known ones first, and leaves out what is none; JSON has the same")
  func scan() async throws {
    let recording = try Recording(speed: 2)
    try recording.allow("C0:FF:EE:00:00:01")
    let simulator = try recording.simulator(scenario)
    try await simulator.printed("ready")
    let text = try recording.command("scan", "--duration", "3", "--store", recording.store)
    #expect(text.status == 0, "\(text.errors)")
    let lines = Set(text.output.split(separator: "\n").map(String.init))
    #expect(
      lines == [
        "C0:FF:EE:00:00:01  Mine  -80 dBm  heart rate  yes",
        "C0:FF:EE:00:00:02  Neighbour\u{FFFD}[2J  -90 dBm  heart rate  no",
        "C0:FF:EE:00:00:03  Only a name  -55 dBm  name only  no",
        "C0:FF:EE:00:00:05  Pad  -40 dBm  controller  no",
      ])
    let json = try recording.command("scan", "--duration", "3", "--json", "--all", "--store", recording.store)
    let list = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
    #expect(
      list.compactMap { $0["address"] as? String }.map { $0.suffix(1) } == ["1", "2", "5", "3", "4"])
    #expect(list.map { $0["recorded"] as? Bool } == [true, false, false, false, false])
    #expect(list.map { $0["kind"] as? String } == ["heartRate", "heartRate", "controller", "nameOnly", "other"])
    #expect(try recording.count("connected", of: "C0:FF:EE:00:00:01") == 0, "a scan connects nobody")
  }

  @Test("a scan without an adapter that is on, or without bluetoothd, ends with 69 and the remedy")
  func scanFails() async throws {
    let recording = try Recording(speed: 2)
    let simulator = try recording.simulator(
      #"{"straps": [{}], "timeline": [{"t": 0, "event": "power", "on": false}]}"#)
    try await simulator.printed("ready")
    let off = try recording.command("scan", "--duration", "2")
    #expect(off.status == 69)
    #expect(off.errors.hasSuffix("the Bluetooth adapter is off; switch it on with: bluetoothctl power on\n"))
    #expect(try await simulator.terminate() == 0)
    let gone = try recording.command("scan", "--duration", "2")
    #expect(gone.status == 69)
    #expect(gone.errors == "sensord: bluetoothd is not running; start it with: systemctl start bluetooth\n")
  }

  @Test("a scan beside a bluetoothd that hangs says so, and not that none is running")
  func scanHangs() async throws {
    // In the machine's own time: a shared clock waits for every program, also for one that stands still.
    let recording = try Recording()
    let simulator = try recording.simulator(#"{"straps": [{}]}"#)
    try await simulator.printed("ready")
    simulator.send(SIGSTOP)
    let silent = try recording.command("scan", "--duration", "2")
    simulator.send(SIGCONT)
    #expect(silent.status == 69)
    #expect(
      silent.errors
        == "sensord: bluetoothd is running and does not answer; restart it with: systemctl restart bluetooth\n")
    #expect(try await simulator.terminate() == 0)
  }

  @Test("reset-energy writes 01 to the control point over the recorder's link, which goes on")
  func resetsEnergy() async throws {
    let address = "C0:FF:EE:00:00:01"
    let values = (0...60).map { #"{"t": \#($0), "bpm": 60, "rr_ms": [1000], "energy": \#($0)}"# }
    let recording = try Recording(speed: 2)
    try recording.allow(address)
    let simulator = try recording.simulator(
      #"{"address": "\#(address)", "timeline": [\#(values.joined(separator: ", "))]}"#)
    try await simulator.printed("ready")
    let before = try recording.command("reset-energy", address)
    #expect(before.status == 66)
    #expect(before.errors.hasPrefix("sensord: bluetoothd knows no device \(address); "))
    let recorder = try recording.recorder()
    try await wait(for: "two values") { try recording.sent(by: address).count >= 2 }
    let result = try recording.command("reset-energy", address)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "\(address) counts its energy from zero now.\n")
    #expect(try recording.count("control_point", of: address) == 1)
    #expect(try recording.count("disconnected", of: address) == 0, "the recorder's link stays")
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let after = try recording.command("reset-energy", address)
    #expect(after.status == 69)
    #expect(after.errors.hasPrefix("sensord: \(address) is not connected; "))
  }

  @Test("a sensor without a control point is told in one line")
  func noControlPoint() async throws {
    let address = "C0:FF:EE:00:00:01"
    let recording = try Recording(speed: 2)
    try recording.allow(address)
    let values = (0...60).map { #"{"t": \#($0), "bpm": 60, "rr_ms": [1000]}"# }.joined(separator: ", ")
    let simulator = try recording.simulator(
      #"{"address": "\#(address)", "control_point": false, "timeline": [\#(values)]}"#)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "two values") { try recording.sent(by: address).count >= 2 }
    let result = try recording.command("reset-energy", address)
    #expect(result.status == 69)
    #expect(
      result.errors == "sensord: \(address) has no control point; it counts no energy, or resets it by itself only\n")
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
  }
}
