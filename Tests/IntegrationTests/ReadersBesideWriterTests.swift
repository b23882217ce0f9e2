import Foundation
import Testing

/// Readers and writers of one store as processes of their own.
@Suite("Readers beside a writer", .enabled(if: SQLiteShell.isInstalled, "sqlite3 is not installed"))
struct ReadersBesideWriterTests {
  private static let count = "SELECT count(*) FROM session_list"

  /// What a person may ask while somebody writes; each answers, or the test fails.
  private func readsEverything(_ store: String, while what: String) throws {
    let commands = [
      ["sessions", "--json"], ["stats", "heartRate", "--every", "1d", "--json"],
      ["sql", "SELECT count(*) FROM rates"],
    ]
    for command in commands {
      let result = try Program.run("sensord", command + ["--store", store])
      #expect(result.status == 0, "\(command[0]) while \(what): \(result.errors)")
    }
  }

  @Test("a recorder that stands still in a commit, a sync or a checkpoint keeps no reader waiting")
  func stoppedRecorder() async throws {
    let watched = try await WatchedRecording(every: 20, seconds: 120, straps: 1)
    let store = watched.recording.store
    let stops = [
      "write:STOP:8:8:sqlite-wal", "fsync:STOP:1:1:sqlite-wal", "write:STOP:1:1:sensord.sqlite$",
      "truncate:STOP:1:1:sqlite-wal",
    ]
    for (done, stop) in stops.enumerated() {
      let recorder = try watched.recorder(faults: stop, isSwitched: true)
      try await wait(for: "a session") { recorder.text.contains("session begins") }
      try watched.fail(true)
      recorder.interrupt()
      try await wait(for: "\(stop) \(recorder.text)") { try recorder.isStopped() }
      let stored = try SQLiteShell.ask(store, Self.count)
      #expect(["\(done)\n", "\(done + 1)\n"].contains(stored), "\(stop)")
      try readsEverything(store, while: stop)
      #expect(try recorder.isStopped(), "\(stop): the readers were there while it stood still")
      try watched.fail(false)
      recorder.send(SIGCONT)
      #expect(try await recorder.exitStatus() == 0, "\(stop): \(recorder.text)")
      #expect(try SQLiteShell.ask(store, Self.count) == "\(done + 1)\n")
    }
  }

  @Test("a reader that keeps an old state does not keep the recorder from storing, and goes on seeing that state")
  func oldState() async throws {
    let watched = try await WatchedRecording(every: 20, seconds: 60, straps: 1)
    let store = watched.recording.store
    let reader = try SQLiteShell(store)
    #expect(try reader.ask("BEGIN; \(Self.count);") == "0\n")
    let recorder = try watched.recorder()
    try await watched.values(20)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try SQLiteShell.ask(store, Self.count) == "1\n")
    try readsEverything(store, while: "a reader keeps an old state")
    #expect(try reader.ask("\(Self.count); COMMIT; \(Self.count);") == "0\n1\n")
  }

  @Test("a program that keeps a transaction of its own open keeps no reader waiting")
  func otherWriter() async throws {
    let recording = try Recording()
    try recording.allow("C0:FF:EE:00:00:01")
    let writer = try SQLiteShell(recording.store)
    // Enough to spill into the log before the commit.
    let statements = """
      PRAGMA cache_size = 10; BEGIN IMMEDIATE;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO sensors (address, name, added, checksum) SELECT 'C1:' || i, hex(randomblob(500)), 0, 0 FROM n;
      SELECT count(*) FROM sensors;
      """
    #expect(try writer.ask(statements) == "2001\n")
    #expect(try SQLiteShell.ask(recording.store, "SELECT count(*) FROM sensors") == "1\n")
    #expect(try recording.listed() == ["C0:FF:EE:00:00:01"])
    try readsEverything(recording.store, while: "a transaction is open")
    #expect(try writer.ask("ROLLBACK;").isEmpty)
  }
}
