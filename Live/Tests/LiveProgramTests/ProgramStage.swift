import Foundation
import Synchronization
import TestSupport

/// A bus, a recorder with a simulated strap, and a hub: the built programs.
final class ProgramStage {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let strap = "C0:FF:EE:00:00:71"
  /// This package's programs, and those of the recorder's: built in the same folder.
  private static let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let recorders = ProcessInfo.processInfo.environment["SENSORD_PROGRAMS"] ?? own.path

  let folder = TemporaryFolder()
  private let bus: PrivateBus
  private var recorderProgram: Running?
  private let port: Int

  var busAddress: String { bus.address }

  var control: String { "\(folder.path)/control" }
  private var store: String { "\(folder.path)/store.sqlite" }

  init(isAllowed: Bool = true) throws {
    bus = try PrivateBus()
    port = try FreePort.find()
    let read = isAllowed ? "allow-read = org.sensord.Live@\(getuid()):heartRate,heartbeatSeries\n" : ""
    try folder.write("sensord.conf", "[clients]\nbus = session\n\(read)")
    try folder.write("run/none", "")
    try sensord(["devices", "add", Self.strap, "--store", store])
  }

  var place: String { "127.0.0.1:\(port)" }

  private var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging([
      "DBUS_SESSION_BUS_ADDRESS": bus.address, "RUNTIME_DIRECTORY": "\(folder.path)/run", "HOME": folder.path,
      "XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
      "NOTIFY_SOCKET": "",
    ]) { $1 }
  }

  /// A program under test by its name, or one of the system's by its path.
  func path(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    return name == "sensord-live" ? Self.own.appendingPathComponent(name).path : "\(Self.recorders)/\(name)"
  }

  func start(_ name: String, _ arguments: [String]) throws -> Running {
    try Running(path(name), arguments, environment)
  }

  func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let process = try StartedProgram(
      path(name), arguments, environment: environment, output: output.descriptor, errors: errors.descriptor)
    return (process.wait(), output.text, errors.text)
  }

  func sensord(_ arguments: [String]) throws {
    let result = try run("sensord", arguments)
    guard result.status == 0 else { throw Failure(description: result.errors) }
  }

  /// What a command that reads the store prints.
  func output(_ name: String, _ arguments: [String]) throws -> String {
    let result = try run(name, arguments + ["--store", store])
    guard result.status == 0 else { throw Failure(description: result.errors) }
    return result.output
  }

  /// Puts a recorded session into the store; without a path one with a lost link.
  func replay(_ path: String? = nil) throws {
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Tests/CapturesTests/Fixtures/strap-lost-link.capture").path
    try sensord(["replay", path ?? fixture, "--store", store])
  }

  /// What a program with this token is answered: the status, and the content.
  func read(_ target: String, _ token: String) throws -> (status: Int, body: String) {
    let text = try run(
      "/usr/bin/curl",
      ["-s", "-w", "\n%{http_code}", "-H", "Authorization: Bearer \(token)", "http://\(place)\(target)"]
    ).output
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let status = lines.popLast().flatMap { Int($0) } ?? 0
    return (status, lines.joined(separator: "\n"))
  }

  /// Starts the recorder, and returns when it lets programs in.
  func recorder() async throws {
    let program = try start(
      "sensord", ["run", "--store", store, "--bus", bus.address, "--config", "\(folder.path)/sensord.conf"])
    recorderProgram = program
    try await program.printed("open to other programs as org.sensord")
  }

  func killRecorder() { recorderProgram = nil }

  func send(_ signal: Int32) { recorderProgram?.send(signal) }

  /// Its status; the sessions are stored then.
  func terminateRecorder() -> Int32? { recorderProgram?.terminate() }

  /// How many values the strap has sent to somebody who listened.
  func sent() -> Int {
    String(decoding: folder.bytes(of: "strap.log"), as: UTF8.self).split(separator: "\n")
      .count { $0.contains(#""ev":"notify""#) }
  }

  /// How many the recorder has received, as it says.
  func received() -> Int? {
    struct Status: Decodable {
      struct Sensor: Decodable { let notifications: Int? }
      let sensors: [Sensor]
    }
    return (try? JSONDecoder().decode(Status.self, from: Data(folder.bytes(of: "run/status.json"))))?.sensors.first?
      .notifications
  }

  /// A strap that measures, is off the skin for these seconds, and measures for minutes.
  func strap(offSkin: Range<Int> = 4..<7) throws -> Running {
    let items = (0..<600).map { number in
      #"{"t": \#(number), "bpm": \#(60 + number % 20), "rr_ms": [900], "contact": \#(!offSkin.contains(number))}"#
    }
    let scenario = try folder.write(
      "strap.json", #"{"name": "Strap", "address": "\#(Self.strap)", "timeline": [\#(items.joined(separator: ", "))]}"#)
    return try start(
      "sensord-simulator", ["--bus", bus.address, "--scenario", scenario, "--log", "\(folder.path)/strap.log"])
  }

  func hub(_ arguments: String...) throws -> Running {
    try start(
      "sensord-live",
      ["run", "--listen", place, "--state", "\(folder.path)/live", "--socket", control] + arguments)
  }

  /// A strap that does what the test says, when it is there.
  func handStrap() async throws -> HandStrap {
    let control = "\(folder.path)/strap"
    let scenario = try folder.write("hand.json", #"{"name": "Strap", "address": "\#(Self.strap)", "timeline": []}"#)
    let simulator = try start(
      "sensord-simulator",
      ["--bus", bus.address, "--scenario", scenario, "--control", control, "--log", "\(folder.path)/strap.log"])
    try await simulator.printed("ready")
    return HandStrap(simulator, control: control)
  }

  /// A program of others, or with such in it: Tests/Consumers.
  func foreign(_ name: String, _ arguments: String...) throws -> Running { try foreign(name, arguments) }

  func foreign(_ name: String, _ arguments: [String]) throws -> Running {
    let folders = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let python =
      ProcessInfo.processInfo.environment["SENSORD_CONSUMERS"]
      ?? folders.appendingPathComponent("../../../.build/consumers/bin/python").path
    return try start(python, [folders.appendingPathComponent("../Consumers/\(name)").path] + arguments)
  }

  /// Those that read every output.
  func consumers() throws -> Running {
    try foreign("consumers.py", place, "\(folder.path)/token", "\(folder.path)/rate")
  }

  var relayAddress: String { "unix:path=\(folder.path)/relay" }

  /// A way to the bus that can be cut.
  func relay() async throws -> Running {
    let relay = try foreign("relay.py", "\(folder.path)/relay", "\(bus.directory)/bus")
    try await relay.printed("ready")
    return relay
  }

  /// What a command of the hub prints, without the line's end.
  func ask(_ words: String...) throws -> String {
    let result = try run("sensord-live", words + ["--socket", control])
    guard result.status == 0 else { throw Failure(description: result.errors) }
    return result.output.trimmingCharacters(in: .newlines)
  }

  func curl(_ arguments: String...) throws -> Running { try start("/usr/bin/curl", ["-s"] + arguments) }

  /// Waits until everything that can be polled has a value, or nothing has.
  func shows(isValue: Bool, _ token: String) async throws {
    let hasFile = folder.names.contains("rate")
    try await wait(for: isValue ? "a value everywhere" : "no value anywhere") {
      let rate = try self.run("/usr/bin/curl", ["-s", "http://\(self.place)/hr?token=\(token)"]).output
      let page = try self.run("/usr/bin/curl", ["-s", "http://\(self.place)/metrics?token=\(token)"]).output
      let file = String(decoding: self.folder.bytes(of: "rate"), as: UTF8.self)
      return rate.isEmpty != isValue && page.contains("sensord_heart_rate_bpm ") == isValue
        && (!hasFile || (file == "-") != isValue)
    }
  }
}

/// A program under test that runs; killed when the object goes.
final class Running: Sendable {
  private let process: StartedProgram
  private let output: OutputFile

  init(_ path: String, _ arguments: [String], _ environment: [String: String]) throws {
    output = try OutputFile()
    process = try StartedProgram(
      path, arguments, environment: environment, output: output.descriptor, errors: output.descriptor)
  }

  deinit { end() }

  func end() {
    process.send(SIGKILL)
    process.wait()
  }

  var text: String { output.text }

  func send(_ signal: Int32) { process.send(signal) }

  var identifier: Int32 { process.identifier }

  /// Its status when it has ended by itself.
  func ended() async throws -> Int32 {
    while true {
      if let status = process.status { return status }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  func terminate() -> Int32 {
    process.send(SIGTERM)
    return process.wait()
  }

  /// Waits until it has printed this, behind the first time that it printed something else.
  func printed(_ text: String, after earlier: String? = nil) async throws {
    try await wait(for: text) {
      let all = self.output.text
      guard let earlier else { return all.contains(text) }
      guard let range = all.range(of: earlier) else { return false }
      return all[range.upperBound...].contains(text)
    }
  }
}

/// Waits for a condition that a process outside brings about; the limit stands for "never".
func wait(for what: String, until condition: () throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while try !condition() {
    guard ContinuousClock.now < end else { throw ProgramStage.Failure(description: "waited in vain for \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}
