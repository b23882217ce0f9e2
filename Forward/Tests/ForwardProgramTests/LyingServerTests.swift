import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

/// Servers whose answers are none to what was asked, and files that are none to read.
@Suite("Forwarding to a server that lies", .serialized)
struct LyingServerTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  @Test("no answer ends a command by a signal, fills memory, or reaches a terminal raw")
  func lies() async throws {
    let gateway = try TestGateway(on: server, centre: "lies")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try gateway.forward()
    await store.close()
    // A second line, for the statements that only several have.
    gateway.removeStore()
    let other = try gateway.open()
    let ids = try await gateway.record(2, first: 2, into: other)
    try gateway.forward()
    try await SampleSessions.delete(ids[0], from: other)
    try gateway.forward()
    try gateway.configure(host: gateway.folder.path)
    let count = ProcessInfo.processInfo.environment["SENSORD_LIES"] ?? "40"
    let output = try OutputFile()
    let liar = try StartedProgram(
      "/usr/bin/python3",
      [
        #filePath.replacing("ForwardProgramTests/LyingServerTests.swift", with: "liar.py"), TestGateway.program,
        "\(gateway.folder.path)/forward.conf", "\(server.socket)/.s.PGSQL.5432", gateway.folder.path,
        try await other.history(after: .start, limit: 1).store.uuidString.lowercased(),
        ProcessInfo.processInfo.environment["SENSORD_LIES_FROM"] ?? "0", count,
      ], environment: ["PATH": "/usr/bin:/bin"], output: output.descriptor, errors: output.descriptor)
    #expect(liar.wait() == 0, "\(output.text)")
    print("MEASURED  \(output.text)")
  }

  @Test("a number that no centre has, and text for a terminal in the place of one, are 76 with a sentence")
  func numbers() async throws {
    let gateway = try TestGateway(on: server, centre: "numbersatends")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    try gateway.forward()
    for value in [Int64.min, -1, 99, Int64.max] {
      _ = try gateway.rows("UPDATE sensord_gateway SET sent = \(value)")
      let status = try gateway.run("status")
      #expect(status.status == 76 && status.errors.contains("none to what was asked"), "\(value): \(status)")
    }
    _ = try gateway.rows("UPDATE sensord_gateway SET sent = last")
    _ = try gateway.rows("ALTER TABLE sensord_schema RENAME TO schema_before")
    _ = try gateway.rows(
      "CREATE VIEW sensord_schema AS SELECT repeat(E'\\x1b[2J', 10000000) AS version FROM schema_before")
    _ = try gateway.rows("GRANT SELECT ON sensord_schema TO sensord_gateway")
    for words in ["status", "verify", "run"] {
      let found = words == "run" ? try gateway.run("run", "--once") : try gateway.run(words)
      #expect(found.status == 76 && found.errors.utf8.count < 500, "\(words): \(found.errors.prefix(500))")
      #expect(!found.errors.contains("\u{1b}"))
    }
    // The service says so once, and goes on when it is repaired.
    try await gateway.record(1, first: 1, into: store)
    let waiting = try OutputFile()
    let program = try gateway.start(["run"], output: try OutputFile(), errors: waiting)
    defer {
      program.send(SIGTERM)
      program.wait()
    }
    while program.status == nil, !waiting.text.contains("none to what was asked") { poll(nil, 0, 20) }
    _ = try gateway.rows("DROP VIEW sensord_schema")
    _ = try gateway.rows("ALTER TABLE schema_before RENAME TO sensord_schema")
    try gateway.wait("SELECT (count(*) = 2)::integer FROM sensord_session")
    #expect(waiting.text.split(separator: "none to what was asked").count == 2, "\(waiting.text)")
  }

  @Test("true answers with long texts, and with many rows of one object, are no lies")
  func long() async throws {
    let gateway = try TestGateway(on: server, centre: "long")
    let store = try gateway.open()
    // Each byte is six in JSON.
    let text = String(repeating: "\u{1}x", count: 200_000)
    for seed in 1...3 {
      try await SampleSessions.save(
        UUID(), seed: UInt64(seed), beats: 20_000,
        start: TestGateway.start.advanced(byMicroseconds: Int64(seed) * 86_400_000_000), sensor: TestGateway.strap,
        text: text, into: store)
    }
    try gateway.forward()
    let restored = try gateway.run("restore", "--to", "\(gateway.folder.path)/restored.sqlite")
    #expect(restored.status == 0, "\(restored.errors)")
  }

  @Test("a password's file that is a pipe is refused by name, and so is a login that the server would cut")
  func files() throws {
    let gateway = try TestGateway(on: server, centre: "pipes")
    let pipe = "\(gateway.folder.path)/password"
    unsafe mkfifo(pipe, 0o600)
    try gateway.configure(more: "[centre]\npassword-file = \(pipe)")
    let refused = try gateway.run("status")
    #expect(
      refused.status == 78 && refused.errors.contains("\(pipe) cannot be read: it is no regular file"), "\(refused)")
    let long = try TestGateway(
      on: server, centre: "pipes", name: String(repeating: "g", count: 64), makesCentre: false)
    let cut = try long.run("status")
    #expect(cut.status == 78 && cut.errors.contains("at most 63 bytes"), "\(cut)")
  }

  @Test("a server that stands still is reported after 30 s, and forwarding goes on with it")
  func silence() async throws {
    let gateway = try TestGateway(on: server, centre: "silence")
    let store = try gateway.open()
    let waiting = try WaitingForwarder(of: gateway)
    defer { waiting.end() }
    let backend = try gateway.number(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'sensord-forward' AND datname = 'silence'")
    kill(pid_t(backend), SIGSTOP)
    defer { kill(pid_t(backend), SIGCONT) }
    try await gateway.record(1, into: store)
    while waiting.program.status == nil && !waiting.errors.text.contains("no answer for 30 s") { poll(nil, 0, 50) }
    let status = try gateway.run("status", "--json")
    #expect(status.output.contains("\"failing\":true") && status.output.contains("no answer for 30 s"), "\(status)")
    kill(pid_t(backend), SIGCONT)
    try gateway.wait("SELECT count(*) FROM sensord_session")
    while try !gateway.run("status", "--json").output.contains("\"failing\":false") { poll(nil, 0, 50) }
    #expect(
      waiting.program.status == nil && waiting.errors.text.split(separator: "\n").count == 2, "\(waiting.errors.text)")
  }
}
