import Foundation
import TestSupport
import Testing

/// The daemon as a process on a private dbus-daemon, with simulated straps.
@Suite("Recording")
struct RecordingTests {
  /// A strap that sends one beat a second from one second to another; `extra` items are added as they are.
  private func strap(_ address: String, seconds: ClosedRange<Int>, extra: String = "") -> String {
    let values = seconds.map { second in
      #"{"t": \#(second), "bpm": \#(60 + second % 7), "rr_ms": [\#(1000 + second % 5)], "contact": true}"#
    }
    return #"{"name": "Strap", "address": "\#(address)", "timeline": [\#(values.joined(separator: ", "))\#(extra)]}"#
  }

  private func check(_ recording: Recording, _ address: String, gaps: Int) throws {
    let sessions = try recording.sessions(of: address)
    try #require(sessions.count == 1, "one session for \(address)")
    let sent = try recording.sent(by: address).map(SentValue.init)
    let rates = try recording.stored(sessions[0], format: "rates").map { Array($0[1...3]) }
    let beats = try recording.stored(sessions[0], format: "beats").map { $0[3] }
    #expect(rates == sent.map(\.rate))
    #expect(beats == sent.flatMap(\.ticks))
    let heartbeats = try #require(sessions[0]["heartbeats"] as? [String: Any])
    #expect(heartbeats["gaps"] as? Int == gaps)
    #expect(sessions[0]["endReason"] as? String == "shutdown")
  }

  @Test("two straps at once are two sessions; a link loss is one gap; equal payloads are all kept; SIGTERM commits")
  func twoStraps() async throws {
    let steady = "C0:FF:EE:00:00:01"
    let losing = "C0:FF:EE:00:00:02"
    let recording = try Recording(speed: 6)
    try recording.allow(steady, losing)
    let loss = """
      , {"t": 5.2, "bpm": 66, "rr_ms": [900], "contact": true}, {"t": 5.4, "bpm": 66, "rr_ms": [900], "contact": true},
      {"t": 6, "event": "disconnect"}, {"t": 26, "event": "advertise"}
      """
    let after = (28...31).map { #", {"t": \#($0), "bpm": 70, "rr_ms": [1000], "contact": true}"# }.joined()
    let scenario =
      #"{"straps": [\#(strap(steady, seconds: 0...31)), \#(strap(losing, seconds: 0...5, extra: loss + after))]}"#
    let simulator = try recording.simulator(scenario)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "the straps to end") {
      try recording.count("end", of: steady) == 1 && recording.count("end", of: losing) == 1
    }
    try await recording.arrive()
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    try check(recording, steady, gaps: 0)
    try check(recording, losing, gaps: 1)
    let sent = try recording.sent(by: losing)
    #expect(sent.count == 12)
    #expect(zip(sent, sent.dropFirst()).contains { $0 == $1 }, "two equal payloads in a row were sent")
  }

  @Test("after SIGKILL the same session goes on, with everything that had arrived")
  func killed() async throws {
    let address = "C0:FF:EE:00:00:03"
    let recording = try Recording()
    try recording.allow(address)
    let simulator = try recording.simulator(strap(address, seconds: 0...14))
    try await simulator.printed("ready")
    let first = try recording.recorder()
    // Seen in the journal, and the next one is most of a second away: nothing is on its way when the recorder dies.
    try await wait(for: "five values in the open session") { try recording.received(from: address) >= 5 }
    let open = try #require(try recording.sessions(of: address).first)
    #expect(open["endReason"] is NSNull)
    try await first.kill()
    let second = try recording.recorder()
    try await wait(for: "the strap to end") { try recording.count("end", of: address) == 1 }
    #expect(try await second.terminate() == 0, "\(second.text)")

    let session = try #require(try recording.sessions(of: address).first)
    #expect(try recording.sessions(of: address).count == 1)
    #expect(session["id"] as? String == open["id"] as? String)
    let sent = try recording.sent(by: address).map(SentValue.init)
    let rates = try recording.stored(session, format: "rates").map { Array($0[1...3]) }
    #expect(rates.count > 6, "some came after the second start")
    // What was sent while nobody listened reached nobody; everything else is there, in order.
    #expect(rates.count == sent.count - (try recording.count("swallowed", of: address)))
    var position = 0
    for value in sent where position < rates.count && value.rate == rates[position] { position += 1 }
    #expect(position == rates.count)
    let heartbeats = try #require(session["heartbeats"] as? [String: Any])
    #expect(heartbeats["gaps"] as? Int == 1)
    // The link that the killed one made outlived it, and ended with its successor.
    #expect(try recording.count("connected", of: address) == 1)
    try await recording.link(of: address, is: false)
  }

