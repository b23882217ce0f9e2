import Foundation
import HealthModel
import SeriesStore
import TestSupport

/// A recorder without a bus, on virtual clocks, that a script drives (Tests/RecorderDriver), under the preloaded library.
final class DrivenRecorder {
  private let folder: URL
  /// The folder that is watched.
  var root: String { folder.appendingPathComponent("root").path }
  var store: String { root + "/sensord.sqlite" }
  private var log: URL { folder.appendingPathComponent("log") }

  /// The wall clock at the start of every life, in microseconds.
  static let wall: Int64 = 1_790_000_000_000_000

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("driven-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Puts the sensors on the list.
  func allow(_ addresses: [String]) async throws {
    let store = try HealthStore.open(store, for: .writing)
    for address in addresses {
      try await store.allow(AllowedSensor(address: address, name: nil, added: Timestamp(microseconds: 0)))
    }
    await store.close()
  }

  /// Runs one life to its end.
  ///
  /// - Parameters:
  ///   - script: What happens (Tests/RecorderDriver/Step.swift).
  ///   - boot: Names the boot of the machine.
  ///   - now: The boot clock at the start, in microseconds; beyond the machine's own, so that no timer of it fires.
  ///   - faults: What befalls its calls (Tests/PowerCut/include/PowerCut.h).
  ///   - isSwitched: Whether that happens only between the steps `fill 1` and `fill 0`.
  ///   - syncsAreOff: Whether syncs do nothing.
  /// - Returns: Its exit status, how many steps were begun, and what it logged.
  /// - Throws: Where it could not be started.
  func live(
    _ script: [String], boot: Int, now: Int64, faults: String? = nil, isSwitched: Bool = false,
    syncsAreOff: Bool = false
  ) throws -> (status: Int32, steps: Int, errors: String) {
    let file = folder.appendingPathComponent("script")
    let full = folder.appendingPathComponent("full").path
    try script.joined(separator: "\n").write(to: file, atomically: false, encoding: .utf8)
    var environment = ProcessInfo.processInfo.environment
    environment["LD_PRELOAD"] = JournalPowerCutTests.buildFolder.appendingPathComponent("libPowerCut.so").path
    environment["POWERCUT_ROOT"] = root
    environment["POWERCUT_LOG"] = log.path
    environment["POWERCUT_FAULTS"] = faults
    environment["POWERCUT_SWITCH"] = isSwitched ? full : nil
    environment["POWERCUT_SYNC"] = syncsAreOff ? "off" : "free"
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let (output, errors) = (try OutputFile(), try OutputFile())
    let process = try StartedProgram(
      JournalPowerCutTests.buildFolder.appendingPathComponent("RecorderDriver").path,
      [store, file.path, full, "\(boot)", "\(now)", "\(Self.wall)"], environment: environment,
      output: output.descriptor, errors: errors.descriptor)
    let status = process.wait()
    try? FileManager.default.removeItem(atPath: full)
    return (status, output.text.utf8.count, errors.text)
  }

  /// The calls since this was asked last.
  func takeOperations() throws -> [DiskOperation] {
    defer { try? FileManager.default.removeItem(at: log) }
    return DiskOperation.read([UInt8](try Data(contentsOf: log)))
  }

  /// The stored workouts, oldest first.
  func workouts() async throws -> [Workout] {
    try await WorkoutQuery().result(for: try HealthStore.open(store, for: .reading)).value
  }

  /// The stored sessions, oldest first, and the rates of each.
  func sessions() async throws -> [(summary: SessionSummary, rates: [HeartRateValue])] {
    let opened = try HealthStore.open(store, for: .reading)
    var sessions: [(SessionSummary, [HeartRateValue])] = []
    for summary in try await opened.sessions() { sessions.append((summary, try await opened.rates(of: summary.id))) }
    return sessions
  }
}
