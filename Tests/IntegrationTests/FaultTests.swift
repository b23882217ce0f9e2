import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// The daemon as a process while its disk, its folders and its clocks fail.
@Suite("A recorder in trouble")
struct FaultTests {
  /// The one session, and that everything sent is in it but what was lost.
  private func session(_ watched: WatchedRecording, lost: Int = 0) async throws -> StoredSession {
    let sessions = try await watched.stored()
    try #require(sessions.count == 1)
    let session = sessions[0]
    let sent = try watched.sent()
    #expect(Set(session.values).isSubset(of: sent))
    // What was on its way when the recorder was told to stop belongs to no session.
    let number = { (value: String) in Int(value.split(separator: ",").last ?? "") ?? 0 }
    let last = session.values.map(number).max() ?? 0
    #expect(session.values.count + lost == sent.count { number($0) <= last })
    #expect(session.values.count == Set(session.values).count)
    #expect(zip(session.times, session.times.dropFirst()).allSatisfy(<=))
    return session
  }

  private func sensor(_ watched: WatchedRecording) throws -> [String: Any] {
    (try watched.recording.status()["sensors"] as? [[String: Any]])?.first ?? [:]
  }

  private func lost(_ watched: WatchedRecording) throws -> Int {
    try sensor(watched)["lostValues"] as? Int ?? 0
  }

  private func valuesInMemory(_ watched: WatchedRecording) throws -> Int {
    try watched.recording.status()["valuesInMemory"] as? Int ?? 0
  }