  @Test("a session that SIGKILL left open is stored at the next start where its sensor was removed meanwhile")
  func removedMeanwhile() async throws {
    let address = "C0:FF:EE:00:00:08"
    let recording = try Recording()
    try recording.allow(address)
    let simulator = try recording.simulator(strap(address, seconds: 0...60))
    try await simulator.printed("ready")
    let first = try recording.recorder()
    try await wait(for: "three values") { try recording.received(from: address) >= 3 }
    try await first.kill()
    let removal = try Program.run("sensord", ["devices", "remove", address, "--store", recording.store])
    #expect(removal.status == 0, "\(removal.errors)")
    let second = try recording.recorder()
    try await wait(for: "the commit") {
      try recording.sessions(of: address).first?["endReason"] as? String == "recovered"
    }
    #expect(try await second.terminate() == 0, "\(second.text)")
    let session = try #require(try recording.sessions(of: address).first)
    let rates = try recording.stored(session, format: "rates").map { Array($0[1...3]) }
    #expect(rates.count >= 3)
    #expect(rates == Array(try recording.sent(by: address).map { try SentValue(hex: $0).rate }.prefix(rates.count)))
  }

  @Test("a second recorder on the same store is refused with 75 and changes nothing")
  func secondRecorder() async throws {
    let recording = try Recording()
    try recording.allow("C0:FF:EE:00:00:04")
    let first = try recording.recorder()
    try await wait(for: "the first recorder") { first.text.contains("started") }
    let second = try recording.recorder()
    #expect(try await second.exitStatus() == 75, "\(second.text)")
    #expect(try await first.terminate() == 0)
  }

  @Test("a sensor added beside a running recorder is recorded, and one removed is recorded no more")
  func listChanges() async throws {
    let first = "C0:FF:EE:00:00:06"
    let second = "C0:FF:EE:00:00:07"
    let recording = try Recording()
    try recording.allow(first)
    let scenario = #"{"straps": [\#(strap(first, seconds: 0...60)), \#(strap(second, seconds: 0...60))]}"#
    let simulator = try recording.simulator(scenario)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "the first strap") { try recording.sent(by: first).count >= 2 }
    #expect(try recording.sent(by: second).isEmpty)
    try recording.allow(second)
    try await wait(for: "the second strap") { try recording.sent(by: second).count >= 2 }
    let removal = try Program.run("sensord", ["devices", "remove", first, "--store", recording.store])
    #expect(removal.status == 0, "\(removal.errors)")
    try await wait(for: "the end of the first session") {
      try recording.sessions(of: first).first?["endReason"] as? String == "request"
    }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try recording.sessions(of: second).count == 1)
  }

  @Test("without a bus the recorder waits and says so; when the bus comes it records; when it goes it goes on")
  func busComesAndGoes() async throws {
    let address = "C0:FF:EE:00:00:05"
    let recording = try Recording()
    try recording.allow(address)
    recording.bus.kill()
    let recorder = try recording.recorder()
    try await wait(for: "the warning") { recorder.text.contains("no message bus") }
    try recording.bus.start()
    let first = try recording.simulator(strap(address, seconds: 0...60))
    try await wait(for: "three values") { try recording.received(from: address) >= 3 }
    let before = try recording.received(from: address)
    recording.bus.kill()
    #expect(try await first.exitStatus() == 69)
    try recording.bus.start()
    let second = try recording.simulator(strap(address, seconds: 0...60))
    try await second.printed("ready")
    try await wait(for: "three more values") { try recording.received(from: address) >= before + 3 }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let session = try #require(try recording.sessions(of: address).first)
    #expect(try recording.sessions(of: address).count == 1)
    let heartbeats = try #require(session["heartbeats"] as? [String: Any])
    #expect(heartbeats["gaps"] as? Int == 1)
    #expect(try recording.stored(session, format: "rates").count >= before + 3)
  }
}
