import Foundation
import Testing

/// `sensord devices pair` and a recorder, as processes, with straps that demand encryption.
@Suite("Pairing")
struct PairingTests {
  private let address = "C0:FF:EE:00:00:01"

  private func strap(_ pairing: String, more: String = "") -> String {
    #"{"name": "Shy", "address": "\#(address)", "pairing": "\#(pairing)"\#(more)}"#
  }

  private func started(_ scenario: String) async throws -> (Recording, Program) {
    let recording = try Recording(speed: 8)
    let simulator = try recording.simulator(scenario)
    try await simulator.printed("ready")
    return (recording, simulator)
  }

  @Test(
    "each way to pair works with the right answer, and the link that was made for it ends",
    arguments: [
      ("justWorks", "", "sensord devices add"), ("passkey", "nonsense\n123 456\n", "up to six digits"),
      ("display", "", "Enter 123456 on Shy"), ("confirm", "yes\n", "Does Shy show 123456?"),
    ])
  func pairs(way: String, input: String, question: String) async throws {
    let (recording, simulator) = try await started(strap(way))
    let result = try recording.command("devices", "pair", address, input: input)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "Shy (\(address)) is paired.\n")
    #expect(result.errors.contains(question))
    #expect(try recording.count("encryption", of: address) == 1)
    #expect(try recording.count("disconnected", of: address) == 1)
    let again = try recording.command("devices", "pair", address, "--json")
    #expect(again.output == #"{"address":"\#(address)","name":"Shy","paired":true,"new":false}"# + "\n")
    _ = simulator
  }

  @Test(
    "a pairing that fails changes nothing, and says why in one line",
    arguments: [
      ("passkey", "000001\n", "the passkey was wrong"), ("passkey", "", "the passkey was wrong"),
      ("confirm", "n\n", "one of the two refused"), ("refuse", "", "was refused; some sensors pair only in a mode"),
    ])
  func fails(way: String, input: String, reason: String) async throws {
    let (recording, simulator) = try await started(strap(way))
    let result = try recording.command("devices", "pair", address, input: input)
    #expect(result.status == 69)
    #expect(result.output.isEmpty)
    let line = result.errors.split(separator: "\n").last ?? ""
    #expect(line.hasPrefix("sensord: pairing with \(address)") && line.contains(reason), "\(result.errors)")
    #expect(try recording.count("encryption", of: address) == 0)
    #expect(try recording.count("disconnected", of: address) == 1, "its link is ended")
    _ = simulator
  }

  @Test("no adapter, no bluetoothd and a device that nobody hears are told apart, one line each")
  func nothingThere() async throws {
    let (recording, simulator) = try await started(strap("justWorks", more: #", "advertise": false"#))
    let result = try recording.command("devices", "pair", address)
    #expect(result.status == 66)
    #expect(result.errors.contains("no device \(address) is in reach; wear the sensor"))
    #expect(try await simulator.terminate() == 0)
    let gone = try recording.command("devices", "pair", address)
    #expect(gone.status == 69)
    #expect(gone.errors == "sensord: bluetoothd is not running; start it with: systemctl start bluetooth\n")
    let wrong = try recording.command("devices", "pair", "C0:FF")
    #expect(wrong.status == 64)
    #expect(wrong.errors == "sensord: C0:FF is no Bluetooth address; write six bytes: C0:FF:EE:00:00:01\n")
  }

  @Test("a recorder that gets no values says that the strap has to be paired, and records once it is")
  func recorderAsks() async throws {
    let values = (0...60).map { #"{"t": \#($0), "bpm": 60, "rr_ms": [1000]}"# }.joined(separator: ", ")
    let recording = try Recording(speed: 8)
    try recording.allow(address)
    let simulator = try recording.simulator(strap("justWorks", more: #", "timeline": [\#(values)]"#))
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await recorder.printed("pair it with: sensord devices pair \(address)")
    let status = try recording.statusText()
    #expect(status.contains("pair it with: sensord devices pair \(address)"), "\(status)")
    let result = try recording.command("devices", "pair", address)
    #expect(result.status == 0, "\(result.errors)")
    try await wait(for: "three values") { try recording.sent(by: address).count >= 3 }
    #expect(!(try recording.statusText().contains("pair it with")))
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try recording.sessions(of: address).count == 1)
  }
}
