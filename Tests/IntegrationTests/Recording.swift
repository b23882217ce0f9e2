import Foundation
import TestSupport

/// A store in a folder of its own, a private bus, and what is needed to record simulated straps on it.
final class Recording {
  let folder: URL
  let bus: PrivateBus
  var store: String { folder.appendingPathComponent("store/sensord.sqlite").path }
  private var log: String { folder.appendingPathComponent("strap.log").path }
  /// What makes time pass faster for the bus, the simulator and the recorder; nothing where it does not.
  private let clock: SharedClock?

  /// A recording in the machine's own time; or, with `speed`, in one in which as many seconds at most pass in one, and none
  /// while one of its programs is kept from running.
  init(speed: Int? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("time").path
    clock = try speed.map { try SharedClock(file, speed: $0) }
    bus = try PrivateBus(
      environment: clock.map { clock in ProcessInfo.processInfo.environment.merging(clock.environment) { $1 } })
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func allow(_ addresses: String...) throws {
    for address in addresses {
      let result = try Program.run("sensord", ["devices", "add", address, "--store", store])
      guard result.status == 0 else { throw Program.Failure(description: result.errors) }
    }
  }

  /// Plays a scenario (JSON, see the simulator's help) on the private bus.
  func simulator(_ scenario: String, holdingAfter seconds: Int? = nil) throws -> Program {
    let file = folder.appendingPathComponent("scenario.json")
    try scenario.write(to: file, atomically: true, encoding: .utf8)
    return try simulator(file: file, holdingAfter: seconds)
  }

  /// The same from a file; where it is told so, time stops so many seconds after the start until the recorder is there.
  func simulator(file: URL, holdingAfter seconds: Int? = nil) throws -> Program {
    try Program(
      "sensord-simulator", ["--bus", bus.address, "--scenario", file.path, "--log", log],
      environment: clock?.holding(after: seconds) ?? [:])
  }

  /// Whether its programs share a time of their own.
  var isShared: Bool { clock != nil }

  /// What a program needs to live in its time.
  var clockEnvironment: [String: String] { clock?.environment ?? [:] }

  /// What is preloaded into the recorder.
  var libraries: [String] { clock.map { [$0.library] } ?? [] }

  /// The recorder's own environment: its configuration, runtime folder and home are the test's.
  private var environment: [String: String] {
    [
      "RUNTIME_DIRECTORY": folder.appendingPathComponent("run").path, "HOME": folder.path,
      "XDG_CONFIG_HOME": folder.path, "NOTIFY_SOCKET": "",
    ]
  }

  /// Starts the recorder, with `changed` in its environment.
  func recorder(_ arguments: String..., changed: [String: String] = [:]) throws -> Program {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("run"), withIntermediateDirectories: true)
    return try Program(
      "sensord", ["run", "--store", store, "--bus", bus.address] + arguments,
      environment: environment.merging(clock?.releasing ?? [:]) { $1 }.merging(changed) { $1 })
  }

  /// Starts the recorder with this text as its configuration.
  func recorder(configuration: String) throws -> Program {
    let file = folder.appendingPathComponent("sensord.conf")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    return try recorder("--config", file.path)
  }

