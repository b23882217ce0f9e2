import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Centres that are of another version, have other tables of the same names, refuse or cancel.
@Suite("Forwarding to bad centres", .serialized)
struct BadCentreTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  private func refusal(
    _ gateway: TestGateway, _ status: Int32, _ words: String,
    _ arguments: [String] = ["run", "--once", "--attempts", "1"],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let found = try gateway.start(arguments, output: output, errors: errors).wait()
    #expect(
      found == status && errors.text.contains(words), "\(arguments): \(errors.text)", sourceLocation: sourceLocation)
    #expect(errors.text.split(separator: "\n").count == 1, "\(errors.text)", sourceLocation: sourceLocation)
  }

  @Test("tables of an older or a newer version are refused by name, by every command, and nothing is written")
  func versions() async throws {
    let gateway = try TestGateway(on: server, centre: "versions")
    let store = try gateway.open()
    let sessions = try await gateway.record(1, into: store)
    try gateway.forward()
    try await gateway.record(1, first: 1, into: store)
    let commands = [
      ["run", "--once"], ["run"], ["status"], ["verify"], ["restore", "--to", "\(gateway.folder.path)/x"],
      ["forget", sessions[0].uuidString],
    ]
    for (statement, words) in [
      ("UPDATE sensord_schema SET version = 1", "tables of version 1 and this program knows 2"),
      ("UPDATE sensord_schema SET version = 3", "tables of version 3 and this program knows 2"),
      ("INSERT INTO sensord_schema VALUES (2)", "tables of version 2, 3 and this program knows 2"),
      ("DELETE FROM sensord_schema", "tables of no version and this program knows 2"),
    ] {
      _ = try gateway.rows(statement)
      for command in commands { try refusal(gateway, 78, words, command) }
    }
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 1)
    #expect(!gateway.folder.names.contains("x"))
    _ = try gateway.rows("INSERT INTO sensord_schema VALUES (2)")
    try gateway.forward()
  }

  @Test("a forwarder that waits ends by name when the tables become newer under it, and writes nothing into them")
  func raised() async throws {
    let gateway = try TestGateway(on: server, centre: "raised")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    let waiting = try WaitingForwarder(of: gateway)
    let (program, errors) = (waiting.program, waiting.errors)
    defer { waiting.end() }
    _ = try gateway.rows("UPDATE sensord_schema SET version = 3")
    try await gateway.record(1, first: 1, into: store)
    while try program.status == nil && gateway.number("SELECT count(*) FROM sensord_session") == 1 { poll(nil, 0, 10) }
    #expect(program.status == 78)
    #expect(errors.text.contains("tables of version 3") && !errors.text.contains("another program"), "\(errors.text)")
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 1)
    _ = try gateway.rows("UPDATE sensord_schema SET version = 2")
    try gateway.forward()
  }

  @Test("what a newer program sent stands beside what this one sends, and is neither changed nor taken for its own")
  func beside() async throws {
    let gateway = try TestGateway(on: server, centre: "beside")
    _ = try gateway.rows("CREATE ROLE beside_newer LOGIN IN ROLE sensord_gateway")
    let newer = try TestGateway(on: server, centre: "beside", name: "beside_newer", makesCentre: false)
    let stores = try [gateway.open(), newer.open()]
    for (one, store) in zip([gateway, newer], stores) {
      try await one.record(2, into: store)
      try one.forward()
    }
    // Columns and kinds that this program does not know, as a later one may add them without another version.
    for table in CentreTable.all {
      _ = try gateway.rows("ALTER TABLE \(table.fullName) ADD COLUMN later text DEFAULT 'x'")
    }
    _ = try gateway.rows("UPDATE sensord_gateway SET program = 'sensord-forward 9' WHERE gateway = 'beside_newer'")
    _ = try gateway.rows(
      """
      INSERT INTO sensord_object (person, time, gateway, owner, ordinal, origin, row)
      SELECT person, time, gateway, id, 99, 'dreams', '{"depth":7}' FROM sensord_sample WHERE gateway = 'beside_newer'
      """)
    let theirs =
      "SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM sensord_object AS t WHERE gateway = 'beside_newer'"
    let before = try gateway.rows(theirs)
    try await gateway.record(2, first: 5, into: stores[0])
    try gateway.forward()
    _ = try gateway.rows("UPDATE sensord_gateway SET anchor = 'start' WHERE gateway = 'beside_gateway'")
    try gateway.forward()
    #expect(try gateway.rows(theirs) == before)
    #expect(try gateway.number("SELECT count(*) FROM sensord_sessions") == 6)
    // A program that went back to this version finds what it does not know, and says so.
    let verified = try newer.run("verify", "--json")
    #expect(verified.status == 1 && verified.output.contains("\"missing\":0,\"extra\":0"), "\(verified)")
    try refusal(newer, 65, "dreams", ["restore", "--to", "\(newer.folder.path)/x"])
    #expect(!newer.folder.names.contains("x"))
  }

  @Test("other tables of the same names stay as they are, and are refused by name")
  func sameNames() async throws {
    let gateway = try TestGateway(on: server, centre: "taken", makesCentre: false)
    var all = try server.connect("postgres")
    try all.run("CREATE DATABASE taken")
    try all.run("CREATE ROLE taken_gateway LOGIN")
    _ = try gateway.rows("CREATE TABLE sensord_metadata AS SELECT 'mine' AS note")
    var database = try server.connect("taken")
    #expect(throws: DatabaseFailure.self) { try database.runScript(CentreSchema.script) }
    #expect(try gateway.rows("SELECT note FROM sensord_metadata") == [["mine"]])
    #expect(try gateway.number("SELECT count(*) FROM pg_class WHERE relname LIKE 'sensord%'") == 1)
    _ = try gateway.rows("DROP TABLE sensord_metadata")
    try database.runScript(CentreSchema.script)
    _ = try gateway.rows("GRANT sensord_gateway TO taken_gateway")

    let store = try gateway.open()
    try await gateway.record(1, into: store)
    for (name, definition) in [
      ("sensord_gap", "TABLE sensord_gap (note text)"),
      ("sensord_gap", "VIEW sensord_gap AS SELECT 1 AS note"),
      ("sensord_gap", "TABLE sensord_gap AS SELECT *, NULL::text AS more FROM other WITH NO DATA"),
      ("sensord_sample", "TABLE sensord_sample AS SELECT * FROM other WITH NO DATA"),
      ("sensord_gateway", "SEQUENCE sensord_gateway"),
    ] {
      _ = try gateway.rows("ALTER TABLE \(name) RENAME TO other")
      _ = try gateway.rows("CREATE \(definition)")
      switch (name, definition.split(separator: " ").last) {
      case ("sensord_gap", "DATA"): _ = try gateway.rows("ALTER TABLE sensord_gap ALTER reason TYPE bytea USING NULL")
      case ("sensord_sample", _): _ = try gateway.rows("ALTER TABLE sensord_sample DROP COLUMN digest")
      default: break
      }
      _ = try gateway.rows("GRANT ALL ON \(name) TO sensord_gateway")
      try refusal(gateway, 78, "sensord-forward schema")
      _ = try gateway.rows("DROP \(definition.split(separator: " ")[0]) \(name)")
      _ = try gateway.rows("ALTER TABLE other RENAME TO \(name)")
    }
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 0)
    #expect(try gateway.number("SELECT count(*) FROM sensord_gateway") <= 1)
    try gateway.forward()
  }

  @Test("a right that is taken away is named, nothing is there by half, and what waits goes on when it is back")
  func permission() async throws {
    let gateway = try TestGateway(on: server, centre: "permission")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    let history = try await store.history(after: .start, limit: 1_000)
    for (right, table) in [("INSERT", "sensord_chunk"), ("SELECT", "sensord_tombstone"), ("UPDATE", "sensord_gateway")]
    {
      _ = try gateway.rows("REVOKE \(right) ON \(table) FROM sensord_gateway")
      try refusal(gateway, 77, "sensord_gateway")
      #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 0)
      if table == "sensord_chunk" {
        let errors = try OutputFile()
        let program = try gateway.start(["run"], output: try OutputFile(), errors: errors)
        while !errors.text.contains("trying again") { poll(nil, 0, 10) }
        #expect(program.status == nil)
        program.send(SIGKILL)
        program.wait()
      }
      _ = try gateway.rows("GRANT \(right) ON \(table) TO sensord_gateway")
    }
    _ = try gateway.rows("REVOKE INSERT ON sensord_chunk FROM sensord_gateway")
    let errors = try OutputFile()
    let program = try gateway.start(["run"], output: try OutputFile(), errors: errors)
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    while !errors.text.contains("trying again") { poll(nil, 0, 10) }
    _ = try gateway.rows("GRANT INSERT ON sensord_chunk TO sensord_gateway")
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    #expect(try await store.history(after: .start, limit: 1_000) == history)
    try gateway.forward()
  }

  @Test("statements that are cancelled are sent again, and nothing is lost or there twice")
  func cancelled() async throws {
    let gateway = try TestGateway(on: server, centre: "cancelled")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    let (errors, running) = (
      try OutputFile(), "FROM pg_stat_activity WHERE application_name = 'sensord-forward' AND datname = 'cancelled'"
    )
    let program = try gateway.start(["run"], output: try OutputFile(), errors: errors)
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    while !errors.text.contains("waiting for more") { poll(nil, 0, 10) }
    for (index, table) in ["sensord_gateway", "sensord_sample", "sensord_chunk"].enumerated() {
      var locker = try server.connect("cancelled")
      try locker.run("BEGIN")
      try locker.run("LOCK TABLE \(table)")
      try await gateway.record(1, first: index + 1, into: store)
      try gateway.wait("SELECT count(*) \(running) AND wait_event_type = 'Lock'")
      _ = try gateway.rows("SELECT pg_cancel_backend(pid) \(running)")
      try gateway.wait("SELECT (count(*) = 0)::integer \(running) AND wait_event_type = 'Lock'")
      try locker.run("COMMIT")
      try gateway.wait("SELECT (count(*) = \(index + 2))::integer FROM sensord_session")
    }
    #expect(errors.text.contains("SQLSTATE 57014") && errors.text.contains("nothing is lost"), "\(errors.text)")
    #expect(program.status == nil)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) - count(DISTINCT id) FROM sensord_sample") == 0)
  }

  @Test(
    "a program of another version beside this one, and in turn for one gateway: both sides are the same",
    .enabled(if: LongTrial.otherProgram != nil))
  func otherProgram() async throws {
    let other = LongTrial.otherProgram ?? ""
    let gateway = try TestGateway(on: server, centre: "turns")
    _ = try gateway.rows("CREATE ROLE turns_other LOGIN IN ROLE sensord_gateway")
    let beside = try TestGateway(on: server, centre: "turns", name: "turns_other", makesCentre: false)
    try beside.configure(wearer: "p002")
    // The first version knows no such section.
    for one in [gateway, beside] {
      let lines = String(decoding: one.folder.bytes(of: "forward.conf"), as: UTF8.self).split(separator: "\n")
      try one.folder.write(
        "forward.conf", lines.filter { $0 != "[status]" && !$0.hasPrefix("file = ") }.joined(separator: "\n"))
    }
    let stores = try [gateway.open(), beside.open()]
    func run(_ words: String..., for gateway: TestGateway, by program: String) throws {
      let (output, errors) = (try OutputFile(), try OutputFile())
      let status = try gateway.start(words, by: program, output: output, errors: errors).wait()
      #expect(status == 0, "\(program) \(words): \(output.text)\(errors.text)")
    }
    var sessions: [UUID] = []
    for (turn, program) in [other, TestGateway.program, other, TestGateway.program].enumerated() {
      sessions += try await gateway.record(2, first: 10 * turn, into: stores[0])
      try await beside.record(2, first: 10 * turn, into: stores[1])
      if turn > 0 {
        try await SampleSessions.delete(sessions[2 * turn - 2], from: stores[0])
        try await SampleSessions.save(
          sessions[2 * turn - 1], version: 2, seed: 9, beats: 400, start: TestGateway.start, sensor: TestGateway.strap,
          into: stores[0])
      }
      try run("run", "--once", for: gateway, by: program)
      try run("run", "--once", for: beside, by: other)
      for by in [other, TestGateway.program] {
        try run("verify", for: gateway, by: by)
        try run("verify", for: beside, by: by)
      }
    }
    #expect(try gateway.number("SELECT count(*) FROM sensord_sessions") == 5 + 8)
    // A centre that only one of them knows.
    _ = try gateway.rows("UPDATE sensord_schema SET version = 3")
    try await gateway.record(1, first: 90, into: stores[0])
    try refusal(gateway, 78, "version 3")
    let errors = try OutputFile()
    #expect(try gateway.start(["run", "--once"], by: other, output: try OutputFile(), errors: errors).wait() == 78)
    #expect(errors.text.contains("version 3"), "\(errors.text)")
  }
}
