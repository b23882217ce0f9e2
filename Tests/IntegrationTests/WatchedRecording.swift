import Foundation
import HealthModel
import SeriesStore
import TestSupport

/// A recording whose recorder runs under the preloaded library (Tests/PowerCut): its calls on files are known, and made to
/// fail on demand.
final class WatchedRecording {
  static let straps = ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"]

  let recording: Recording
  /// The folder whose files are watched: store, journal and captures.
  var root: String { recording.folder.appendingPathComponent("store").path }
  private var log: String { recording.folder.appendingPathComponent("calls").path }
  private var clock: String { recording.folder.appendingPathComponent("clock").path }
  /// While this file is missing no fault happens, where ``recorder(faults:isSwitched:changed:)`` was told so.
  private var switchPath: String { recording.folder.appendingPathComponent("switch").path }
  private let simulator: Program

  /// Straps that send a value every `milliseconds`, each with its number as its energy, for `seconds`; `speed` as
  /// ``Recording/init(speed:)`` has it.
  convenience init(every milliseconds: Int, seconds: Int, straps: Int = 2, speed: Int? = nil) async throws {
    let profiles = Self.straps.prefix(straps).enumerated().map { index, address in
      let values = (0..<min(65_000, seconds * 1000 / milliseconds)).map { number in
        #"{"t":\#(Double(number * milliseconds) / 1000),"bpm":\#(60 + index),"energy":\#(number + 1),"#
          + #""rr_ms":[\#(milliseconds)]}"#
      }
      return #"{"name":"Strap","address":"\#(address)","timeline":[\#(values.joined(separator: ","))]}"#
    }
    try await self.init(profiles, speed: speed)
  }

  /// One strap that sends 500 values a second, each with its number as its energy and so many bytes more that mean nothing.
  convenience init(flooding values: Int, trailing: Int) async throws {
    try await self.init(
      [
        #"{"name":"Strap","address":"\#(Self.straps[0])","#
          + #""flood":{"per_second":500,"values":\#(values),"trailing":\#(trailing)}}"#
      ], speed: nil)
  }

  private init(_ profiles: [String], speed: Int?) async throws {
    recording = try Recording(speed: speed)
    for strap in Self.straps.prefix(profiles.count) { try recording.allow(strap) }
    simulator = try recording.simulator(
      #"{"resolve":"usual","straps":[\#(profiles.joined(separator: ","))]}"#)
    try await simulator.printed("ready")
    try Data("[journal]\nsync-interval = 1s\n".utf8).write(to: recording.folder.appendingPathComponent("sensord.conf"))
    try setClock(0)
  }

  /// Starts the recorder under the library.
  ///
  /// - Parameters:
  ///   - faults: What befalls its calls (Tests/PowerCut/include/PowerCut.h).
  ///   - isSwitched: Whether faults happen only after ``fail(_:)``.
  ///   - changed: More for the library.
  /// - Returns: The running recorder.
  /// - Throws: Where it could not be started.
  func recorder(faults: String = "", isSwitched: Bool = false, changed: [String: String] = [:]) throws -> Program {
    let library = Program.folder.appendingPathComponent("libPowerCut.so").path
    var environment = [
      "LD_PRELOAD": ([library] + recording.libraries).joined(separator: " "), "POWERCUT_ROOT": root,
      "POWERCUT_LOG": log, "POWERCUT_FAULTS": faults, "POWERCUT_CLOCK": clock, "SWIFT_BACKTRACE": "enable=no",
    ]
    if isSwitched { environment["POWERCUT_SWITCH"] = switchPath }
    return try recording.recorder(
      "--config", recording.folder.appendingPathComponent("sensord.conf").path,
      changed: environment.merging(changed) { $1 })
  }

  /// Lets the faults happen, or ends them.
  func fail(_ on: Bool) throws {
    if on {
      try Data().write(to: URL(filePath: switchPath))
    } else {
      try FileManager.default.removeItem(atPath: switchPath)
    }
  }

  /// Sets the recorder's wall clock so many microseconds ahead of the machine's.
  func setClock(_ microseconds: Int64) throws {
    let bytes = [microseconds, 0].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    // In place: the recorder has the file mapped.
    if let file = unsafe fopen(clock, "r+") ?? fopen(clock, "w") {
      unsafe fwrite(bytes, 1, bytes.count, file)
      unsafe fclose(file)
    }
  }

  /// The calls so far, of all recorders.
  func operations() throws -> [DiskOperation] {
    DiskOperation.read([UInt8](try Data(contentsOf: URL(filePath: log))))
  }

  /// How many values the straps have sent to somebody.
  func sentCount() throws -> Int {
    try Self.straps.reduce(0) { try $0 + recording.sent(by: $1).count }
  }

  /// What became of every value that was sent so far; `operations` are all calls.
  func account(of operations: [DiskOperation]) throws -> ValueAccount {
    ValueAccount(
      sent: try Self.straps.map { try recording.sent(by: $0) }, swallowed: try recording.swallowed(),
      operations: operations)
  }

  private var journal: String { "\(root)/sensord.journal" }

  /// The numbers of the journal's segments, in order.
  func segments() throws -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: journal)) ?? []
    return names.compactMap { Int($0.prefix { $0 != "." }) }.sorted()
  }

  /// The file of a segment.
  func segmentName(_ number: Int) -> String { String(format: "%08d.journal", number) }

  func size(ofSegment number: Int) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: "\(journal)/\(segmentName(number))")[.size] as? Int ?? 0
  }

  /// Waits until so many more values have been sent and have arrived; or until a strap has no more.
  func values(_ count: Int) async throws {
    let received = { try Self.straps.reduce(0) { try $0 + self.recording.received(from: $1) } }
    let before = (sent: try sentCount(), received: recording.isShared ? 0 : try received())
    try await wait(for: "\(count) values") {
      let haveEnded = try self.recording.count("end") > 0
      return try haveEnded || self.sentCount() >= before.sent + count
    }
    if recording.isShared { return try await recording.arrive() }
    try await wait(for: "\(count) values in the journal") {
      let haveEnded = try self.recording.count("end") > 0
      return try haveEnded || received() >= before.received + count
    }
  }

  /// The payloads of a store's sessions, in order; of the store at its usual place if none is named.
  func stored(in path: String? = nil) async throws -> [StoredSession] {
    let store = try HealthStore.open(path ?? recording.store, for: .reading)
    let damages = try await store.check()
    guard damages.isEmpty else { throw Program.Failure(description: "the store is damaged: \(damages)") }
    var sessions: [StoredSession] = []
    for summary in try await store.sessions() {
      let rates = try await store.rates(of: summary.id)
      sessions.append(
        StoredSession(
          summary: summary,
          values: rates.map {
            ["\(Int($0.beatsPerMinute))", "\($0.contact)", "\($0.energyKilojoules ?? 0)"].joined(separator: ",")
          },
          times: rates.map(\.time.microseconds)))
    }
    return sessions
  }

  /// How a payload, in hexadecimal digits, is found again in a store.
  static func value(_ hex: String) throws -> String {
    try SentValue(hex: hex).rate.joined(separator: ",")
  }

  /// All that was sent, as ``StoredSession/values`` has it.
  func sent() throws -> Set<String> {
    Set(try Self.straps.flatMap { try recording.sent(by: $0) }.map(Self.value))
  }
}

/// A session of a store, its values in a form that tells each from every other.
struct StoredSession {
  var summary: SessionSummary
  var values: [String]
  /// Microseconds since 1970 (UTC).
  var times: [Int64]

  var name: String { summary.id.uuidString.lowercased() }
}