  /// Starts the recorder with its door open to other programs, on the same bus.
  func openRecorder() async throws -> Program {
    let file = folder.appendingPathComponent("clients.conf")
    try "[clients]\nbus = session\n".write(to: file, atomically: true, encoding: .utf8)
    let recorder = try recorder("--config", file.path, changed: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    try await recorder.printed("open to other programs as org.sensord")
    return recorder
  }

  /// What a person's programs have in their environment: the bus, and folders of the test's own.
  var personEnvironment: [String: String] {
    [
      "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": folder.path, "XDG_STATE_HOME": folder.path,
      "XDG_RUNTIME_DIR": folder.path,
    ]
  }

  /// The addresses that `sensord devices` lists.
  func listed() throws -> [String] {
    let result = try Program.run("sensord", ["devices", "list", "--store", store, "--json"])
    let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]] ?? []
    return list.compactMap { $0["address"] as? String }
  }

  /// Runs a command that uses the private bus and this store, with what is typed into it.
  func command(_ arguments: String..., input: String = "") throws -> (status: Int32, output: String, errors: String) {
    try Program.run(
      "sensord", arguments + ["--bus", bus.address], input: input, environment: clockEnvironment)
  }

  /// What `sensord status` prints for a person.
  func statusText() throws -> String {
    try Program.run("sensord", ["status"], environment: environment).output
  }

  /// What `sensord status --json` prints.
  func status() throws -> [String: Any] {
    let result = try Program.run("sensord", ["status", "--json"], environment: environment)
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
  }

  /// Stops time, and returns when everything that was on its way has arrived; for a recording with a speed.
  func freeze() async throws {
    try clock?.stop()
    try await arrive()
  }

  /// Returns when everything that is on its way has arrived; for a recording with a speed.
  func arrive() async throws {
    guard let clock else { throw Program.Failure(description: "only a shared clock tells what is on its way") }
    let begun = try clock.steps()
    // From simulator to recorder, and back, by way of the bus: each of them has had nothing to do ten times since.
    try await wait(for: "all that is on its way") { try clock.steps() > begun + 10 }
  }

  /// Waits until the strap has a link, or has none.
  func link(of strap: String, is up: Bool) async throws {
    try await wait(for: up ? "a link" : "the end of the link") { try self.hasLink(strap) == up }
  }

  /// Lets so many seconds pass, and stops time again.
  func pass(_ seconds: Int64) async throws {
    try clock?.goOn(for: seconds)
    try await wait(for: "\(seconds) seconds") { try self.clock?.isStopped() ?? true }
    try await arrive()
  }

  /// Stops a program while so many seconds pass for the others, and lets it run again.
  func stop(_ program: Program, for seconds: Int64) async throws {
    try await freeze()
    try clock?.excuse(program.identifier)
    program.send(SIGSTOP)
    try await wait(for: "a stopped program") { try program.isStopped() }
    try clock?.goOn(for: seconds)
    try await wait(for: "\(seconds) seconds") { try self.clock?.isStopped() ?? true }
    program.send(SIGCONT)
    try clock?.excuse(nil)
    try await arrive()
    try thaw()
  }

  /// Lets time go on.
  func thaw() throws {
    try clock?.goOn()
  }

  /// How many values of the strap are in the journal or stored.
  func received(from strap: String) throws -> Int {
    try sessions(of: strap).reduce(0) { $0 + (($1["heartRate"] as? [String: Any])?["count"] as? Int ?? 0) }
  }

  /// What one strap really sent while somebody was subscribed, as hexadecimal text, in order.
  func sent(by strap: String) throws -> [String] {
    try logLines().compactMap { line in
      line["ev"] as? String == "notify" && line["strap"] as? String == strap ? line["hex"] as? String : nil
    }
  }

  /// What was sent and handed out, without what bluetoothd swallowed.
  func delivered(by strap: String) throws -> [String] {
    let lines = try logLines().filter { $0["strap"] as? String == strap }
    var swallowed = lines.filter { $0["ev"] as? String == "swallowed" }.map(Self.value)
    return lines.filter { $0["ev"] as? String == "notify" }.map(Self.value).compactMap { value in
      guard let index = swallowed.firstIndex(of: value) else { return value[1] }
      swallowed.remove(at: index)
      return nil
    }
  }

  /// Why bluetoothd handed a value, in hexadecimal digits, to nobody: for a recording whose values are all different.
  func swallowed() throws -> [String: String] {
    let lines = try logLines().filter { $0["ev"] as? String == "swallowed" }
    return Dictionary(lines.map { ($0["hex"] as? String ?? "", $0["why"] as? String ?? "") }) { first, _ in first }
  }

  /// A value's place in its timeline, where it has one, and its bytes.
  private static func value(_ line: [String: Any]) -> [String] {
    [(line["n"] as? Int).map { "\($0)" } ?? "", line["hex"] as? String ?? ""]
  }

  /// How many losses of the link lie between two values.
  func losses(of strap: String) throws -> Int {
    var count = 0
    var isLost = false
    var hasBegun = false
    for line in try logLines() where line["strap"] as? String == strap {
      switch line["ev"] as? String {
      case "disconnected": isLost = hasBegun
      case "notify":
        if isLost { count += 1 }
        isLost = false
        hasBegun = true
      default: break
      }
    }
    return count
  }

  /// Whether the strap has a link now.
  private func hasLink(_ strap: String) throws -> Bool {
    let last = try logLines().last {
      $0["strap"] as? String == strap && ["connected", "disconnected"].contains($0["ev"] as? String ?? "")
    }
    return last?["ev"] as? String == "connected"
  }

  /// When the strap has sent its last value, in seconds of its timeline.
  func lastSent(by strap: String) throws -> Double {
    let sent = try logLines().last { $0["ev"] as? String == "notify" && $0["strap"] as? String == strap }
    return sent?["t"] as? Double ?? 0
  }

  /// How often an event stands in the simulator's log so far.
  func count(_ event: String, of strap: String? = nil) throws -> Int {
    try logLines().count { $0["ev"] as? String == event && (strap == nil || $0["strap"] as? String == strap) }
  }

  /// The calls that reached bluetoothd, in order: each with the services that it names.
  func calls() throws -> [String] {
    try logLines().filter { $0["ev"] as? String == "call" }.map { line in
      [line["member"] as? String ?? "", line["uuids"] as? String ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private func logLines() throws -> [[String: Any]] {
    guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// `sensord sessions --json`.
  func sessions() throws -> [[String: Any]] {
    let result = try Program.run("sensord", ["sessions", "--store", store, "--json"])
    guard result.status == 0,
      let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
    else { throw Program.Failure(description: "sessions --json: \(result.output)\(result.errors)") }
    return list
  }

  /// The stored sessions of one strap.
  func sessions(of strap: String) throws -> [[String: Any]] {
    try sessions().filter { ($0["device"] as? [String: Any])?["address"] as? String == strap }
  }

  /// The records of the capture that was kept of a session: their words, without slot and checksum.
  func records(_ session: [String: Any]) throws -> [[String]] {
    let file = folder.appendingPathComponent("store/sensord.captures/\(session["id"] as? String ?? "").capture")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map {
      $0.split(separator: " ").dropFirst().dropLast().map(String.init)
    }
  }

  /// The payloads in the capture that was kept of a session.
  func captured(_ session: [String: Any]) throws -> [String] {
    let file = folder.appendingPathComponent("store/sensord.captures/\(session["id"] as? String ?? "").capture")
    var payloads: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 3, words[2] == "m" else { continue }
      payloads.append(words[3] == "-" ? "" : String(words[3]))
    }
    return payloads
  }

  /// A session's gaps, from one instant to another.
  struct Gap: Equatable {
    var reason: String
    var detail: String?
    var start: String
    var end: String
    var estimatedLostBeats: Double
  }

  /// What `show` says of a session's gaps; in another store where one is named.
  func gaps(of session: [String: Any], in store: String? = nil) throws -> [Gap] {
    let id = session["id"] as? String ?? ""
    let result = try Program.run("sensord", ["show", id, "--json", "--store", store ?? self.store])
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    guard let gaps = (json?["quality"] as? [String: Any])?["gaps"] as? [[String: Any]],
      json?["gaps"] as? Int == gaps.count
    else { throw Program.Failure(description: "show: \(result.output)\(result.errors)") }
    return gaps.map { gap in
      Gap(
        reason: gap["reason"] as? String ?? "", detail: gap["detail"] as? String, start: gap["start"] as? String ?? "",
        end: gap["end"] as? String ?? "", estimatedLostBeats: gap["estimatedLostBeats"] as? Double ?? -1)
    }
  }

  /// The same of the capture that was kept of it, replayed into a store of its own.
  func replayedGaps(of session: [String: Any]) throws -> [Gap] {
    let id = session["id"] as? String ?? ""
    let capture = folder.appendingPathComponent("store/sensord.captures/\(id).capture").path
    let other = folder.appendingPathComponent("replayed.sqlite").path
    let replay = try Program.run("sensord", ["replay", capture, "--store", other])
    guard replay.status == 0 else { throw Program.Failure(description: replay.errors) }
    return try gaps(of: session, in: other)
  }

  /// The gaps of a session without beats as the exported rates show them: from the last one on the skin to one that a gap
  /// precedes.
  func exportedGaps(of session: [String: Any]) throws -> [[String]] {
    var last = ""
    var gaps: [[String]] = []
    for row in try stored(session, format: "rates") where row[2] != "notDetected" {
      if row[4] == "1" { gaps.append([last, row[0]]) }
      last = row[0]
    }
    return gaps
  }

  /// What the status says of a strap.
  func status(of strap: String) throws -> [String: Any] {
    let sensors = try status()["sensors"] as? [[String: Any]] ?? []
    return sensors.first { $0["address"] as? String == strap } ?? [:]
  }

  /// The files of the recorder that name a device, in whatever form.
  func traces(of strap: String) throws -> [String] {
    let pairs = strap.split(separator: ":").map { UInt8($0, radix: 16) ?? 0 }
    let texts: [String] = [":", "_", ""].map { strap.split(separator: ":").joined(separator: $0) }
    let inText: [Data] = (texts + texts.map { $0.lowercased() }).map { Data($0.utf8) }
    let forms: [Data] = inText + [Data(pairs), Data(pairs.reversed())]
    let own = folder.appendingPathComponent("store")
    return try FileManager.default.subpathsOfDirectory(atPath: own.path).filter { name in
      guard let bytes = try? Data(contentsOf: own.appendingPathComponent(name)) else { return false }
      return forms.contains { bytes.range(of: $0) != nil }
    }
  }

  /// What is stored of a session, put back into the form of payloads: rate, contact and energy, then its RR intervals.
  func stored(_ session: [String: Any], format: String) throws -> [[String]] {
    let id = session["id"] as? String ?? ""
    let result = try Program.run("sensord", ["export", id, "--format", format, "--store", store])
    // A session of rates alone has no table of beats.
    if result.status == 65, result.output.isEmpty, result.errors.contains("has no \(format)") { return [] }
    guard result.status == 0 else { throw Program.Failure(description: result.errors) }
    return result.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }
}
