import Captures
import Foundation
import TestSupport
import Testing
import Timeline

@Suite("A journal that loses power")
struct JournalPowerCutTests {
  /// Where SwiftPM put the programs and libraries of this test run.
  static let buildFolder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// The calls that JournalWriter makes on the files of its journal.
  static func recorded(events: Int, syncEvery: Int, _ settings: [String: String] = [:]) throws -> [DiskOperation] {
    try recorded([(events, syncEvery, settings)])
  }

  /// The calls of several lives on one journal; those before the last are killed by their settings.
  static func recorded(
    _ lives: [(events: Int, syncEvery: Int, settings: [String: String])]
  ) throws -> [DiskOperation] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("powercut-\(UUID().uuidString)")
    let root = folder.appendingPathComponent("root")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appendingPathComponent("log")
    for (number, life) in lives.enumerated() {
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = buildFolder.appendingPathComponent("libPowerCut.so").path
      environment["POWERCUT_ROOT"] = root.path
      environment["POWERCUT_LOG"] = log.path
      let process = try StartedProgram(
        buildFolder.appendingPathComponent("JournalWriter").path,
        [root.appendingPathComponent("journal").path, "\(life.events)", "\(life.syncEvery)"],
        environment: environment.merging(life.settings) { $1 }, output: STDOUT_FILENO, errors: STDERR_FILENO)
      #expect(process.wait() == (number == lives.count - 1 ? 0 : -SIGKILL))
    }
    return DiskOperation.read([UInt8](try Data(contentsOf: log)))
  }

  /// What the program had been promised and what it had written, at one moment of its run.
  struct Promise {
    /// Events written, each with its session's slot, in order.
    private(set) var sent: [Int: [Int64]] = [:]
    /// Events whose sync had returned.
    private(set) var acknowledged: Set<Int64> = []
    /// Events of sessions that the store had.
    private(set) var committed: Set<Int64> = []
    private var unsynced: [UInt64: [Int64]] = [:]
    private var covered: [Int64: [Int64]] = [:]
    private var slots: [String: Int] = [:]

    mutating func take(_ operation: DiskOperation) {
      switch operation.kind {
      // A segment that is written again is worth nothing before its name is: it is left out of what was promised.
      case .write where operation.path.hasSuffix(".journal"): takeWrite(operation)
      case .syncBegin: covered[operation.offset] = unsynced[operation.file] ?? []
      case .syncEnd where operation.result >= 0:
        acknowledged.formUnion(covered[operation.offset] ?? [])
      default: break
      }
    }

    private mutating func takeWrite(_ operation: DiskOperation) {
      // What a write that was cut short left of a record is none.
      let whole = operation.data.lastIndex(of: 0x0A).map { operation.data[...$0] } ?? []
      for line in String(decoding: whole, as: UTF8.self).split(separator: "\n") {
        let fields = line.split(separator: " ")
        if fields[0] == "committed" {
          committed.formUnion(sent[slots[String(fields[1])] ?? 0] ?? [])
        } else if fields[1] == "session", let slot = Int(fields[0]) {
          slots[String(fields[2])] = slot
        } else if fields[2] == "m", let slot = Int(fields[0]), let instant = Int64(fields[1]) {
          sent[slot, default: []].append(instant)
          unsynced[operation.file, default: []].append(instant)
        }
      }
    }
  }

  /// Cuts the power `count` times at random moments, or always after the last call; gives how many states lost something that
  /// had been acknowledged.
  static func losses(
    _ operations: [DiskOperation], cuts count: Int, seed: UInt64, atTheEnd: Bool = false
  ) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let first = atTheEnd ? operations.count : 0
    let moments = (0..<count).map { _ in Int.random(in: first...operations.count, using: &random) }.sorted()
    var model = DiskModel()
    var promise = Promise()
    var position = 0
    var losses = 0
    for moment in moments {
      while position < moment {
        model.take(operations[position])
        promise.take(operations[position])
        position += 1
      }
      let recovered = try recovered(model.cut(using: &random), seed: seed)
      let all = Set(recovered.flatMap(\.self))
      if !promise.acknowledged.subtracting(promise.committed).isSubset(of: all) { losses += 1 }
      let sent = promise.sent.values
      for events in recovered where !events.isEmpty {
        // Nothing is invented, doubled or out of order: what is there is part of what one session sent.
        let session = try #require(sent.first { $0.contains(events[0]) }, "seed \(seed)")
        #expect(events == session.filter(Set(events).contains), "seed \(seed)")
      }
    }
    return losses
  }

  /// The instants of the measurements that a recorder finds when it starts on such a disk, session by session.
  static func recovered(_ state: DiskModel.State, seed: UInt64) throws -> [[Int64]] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("powercut-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, bytes) in state {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    let (_, found) = try Journal.open(directory: folder.appendingPathComponent("journal").path)
    #expect(found.foreignFiles.isEmpty, "seed \(seed)")
    for damage in found.damages where !damage.isExpectedAfterCrash {
      // A session's opening record may be missing before any sync, so that its slot is unknown.
      guard case .unknownSlot = damage.reason else {
        Issue.record("seed \(seed): \(damage)")
        continue
      }
    }
    return found.sessions.map { session in
      session.capture.events.compactMap { if case .measurement = $0.kind { $0.instant.microseconds } else { nil } }
    }
  }

  @Test("with syncs nothing that was acknowledged is lost, and nothing is invented", arguments: [40, 7, 0])
  func syncsOn(syncEvery: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    // A thread of its own comes to fewer syncs the busier the machine is: there is more to write then.
    let operations = try Self.recorded(events: syncEvery > 0 ? 600 : 2_400, syncEvery: syncEvery)
    #expect(operations.count { $0.kind == .write } > 600)
    #expect(operations.count { $0.kind == .syncEnd } > 10)
    #expect(operations.count { $0.kind == .unlink } > 1)
    #expect(try Self.losses(operations, cuts: 40, seed: seed) == 0, "seed \(seed)")
  }

  @Test("without syncs this test finds losses, so it can fail")
  func syncsOff() throws {
    let operations = try Self.recorded(events: 300, syncEvery: 7, ["POWERCUT_SYNC": "off"])
    #expect(try Self.losses(operations, cuts: 30, seed: 1) > 0)
  }

  @Test("what a killed writer left is safe when the next one's first sync has returned, the names of its segments too")
  func leftovers() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let operations = try Self.recorded([
      (events: 600, syncEvery: 1000, settings: ["POWERCUT_FAULTS": "write:KILL:100:100"]),
      (events: 0, syncEvery: 0, settings: [:]),
    ])
    var promise = Promise()
    for operation in operations { promise.take(operation) }
    #expect(promise.acknowledged.count > 50)
    // All of it was acknowledged by the second life alone, whose calls are the last ones.
    let begin = try #require(operations.lastIndex { $0.kind == .start })
    #expect(!operations[..<begin].contains { $0.kind == .syncEnd && $0.path.hasSuffix(".journal") })
    #expect(try Self.losses(operations, cuts: 20, seed: seed, atTheEnd: true) == 0, "seed \(seed)")
  }

  @Test("after a sync that failed, too, nothing that was acknowledged is lost")
  func failedSyncs() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let faults = "fsync:EIO:9:9;fsync:EIO:20:22;fsync:EIO:31:31"
    let operations = try Self.recorded(events: 600, syncEvery: 20, ["POWERCUT_FAULTS": faults])
    #expect(operations.contains { $0.kind == .rename })
    #expect(try Self.losses(operations, cuts: 40, seed: seed) == 0, "seed \(seed)")
  }

  @Test("writes that fail or are cut short leave a journal that is readable, with all the others")
  func failedWrites() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let faults = "write:ENOSPC:50:80;write:SHORT:120:125;write:EIO:200:203;truncate:EIO:3:3;open:ENOSPC:4:6"
    let operations = try Self.recorded(events: 600, syncEvery: 20, ["POWERCUT_FAULTS": faults])
    #expect(operations.contains { $0.kind == .truncate })
    #expect(try Self.losses(operations, cuts: 40, seed: seed) == 0, "seed \(seed)")
  }
}
