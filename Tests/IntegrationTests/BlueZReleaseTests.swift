import Foundation
import TestSupport
import Testing

/// What is asked of each release of BlueZ: one that dies of `UUIDs` must never get any, and for the older ones the kernel
/// filters as before.
@Suite("Releases of BlueZ")
struct BlueZReleaseTests {
  private let strap = "C0:FF:EE:00:00:01"

  /// A strap that advertises from its second 0 on and is away for a minute, and a neighbour's.
  private func scenario(_ release: String) -> String {
    let values = (0..<90).map { (Double($0), #""bpm": 60, "rr_ms": [1000]"#) }
    let events = [(20.5, #""event": "vanish""#), (80.2, #""event": "advertise""#)]
    let timeline = (values + events).sorted { $0.0 < $1.0 }.map { #"{"t": \#($0.0), \#($0.1)}"# }
    return """
      {"bluez": "\(release)", "dies_of_uuids": \(release == "5.87"), "straps": [
        {"address": "\(strap)", "timeline": [\(timeline.joined(separator: ", "))]},
        {"address": "C0:FF:EE:00:00:02", "timeline": []}]}
      """
  }

  private func record(_ release: String) async throws -> (calls: [String], log: String, recording: Recording) {
    let recording = try Recording(speed: 12)
    try recording.allow(strap)
    let simulator = try recording.simulator(scenario(release))
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "the last value") { try recording.count("end", of: strap) == 1 }
    try await recording.arrive()
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    return (try recording.calls(), recorder.text, recording)
  }

  private static let filtered = "SetDiscoveryFilter 0000180d-0000-1000-8000-00805f9b34fb"

  @Test("the one that dies of UUIDs gets none and lives: the strap is recorded, lost, and recorded again")
  func newest() async throws {
    let (calls, log, recording) = try await record("5.87")
    #expect(calls.contains("SetDiscoveryFilter"))
    #expect(!calls.contains(Self.filtered), "\(calls)")
    #expect(!log.contains("bluetoothd died") && !log.contains("bluetoothd is gone"), "\(log)")
    let session = try #require(try recording.sessions(of: strap).first)
    #expect(try recording.captured(session) == recording.delivered(by: strap))
    #expect(session["gaps"] as? Int == 1)
    #expect(try recording.delivered(by: strap).count > 25)
    #expect(try recording.count("connected", of: "C0:FF:EE:00:00:02") == 0)
  }

  @Test(
    "the older ones are asked what they filter by, once, and then for the service, as before",
    arguments: ["5.66", "5.82"])
  func older(release: String) async throws {
    let (calls, log, recording) = try await record(release)
    #expect(
      calls.filter { !$0.hasSuffix("Value") && !$0.hasSuffix("Notify") }.prefix(5) == [
        "GetManagedObjects", "GetDiscoveryFilters", Self.filtered, "StartDiscovery", "StopDiscovery",
      ], "\(calls)")
    #expect(calls.count { $0 == "GetDiscoveryFilters" } == 1)
    #expect(calls.count { $0 == Self.filtered } >= 2, "looked for again when the strap was away: \(calls)")
    #expect(!log.contains("bluetoothd died"))
    #expect(try recording.sessions(of: strap).first?["gaps"] as? Int == 1)
  }

  @Test("a scan of the one that dies of UUIDs lists the strap, and leaves bluetoothd alive")
  func scan() async throws {
    let recording = try Recording(speed: 2)
    try recording.allow(strap)
    let simulator = try recording.simulator(scenario("5.87"))
    try await simulator.printed("ready")
    let scan = try recording.command("scan", "--duration", "3", "--store", recording.store)
    #expect(scan.status == 0 && scan.output.contains(strap), "\(scan)")
    let calls = try recording.calls()
    #expect(calls.contains("StartDiscovery") && !calls.contains(Self.filtered), "\(calls)")
  }

  @Test("one that dies of UUIDs and does not say what it is dies once, which is logged, and the strap is recorded")
  func unrecognized() async throws {
    let recording = try Recording(speed: 12)
    try recording.allow(strap)
    let values = (0..<30).map { #"{"t": \#($0), "bpm": 60, "rr_ms": [1000]}"# }.joined(separator: ", ")
    let simulator = try recording.simulator(
      #"{"bluez": "5.82", "dies_of_uuids": true, "address": "\#(strap)", "timeline": [\#(values)]}"#)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "the last value") { try recording.count("end", of: strap) == 1 }
    try await recording.arrive()
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let lines = recorder.text.split(separator: "\n").filter { $0.contains("bluetoothd died") }
    #expect(lines.count == 1, "\(recorder.text)")
    #expect(lines.first?.hasSuffix("update BlueZ, then restart sensord") == true, "\(lines)")
    #expect(try recording.calls().count { $0 == Self.filtered } == 1)
    #expect(try recording.sessions(of: strap).count == 1)
    #expect(try recording.delivered(by: strap).count >= 28)
  }
}
