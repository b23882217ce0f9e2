import Foundation
import Support
import Testing

@testable import Simulator

/// What the lab plays against the real bluetoothd, played by the simulator: the same files, the recorder as a process on a
/// private dbus-daemon, and time that passes faster.
@Suite("The lab's scenarios, simulated")
struct ScenarioTests {
  /// What only the lab can do, and where the same is tested here.
  private static let elsewhere: [String: String] = [
    "bus": "RecordingTests: a bus that comes and goes",
    "capture": "MonitorCaptureTests; there is no radio below the simulator",
    "clients": "DoorTests, PolicyTests: who may what on the bus; here with users of their own",
    "game": "ExampleTests: the same game against the simulator",
    "disk_full": "FaultTests, JournalBacklogTests: what a disk refuses",
    "pair_private": "CentralTests, RecorderLinksTests: an address that changes",
    "replaced": "RecorderLinksTests, and what `devices replace` does in SuccessorTests",
    "pair": "PairingTests", "pair_passkey": "PairingTests", "pair_refused": "PairingTests",
    "recorder_kill": "RecordingTests: SIGKILL", "rates_recorder": "RateGapRecordingTests",
    "recorder_stop": "StoppedRecorderTests",
    "two_recorders": "ReconnectingTests, CentralTests: who goes first, and what is left at the end",
  ]

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: LabScenario.folder.path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
      .filter { elsewhere[$0] == nil }.sorted()
  }()

  private static let turnstile = Turnstile(12)

  @Test(
    "every value that was handed out is stored once, in order, byte for byte; as many gaps as losses", arguments: names)
  func recorded(_ name: String) async throws {
    let scenario = try LabScenario(name)
    try await play(scenario, speed: 12)
  }

  @Test("an hour is 3600 of 3600")
  func hour() async throws {
    let values = (0..<3600).map { #"{"t": \#($0), "bpm": \#(60 + $0 % 40), "rr_ms": [\#(950 + $0 % 101)]}"# }
    let recording = try await play(timeline: values, expecting: #"{"gaps": null}"#, speed: 300)
    #expect(try recording.sent(by: Self.strap).count == 3600)
  }

  @Test("18000 values in a minute are all stored")
  func flood() async throws {
    let values = (0..<18_000).map {
      #"{"t": \#(Double($0) / 300), "bpm": \#(60 + $0 % 100), "energy": \#($0)}"#
    }
    let recording = try await play(timeline: values, expecting: #"{"gaps": 0}"#, speed: 6)
    #expect(try recording.sent(by: Self.strap).count == 18_000)
  }

  @Test("ten minutes of losses, one every 20 to 90 s: a gap for each")
  func losses() async throws {
    var random = SplitMix64(seed: 20)
    var items = (0..<600).map { (Double($0), #""bpm": \#(60 + $0 % 40), "rr_ms": [\#(960 + $0 % 80)]"#) }
    var time = 0.0
    while true {
      time += Double.random(in: 20...90, using: &random)
      guard time < 540 else { break }
      items.append((time, #""event": "\#(["disconnect", "vanish"].randomElement(using: &random) ?? "")""#))
      time += Double.random(in: 1...45, using: &random)
      items.append((time, #""event": "advertise""#))
    }
    let timeline = items.sorted { $0.0 < $1.0 }.map { #"{"t": \#($0.0), \#($0.1)}"# }
    try await play(timeline: timeline, expecting: #"{"gaps": "losses"}"#, speed: 40)
  }

  @Test("a discovery that BlueZ ends by itself is begun anew: a strap that comes back later is recorded")
  func haltedDiscovery() async throws {
    let values = (0..<140).map { (Double($0), #""bpm": \#(60 + $0 % 40), "rr_ms": [\#(960 + $0 % 80)]"#) }
    let events = [
      // The device object expires, so that nothing but discovery finds the strap again.
      (10.5, #""event": "vanish""#), (95, #""event": "halt""#), (100, #""event": "advertise""#),
    ]
    let timeline = (values + events).sorted { $0.0 < $1.0 }.map { #"{"t": \#($0.0), \#($0.1)}"# }
    let recording = try await play(timeline: timeline, expecting: #"{"gaps": 1}"#, speed: 12)
    #expect(try recording.sent(by: Self.strap).count > 40)
  }

  private static let strap = "C0:FF:EE:00:00:01"

  @discardableResult
  private func play(timeline: [String], expecting expectation: String, speed: Int) async throws -> Recording {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("scenario-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let json =
      #"{"address": "\#(Self.strap)", "expect": \#(expectation), "timeline": [\#(timeline.joined(separator: ",\n"))]}"#
    try Data(json.utf8).write(to: file)
    return try await play(try LabScenario(contentsOf: file), speed: speed)
  }

  @discardableResult
  private func play(_ scenario: LabScenario, speed: Int) async throws -> Recording {
    await Self.turnstile.enter()
    do {
      let recording = try Recording(speed: speed)
      try await run(scenario, recording)
      for strap in scenario.straps { try check(scenario, strap, recording) }
      await Self.turnstile.leave()
      return recording
    } catch {
      await Self.turnstile.leave()
      throw error
    }
  }

  private func run(_ scenario: LabScenario, _ recording: Recording) async throws {
    for strap in scenario.allowed { try recording.allow(strap) }
    let simulator = try recording.simulator(file: scenario.file, holdingAfter: scenario.recorderStart)
    try await simulator.printed("ready")
    try await wait(for: "the other program") { try recording.count("done") >= scenario.callsBefore }
    let recorder = try recording.recorder()
    try await recorder.printed("started")
    try await wait(for: "the straps to end") {
      try scenario.straps.allSatisfy { try recording.count("end", of: $0) == 1 || !scenario.allowed.contains($0) }
    }
    try await recording.arrive()
    var live: [String: Int] = [:]
    for strap in scenario.allowed where scenario.reasons(of: strap, count: 0) != nil {
      try await wait(for: "the status of all values") {
        let status = try recording.status(of: strap)
        live[strap] = status["gaps"] as? Int
        return try status["notifications"] as? Int == recording.delivered(by: strap).count
      }
    }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    for (strap, gaps) in live { #expect(try gaps == recording.sessions(of: strap).first?["gaps"] as? Int) }
    for strap in scenario.allowed { try await recording.link(of: strap, is: scenario.leavesLink(of: strap)) }
    #expect(simulator.isRunning, "\(simulator.text)")
  }

  private func check(_ scenario: LabScenario, _ strap: String, _ recording: Recording) throws {
    let sessions = try recording.sessions(of: strap)
    #expect(sessions.count == scenario.sessions(of: strap), "sessions of \(strap)")
    guard scenario.allowed.contains(strap) else {
      #expect(try recording.traces(of: strap) == [])
      #expect(try recording.count("connected", of: strap) == 0)
      return
    }
    let delivered = try recording.delivered(by: strap)
    #expect(try sessions.flatMap(recording.captured) == delivered)
    #expect(delivered.count >= scenario.leastValues(of: strap))
    let values = delivered.compactMap { try? SentValue(hex: $0) }
    let rates = try sessions.flatMap { try recording.stored($0, format: "rates") }.map { Array($0[1...3]) }
    #expect(rates == values.map(\.rate).filter { $0[0] != "0" })
    let beats = try sessions.flatMap { try recording.stored($0, format: "beats") }.map { $0[3] }
    #expect(beats == values.flatMap(\.ticks))
    let gaps = sessions.reduce(0) { $0 + ($1["gaps"] as? Int ?? 0) }
    try checkGaps(scenario, strap, sessions, recording)
    switch scenario.gaps(of: strap) {
    case .any: break
    case .oneOf(let right): #expect(right.contains(gaps), "gaps: \(gaps), should be \(right)")
    case .losses: #expect(try gaps == recording.losses(of: strap))
    }
  }

  /// A replay of the kept capture has the same gaps, to the instant; those of a strap without intervals lie between its rates.
  private func checkGaps(
    _ scenario: LabScenario, _ strap: String, _ sessions: [[String: Any]], _ recording: Recording
  ) throws {
    var reasons: [String] = []
    for session in sessions {
      let gaps = try recording.gaps(of: session)
      #expect(try gaps == recording.replayedGaps(of: session))
      reasons += gaps.map(\.reason)
      guard (session["heartbeats"] as? [String: Any])?["count"] as? Int == 0 else { continue }
      #expect(try recording.exportedGaps(of: session) == gaps.map { [$0.start, $0.end] })
    }
    if let right = scenario.reasons(of: strap, count: reasons.count) { #expect(reasons == right) }
  }
}
