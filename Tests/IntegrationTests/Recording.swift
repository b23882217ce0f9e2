import Foundation
import TestSupport

/// A store in a folder of its own, a private bus, and what is needed to record simulated straps on it.
final class Recording {
  let folder: URL
  let bus: PrivateBus
  var store: String { folder.appendingPathComponent("store/sensord.sqlite").path }
  private var log: String { folder.appendingPathComponent("strap.log").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    bus = try PrivateBus()
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
  func simulator(_ scenario: String) throws -> Program {
    let file = folder.appendingPathComponent("scenario.json")
    try scenario.write(to: file, atomically: true, encoding: .utf8)
    return try Program("sensord-simulator", ["--bus", bus.address, "--scenario", file.path, "--log", log])
  }

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
      environment: environment.merging(changed) { $1 })
  }

  /// The addresses that `sensord devices` lists.
  func listed() throws -> [String] {
    let result = try Program.run("sensord", ["devices", "list", "--store", store, "--json"])
    let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]] ?? []
    return list.compactMap { $0["address"] as? String }
  }

  /// What `sensord status --json` prints.
  func status() throws -> [String: Any] {
    let result = try Program.run("sensord", ["status", "--json"], environment: environment)
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
  }

  /// What one strap really sent while somebody was subscribed, as hexadecimal text, in order.
  func sent(by strap: String) throws -> [String] {
    try logLines().compactMap { line in
      line["ev"] as? String == "notify" && line["strap"] as? String == strap ? line["hex"] as? String : nil
    }
  }

  /// How often an event stands in the simulator's log so far.
  func count(_ event: String, of strap: String) throws -> Int {
    try logLines().count { $0["ev"] as? String == event && $0["strap"] as? String == strap }
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

  /// What is stored of a session, put back into the form of payloads: rate, contact and energy, then its RR intervals.
  func stored(_ session: [String: Any], format: String) throws -> [[String]] {
    let id = session["id"] as? String ?? ""
    let result = try Program.run("sensord", ["export", id, "--format", format, "--store", store])
    guard result.status == 0 else { throw Program.Failure(description: result.errors) }
    return result.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }
}
