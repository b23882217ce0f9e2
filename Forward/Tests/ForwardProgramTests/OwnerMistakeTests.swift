import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// What goes wrong where people write configurations and put stores in place.
@Suite("Forwarding after mistakes of a gateway's owner", .serialized)
struct OwnerMistakeTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  @Test("a restored store is readable by the group where its folder is, and by nobody else")
  func mode() async throws {
    let gateway = try TestGateway(on: server, centre: "mode")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    try gateway.forward()
    for (folder, expected) in [(0o750, 0o640), (0o755, 0o640), (0o700, 0o600)] as [(mode_t, mode_t)] {
      let place = "\(gateway.folder.path)/\(folder)"
      unsafe mkdir(place, 0o700)
      unsafe chmod(place, folder)
      #expect(try gateway.run("restore", "--to", "\(place)/store.sqlite").status == 0)
      var status = stat()
      #expect(unsafe stat("\(place)/store.sqlite", &status) == 0 && status.st_mode & 0o777 == expected)
    }
  }

  @Test("a configuration is read as a whole, or refused: one that is too large, is no text, or has an address twice")
  func wholeConfiguration() throws {
    let gateway = try TestGateway(on: server, centre: "whole")
    let configuration = gateway.folder.bytes(of: "forward.conf")
    // What a program that reads 64 KiB would not see.
    let remarks = Array(String(repeating: "# remark\n", count: 10_000).utf8)
    try gateway.folder.write("forward.conf", configuration + remarks + Array("[centre]\ncolour = red\n".utf8))
    let late = try gateway.run("status")
    #expect(late.status == 78 && late.errors.contains("[centre] has no such setting, but host, port"), "\(late)")
    try gateway.folder.write("forward.conf", configuration + [UInt8](repeating: 10, count: 1 << 20))
    let large = try gateway.run("status")
    #expect(large.status == 78 && large.errors.contains("larger than 1 MiB"), "\(large)")
    try gateway.folder.write("forward.conf", configuration + [35, 0xFF])
    let binary = try gateway.run("status")
    #expect(binary.status == 78 && binary.errors.contains("no text"), "\(binary)")
    try gateway.configure(more: "[persons]\n\(TestGateway.strap) = p002")
    let twice = try gateway.run("status")
    #expect(twice.status == 78 && twice.errors.contains("already"), "\(twice)")
    #expect(twice.errors.split(separator: "\n").count == 1)
  }

  @Test(
    "a configuration and a password of Windows' lines are taken as others are; a file without a password is refused")
  func windows() async throws {
    let server = try TestServer()
    let gateway = try TestGateway(on: server, centre: "windows")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    _ = try gateway.rows("ALTER ROLE windows_gateway PASSWORD 'secret'")
    try "local all owner trust\nlocal all all scram-sha-256\n".write(
      toFile: "\(server.folder.path)/data/pg_hba.conf", atomically: false, encoding: .utf8)
    _ = try gateway.rows("SELECT pg_reload_conf()")
    let password = try gateway.folder.write("password", "secret\r\n")
    unsafe chmod(password, 0o600)
    try gateway.configure(more: "[centre]\npassword-file = \(password)")
    let text = String(decoding: gateway.folder.bytes(of: "forward.conf"), as: UTF8.self)
    try gateway.folder.write("forward.conf", text.replacing("\n", with: "\r\n"))
    while (try? server.connect("windows", as: gateway.name)) != nil { poll(nil, 0, 10) }
    try gateway.forward()
    try gateway.folder.write("password", "\r\n")
    try gateway.configure()
    let without = try gateway.run("status")
    #expect(without.status == 77 && without.errors.contains("set password-file in [centre]"), "\(without)")
    try gateway.configure(more: "[centre]\npassword-file = \(password)")
    let empty = try gateway.run("status")
    #expect(empty.status == 78 && empty.errors.contains("no password in its first line"), "\(empty)")
  }

  @Test("the environment's variables of PostgreSQL decide nothing")
  func environment() throws {
    let gateway = try TestGateway(on: server, centre: "environment")
    _ = try gateway.open()
    let errors = try OutputFile()
    let words = ["PGTZ", "PGDATESTYLE", "PGSSLMODE", "PGGEQO", "PGSERVICE", "PGLATER"]
    let program = try gateway.start(
      ["status"], environment: Dictionary(uniqueKeysWithValues: words.map { ($0, "nonsense") }),
      output: try OutputFile(), errors: errors)
    #expect(program.wait() == 0, "\(errors.text)")
  }

  @Test(
    "an older copy of a store with other persons: the same session is never of two, and it goes on when that is mended")
  func otherPersons() async throws {
    let gateway = try TestGateway(on: server, centre: "twopersons")
    do {
      let store = try gateway.open()
      try await gateway.record(2, into: store)
      await store.close()
    }
    let copy = ["", "-wal"].map { (name: "store.sqlite\($0)", bytes: gateway.folder.bytes(of: "store.sqlite\($0)")) }
    do {
      let store = try gateway.open()
      try await gateway.record(1, first: 5, into: store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    for file in copy { try gateway.folder.write(file.name, file.bytes) }
    try gateway.configure(wearer: "p002")
    let refused = try gateway.run("run", "--once")
    #expect(refused.status == 78 && refused.errors.contains("[persons] makes session"), "\(refused)")
    #expect(refused.errors.split(separator: "\n").count == 1)
    #expect(try gateway.rows(Self.persons) == [["p001", "3"]])
    try gateway.configure()
    #expect(try gateway.run("run", "--once").status == 0)
    #expect(try gateway.rows(Self.persons) == [["p001", "3"]])
    // What an earlier program stored twice is said by restore, which makes nothing of it.
    _ = try gateway.rows(
      """
      INSERT INTO sensord_session SELECT (json_populate_record(session, '{"person":"p002"}')).*
      FROM sensord_session AS session
      """)
    let restored = try gateway.run("restore", "--to", "\(gateway.folder.path)/new.sqlite")
    #expect(restored.status == 65 && restored.errors.contains("3 objects under two persons"), "\(restored)")
    #expect(!gateway.folder.names.contains { $0.hasPrefix("new") })
  }

  private static let persons = "SELECT person, count(*) FROM sensord_session GROUP BY person ORDER BY person"

  @Test(
    "a sensor with new firmware is no new sensor: another person is refused until what was forwarded is forgotten, at this gateway alone"
  )
  func newFirmware() async throws {
    let gateway = try TestGateway(on: server, centre: "firmware")
    let store = try gateway.open()
    let first = try await gateway.record(1, into: store)
    try gateway.forward()
    try gateway.configure(wearer: "p002")
    try await SampleSessions.save(
      UUID(), start: TestGateway.start.advanced(byMicroseconds: 86_400_000_000), sensor: TestGateway.strap,
      text: "new firmware", into: store)
    for words in [["run", "--once"], ["run"]] {
      let (output, errors) = (try OutputFile(), try OutputFile())
      let program = try gateway.start(words, output: output, errors: errors)
      while program.status == nil && !errors.text.contains("waiting for more") { poll(nil, 0, 10) }
      #expect(program.status == 78 && errors.text.contains("[persons] (line 8)"), "\(errors.text)")
      #expect(errors.text.contains(first[0].text) && errors.text.split(separator: "\n").count == 1)
      program.send(SIGKILL)
      program.wait()
    }
    #expect(try gateway.rows(Self.persons) == [["p001", "1"]])
    // Another gateway's strap is another's, whoever wears it there.
    _ = try gateway.rows("CREATE ROLE firmware_two LOGIN IN ROLE sensord_gateway")
    let two = try TestGateway(on: server, centre: "firmware", name: "firmware_two", makesCentre: false)
    try two.configure(wearer: "p003")
    try await two.record(1, into: try two.open())
    try two.forward()
    // Without a line of its own it is everything else's.
    let text = String(decoding: gateway.folder.bytes(of: "forward.conf"), as: UTF8.self)
    try gateway.folder.write("forward.conf", text.replacing("\(TestGateway.strap) = p002\n", with: ""))
    let without = try gateway.run("run", "--once")
    #expect(without.status == 78 && without.errors.contains("so 'other'"), "\(without)")
    try gateway.configure(wearer: "p002")
    #expect(try gateway.run("forget", "--person", "p001").status == 0)
    try gateway.forward()
    #expect(try gateway.rows(Self.persons) == [["p002", "1"], ["p003", "1"]])
  }

  @Test(
    "the number of a device whose sessions were all deleted may be that of another person's sensor",
    arguments: [true, false])
  func deviceNumbers(isForwardedBetween: Bool) async throws {
    let gateway = try TestGateway(on: server, centre: isForwardedBetween ? "numbers" : "numberslate")
    try gateway.configure(more: "[persons]\nC0:FF:EE:00:00:02 = p002")
    let store = try gateway.open()
    let sessions = try await gateway.record(2, into: store)
    try gateway.forward()
    for id in sessions { try await SampleSessions.delete(id, from: store) }
    if isForwardedBetween { try gateway.forward() }
    try await SampleSessions.save(
      UUID(), start: TestGateway.start, sensor: "C0:FF:EE:00:00:02", text: "Another", into: store)
    try gateway.forward()
    #expect(try gateway.rows(Self.persons) == [["p002", "1"]])
    #expect(try gateway.rows("SELECT person, manufacturer, \"row\" FROM sensord_device") == [["p002", "Another", "1"]])
  }

  @Test("output that cannot be written is an error, --version says it, and a store that is not there names its setting")
  func small() async throws {
    let gateway = try TestGateway(on: server, centre: "small")
    let errors = try OutputFile()
    let full = try StartedProgram(
      "/bin/bash", ["-c", "exec \"$0\" schema > /dev/full", TestGateway.program], output: errors.descriptor,
      errors: errors.descriptor)
    #expect(full.wait() == 74)
    let output = try OutputFile()
    let version = try StartedProgram(
      TestGateway.program, ["--version"], output: output.descriptor, errors: errors.descriptor)
    #expect(version.wait() == 0 && output.text.hasPrefix("sensord-forward 0."), "\(output.text)")
    let missing = try gateway.run("run", "--once", "--attempts", "1")
    #expect(missing.status == 66 && missing.errors.contains("'path' in [store]"), "\(missing)")
  }

  @Test("what only --once has is refused without it, and says what to do; so is a number of attempts that is none")
  func options() throws {
    let gateway = try TestGateway(on: server, centre: "options")
    for words in [["--again"], ["--json"], ["--attempts", "3"], ["--attempts", "0", "--once"]] {
      let (output, errors) = (try OutputFile(), try OutputFile())
      let program = try gateway.start(["run"] + words, output: output, errors: errors)
      // One that forwards says so.
      while program.status == nil && !errors.text.contains("trying again") { poll(nil, 0, 10) }
      #expect(program.status == 64 && errors.text.contains(words[0]), "\(words): \(errors.text)")
      #expect(words.contains("--once") || errors.text.contains("say 'run --once \(words.joined(separator: " "))'"))
      #expect(output.text.isEmpty && errors.text.split(separator: "\n").count == 1)
      program.send(SIGKILL)
      program.wait()
    }
  }

  @Test("another store in the place of one is begun anew, and is no error afterwards")
  func exchanged() async throws {
    let gateway = try TestGateway(on: server, centre: "exchanged")
    let former = try gateway.open()
    try await gateway.record(2, into: former)
    let waiting = try WaitingForwarder(of: gateway)
    defer { waiting.end() }
    await former.close()
    let other = TemporaryFolder()
    let store = try HealthStore.open(other.store, for: .writing)
    try await gateway.record(1, first: 7, into: store)
    await store.close()
    gateway.removeStore()
    for ending in ["", "-wal"] {
      try gateway.folder.write("store.sqlite\(ending)", other.bytes(of: "store.sqlite\(ending)"))
    }
    let again = try gateway.open()
    try await gateway.record(1, first: 8, into: again)
    try gateway.wait("SELECT count(*) - 3 FROM sensord_session")
    try gateway.wait("SELECT (count(*) = 2 AND sum(last - sent) = 0)::integer FROM sensord_gateway")
    let status = try gateway.run("status", "--json")
    #expect(status.output.contains("\"waiting\":0") && status.output.contains("\"lastError\":null"), "\(status)")
    #expect(!waiting.errors.text.contains("anchor") && waiting.program.status == nil, "\(waiting.errors.text)")
  }

  @Test("a table that is another's is waited for: the service goes on when it is back")
  func otherTable() async throws {
    let gateway = try TestGateway(on: server, centre: "othertable")
    let store = try gateway.open()
    let waiting = try WaitingForwarder(of: gateway)
    let (program, errors) = (waiting.program, waiting.errors)
    defer { waiting.end() }
    _ = try gateway.rows("ALTER TABLE sensord_gap RENAME TO other")
    try await gateway.record(1, into: store)
    while program.status == nil && !errors.text.contains("SQLSTATE 42P01") { poll(nil, 0, 10) }
    _ = try gateway.rows("ALTER TABLE other RENAME TO sensord_gap")
    while program.status == nil, try gateway.number("SELECT count(*) FROM sensord_session") == 0 { poll(nil, 0, 10) }
    #expect(program.status == nil, "\(errors.text)")
  }
}