  @Test(
    "a disk that takes nothing costs no value: they stay in memory, which is told, and are written when it takes them",
    arguments: ["ENOSPC", "EIO", "EROFS", "EDQUOT"])
  func unwritable(error: String) async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let recorder = try watched.recorder(faults: "write:\(error):1:1000000;open:\(error):1:1000000", isSwitched: true)
    try await watched.values(30)
    try watched.fail(true)
    try await wait(for: "values in memory") { try self.valuesInMemory(watched) >= 100 }
    let problem = try #require(try watched.recording.status()["problem"] as? String)
    #expect(problem.contains("values stay in memory until it works again"))
    #expect(recorder.text.contains("64 values are in memory only; a kill loses them"))
    try watched.fail(false)
    try await wait(for: "the journal") { recorder.text.contains("the journal works again") }
    try await watched.values(30)
    try await wait(for: "a good status") { try watched.recording.status()["problem"] is NSNull }
    #expect(try lost(watched) == 0 && valuesInMemory(watched) == 0)
    #expect(recorder.text.contains(" values that were in memory only are in the journal"))
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let stored = try await session(watched)
    #expect(stored.summary.quality.lostValues ?? 0 == 0)
    #expect(stored.summary.heartbeats.gaps == 0)
  }

  @Test("a session on request that ends while the disk is full is not stored yet, which is told; then it is, whole")
  func requestOnFullDisk() async throws {
    let watched = try await WatchedRecording(every: 20, seconds: 600, straps: 1)
    let configuration = watched.recording.folder.appendingPathComponent("sensord.conf")
    let bus = watched.recording.bus.address
    try "[clients]\nbus = session\n".write(to: configuration, atomically: true, encoding: .utf8)
    let recorder = try watched.recorder(
      faults: "write:ENOSPC:1:1000000;open:ENOSPC:1:1000000", isSwitched: true,
      changed: ["DBUS_SESSION_BUS_ADDRESS": bus])
    try await recorder.printed("open to other programs as org.sensord")
    func session(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      let home = watched.recording.folder.path
      return try Program.run(
        "sensord", ["session"] + words,
        environment: [
          "DBUS_SESSION_BUS_ADDRESS": bus, "HOME": home, "XDG_STATE_HOME": home, "XDG_RUNTIME_DIR": home,
        ])
    }
    try await watched.values(5)
    let begun = try session("begin")
    #expect(begun.status == 0, "\(begun.errors)")
    try await watched.values(30)
    try watched.fail(true)
    let failed = try session("end")
    #expect(failed.status == 74 && failed.errors.contains("safe"), "\(failed.errors)")
    try watched.fail(false)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let id = begun.output.dropLast()
    let stored = try await watched.stored().first { $0.name == id }
    #expect((stored?.values.count ?? 0) >= 30)
    #expect(stored?.summary.endReason == "request")
  }

  @Test(
    "a recorder that is stopped while the disk is full says what it could not keep; the next one goes on with the session"
  )
  func endsOnFullDisk() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let recorder = try watched.recorder(faults: "write:ENOSPC:1:1000000;open:ENOSPC:1:1000000", isSwitched: true)
    try await watched.values(30)
    try watched.fail(true)
    try await wait(for: "values in memory") { try self.valuesInMemory(watched) >= 10 }
    #expect(try await recorder.terminate() == 74, "\(recorder.text)")
    #expect(recorder.text.contains("values were lost in "))
    #expect(try await watched.stored().isEmpty)
    try watched.fail(false)
    let second = try watched.recorder()
    try await watched.values(30)
    #expect(try await second.terminate() == 0, "\(second.text)")
    let sessions = try await watched.stored()
    #expect(sessions.count == 1, "its end was lost too, so it goes on")
    #expect((sessions.first?.values.count ?? 0) >= 60)
    #expect(sessions.first?.summary.heartbeats.gaps == 1)
  }

  @Test("a start that fails, as on a full disk, is told in the unit's status, which would else be that of before")
  func failedStart() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let folder = TemporaryFolder()
    let systemd = try #require(DatagramReceiver(folder.path + "/notify"))
    let recorder = try watched.recorder(
      faults: "write:ENOSPC:1:1000000;open:ENOSPC:1:1000000", changed: ["NOTIFY_SOCKET": folder.path + "/notify"])
    let status = try await recorder.exitStatus()
    #expect(status != 0, "\(recorder.text)")
    let told = systemd.next()
    let reason = try #require(told.split(separator: "\n").first { $0.hasPrefix("STATUS=") }?.dropFirst("STATUS=".count))
    #expect(!told.contains("READY") && reason.contains("No space left"), "\(told)")
    #expect(recorder.text.contains(reason), "\(recorder.text)")
  }

  @Test("a sync that fails is not repeated: its records are written again, and nothing is lost")
  func failedSync() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let recorder = try watched.recorder(faults: "fsync:EIO:1:1:.journal/0", isSwitched: true)
    try await watched.values(30)
    try watched.fail(true)
    try await wait(for: "the rewriting") { recorder.text.contains("its records were written again") }
    try watched.fail(false)
    try await watched.values(30)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    _ = try await session(watched)
    let syncs = try watched.operations().filter { $0.kind == .syncEnd }
    let failed = try #require(syncs.first { $0.result < 0 })
    #expect(!syncs.contains { $0.file == failed.file && $0.offset > failed.offset && $0.result == 0 })
  }

  @Test(
    "a store whose disk fails is opened anew and verified before the next attempt; the session waits in the journal")
  func failedStore() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let recorder = try watched.recorder(faults: "fsync:EIO:1:100:sqlite", isSwitched: true)
    try await watched.values(30)
    try watched.fail(true)
    #expect(try await recorder.terminate() == 74, "\(recorder.text)")
    try watched.fail(false)
    let second = try watched.recorder()
    try await wait(for: "the commit") { second.text.contains(" stored: rates ") }
    #expect(try await second.terminate() == 0, "\(second.text)")
    let values = try await watched.stored().flatMap(\.values)
    #expect(values.count == Set(values).count)
    #expect(Set(values).isSubset(of: try watched.sent()))
    #expect(values.count >= 30)
  }

  @Test("a folder that vanishes with store and journal is made again, and the recording goes on")
  func vanished() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let recorder = try watched.recorder()
    try await watched.values(30)
    try FileManager.default.removeItem(atPath: watched.root)
    try await wait(for: "the journal") { recorder.text.contains("were deleted or cut by somebody else") }
    try await watched.values(30)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let sessions = try await watched.stored()
    #expect(sessions.count == 1)
    #expect((sessions.first?.values.count ?? 0) >= 30)
    #expect(try watched.recording.listed() == [WatchedRecording.straps[0]])
  }

  @Test(
    "a journal's folder that is removed costs no value and no time, also where the recorder is stopped at once",
    arguments: [false, true])
  func removedJournal(atOnce: Bool) async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let recorder = try watched.recorder()
    // A sync each second has covered some of them.
    try await watched.values(200)
    try FileManager.default.removeItem(atPath: "\(watched.root)/sensord.journal")
    try await watched.values(10)
    if !atOnce {
      try await wait(for: "the journal") { recorder.text.contains("were deleted or cut by somebody else") }
      try await watched.values(30)
    }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let stored = try await session(watched)
    #expect(stored.summary.heartbeats.gaps == 0)
    #expect(abs(Date().timeIntervalSince1970 - Double(stored.summary.start.microseconds) / 1e6) < 600)
  }

  @Test(
    "a store that is put in the place of the open one is gone on with at once: its list holds, and deletions in it are erased"
  )
  func replacedStore() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, speed: 1)
    let recording = watched.recording
    // The store that goes has seen more changes than the one that comes will.
    for _ in 0..<3 {
      let recorder = try watched.recorder()
      try await watched.values(30)
      #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    }
    let recorder = try watched.recorder()
    try await watched.values(30)
    let other = recording.folder.appendingPathComponent("other.sqlite").path
    let kept = WatchedRecording.straps[1]
    #expect(try Program.run("sensord", ["devices", "add", kept, "--store", other]).status == 0)
    for file in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: other + file) {
      try FileManager.default.removeItem(atPath: other + file)
    }
    #expect(unsafe rename(other, recording.store) == 0)
    try await wait(for: "the other list") { recorder.text.contains("not allowed any more") }
    try await wait(for: "the session") { try recording.sessions(of: WatchedRecording.straps[0]).count == 1 }
    let session = try #require(try recording.sessions(of: WatchedRecording.straps[0]).first?["id"] as? String)
    let journal = URL(fileURLWithPath: "\(watched.root)/sensord.journal")
    let isInJournal = {
      try FileManager.default.contentsOfDirectory(at: journal, includingPropertiesForKeys: nil).contains { file in
        (try? String(contentsOf: file, encoding: .utf8))?.contains(WatchedRecording.straps[0]) ?? false
      }
    }
    #expect(try isInJournal())
    #expect(try Program.run("sensord", ["delete", session, "--store", recording.store]).status == 0)
    try await wait(for: "the erasure") { try !isInJournal() }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try recording.listed() == [kept])
    #expect(try recording.sessions(of: kept).count == 1)
  }

  @Test("writes that stall for half a second lose nothing, and no interval changes")
  func slowDisk() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1)
    let stalls = "write:DELAY500:40:40:.journal/0;write:DELAY500:90:90:.journal/0;write:DELAY500:180:180:.journal/0"
    let recorder = try watched.recorder(faults: stalls)
    try await watched.values(250)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let stored = try await session(watched)
    #expect(stored.summary.heartbeats.gaps == 0)
    #expect(stored.summary.heartbeats.count == stored.values.count)
    // By how much a value's stamp is behind the boot clock's steady 10 ms: the truth about a stall on the loop's thread.
    let lateness = stored.times.indices.map { stored.times[$0] - stored.times[0] - Int64($0) * 10_000 }
    let greatest = (lateness.max() ?? 0) - (lateness.min() ?? 0)
    print("slow disk: 3 writes of 500 ms; nothing lost; arrival stamps up to \(greatest / 1000) ms late")
  }

  /// The lead of the wall clock at the start, in the middle, and the step that is expected to be recorded; seconds.
  @Test(
    "a wall clock that is set keeps the order and the intervals; the times are those of the last clock; the step is kept",
    arguments: [(Int64(0), Int64(-3600)), (0, 86_400), (-1_790_000_000, 0)])
  func clockStep(before: Int64, after: Int64) async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    try watched.setClock(before * 1_000_000)
    let recorder = try watched.recorder()
    try await watched.values(50)
    try watched.setClock(after * 1_000_000)
    try await watched.values(50)
    let now = Int64(Date().timeIntervalSince1970)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let stored = try await session(watched)
    let start = stored.summary.start.microseconds / 1_000_000 - after
    #expect(now - 600..<now ~= start)
    #expect(stored.summary.heartbeats.gaps == 0)
    let steps = stored.summary.quality.clockSteps.map { (Double($0.microseconds ?? 0) / 1e6).rounded() }
    #expect(steps == [Double(after - before)])
  }

  @Test("a journal with a flipped bit, a newer and a foreign file is read as far as it can be; the rest is kept aside")
  func damagedJournal() async throws {
    let watched = try await WatchedRecording(every: 10, seconds: 100, straps: 1, speed: 1)
    let first = try watched.recorder()
    try await watched.values(30)
    try await first.kill()
    let journal = "\(watched.root)/sensord.journal"
    let segment = URL(fileURLWithPath: "\(journal)/00000001.journal")
    var bytes = [UInt8](try Data(contentsOf: segment))
    // In the middle of a value, nothing else: one record is not what it was, the others are.
    let value = Data(" m ".utf8)
    let middle = try #require(Data(bytes).range(of: value, in: bytes.count / 2..<bytes.count)?.upperBound)
    bytes[middle + 1] ^= 1
    try Data(bytes).write(to: segment)
    try Data("sensord-journal 7 164283a7\n".utf8).write(to: URL(fileURLWithPath: "\(journal)/00000002.journal"))
    try Data("a letter\n".utf8).write(to: URL(fileURLWithPath: "\(journal)/00000003.journal"))
    let second = try watched.recorder()
    try await wait(for: "the start") { second.text.contains("started") }
    for name in ["00000002.journal.newer-version-7", "00000003.journal.not-a-journal"] {
      #expect(second.text.contains(name))
      #expect(FileManager.default.fileExists(atPath: "\(journal)/\(name)"))
    }
    try await watched.values(10)
    #expect(try await second.terminate() == 0, "\(second.text)")
    #expect(second.text.contains("1 records of its journal could not be read"))
    #expect(FileManager.default.fileExists(atPath: "\(journal)/00000001.journal.damaged"))
    var promised = Acknowledgements()
    for operation in try watched.operations() { promised.take(operation) }
    let values = try await watched.stored().flatMap(\.values)
    #expect(Set(try promised.kept.map(WatchedRecording.value)).subtracting(values).count == 1)
  }
}
