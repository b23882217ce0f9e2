import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// What `verify` finds and `restore` refuses, and what is no difference: changes that wait, a forwarder beside it, what was forgotten.
@Suite("Comparing both sides", .serialized)
struct SidesTests {
  private static let shared = Result { try TestServer.shared() }
  private static let source = SourceRevision(identifier: "org.example", name: "Example")
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  @Test("a changed value is found wherever it is and is not restored; all is sent again where that is asked for")
  func falsified() async throws {
    let gateway = try TestGateway(on: server, centre: "falsified")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try gateway.forward()
    let restored = "\(gateway.folder.path)/restored.sqlite"
    for (damage, isRestored) in [
      ("UPDATE sensord_sample SET average = average + 1 WHERE identifier = 'heartRate'", false),
      ("UPDATE sensord_cell SET sum = sum + 1", true), ("UPDATE sensord_gap SET until = until + 1", false),
      ("UPDATE sensord_metadata SET value = '17'", false), ("UPDATE sensord_run SET slope = slope + 1", false),
      ("UPDATE sensord_session SET until = until + 1", false), ("DELETE FROM sensord_device", false),
      ("UPDATE sensord_chunk SET payload = payload || '\\x00'", false),
      ("UPDATE sensord_chunk SET payload = payload || '\\x00', sha256 = sha256(payload || '\\x00')", false),
      ("DELETE FROM sensord_session", true), ("DELETE FROM sensord_gap", false),
    ] {
      _ = try gateway.rows(damage)
      let verified = try gateway.run("verify", "--json")
      #expect(verified.status == 1 && verified.errors.contains("--again"), "\(damage): \(verified)")
      let outcome = try gateway.run("restore", "--to", restored)
      if isRestored {
        unsafe unlink(restored)
      } else {
        #expect(outcome.status == 65 && outcome.errors.contains("not what their digests say"), "\(damage): \(outcome)")
        #expect(!gateway.folder.names.contains { $0.hasPrefix("restored") })
      }
      let again = try gateway.run("run", "--once", "--again")
      #expect(again.status == 0, "\(damage): \(again)")
      #expect(try gateway.run("verify").status == 0, "\(damage)")
    }
    #expect(try gateway.run("restore", "--to", restored).status == 0)
    let copy = try HealthStore.open(restored, for: .reading)
    #expect(try await copy.check().isEmpty)
    await copy.close()
  }

  @Test(
    "what waits is counted and is no difference: a deletion, a session made anew, what had collected a deleted sample")
  func waiting() async throws {
    let gateway = try TestGateway(on: server, centre: "pending")
    let store = try gateway.open()
    let sessions = try await gateway.record(3, into: store)
    let end = TestGateway.start.advanced(byMicroseconds: 60_000_000)
    var series = QuantitySeriesBuilder(type: .heartRate, start: TestGateway.start)
    try series.insert(90, from: TestGateway.start, to: TestGateway.start)
    let rate = try series.finish()
    var activity = try WorkoutSession(WorkoutConfiguration(.running))
    try activity.startActivity(at: TestGateway.start)
    try activity.stopActivity(at: end)
    try activity.end(at: end)
    var builder = try WorkoutBuilder(of: activity)
    let workout = try NewSample(try builder.finishWorkout(), collected: [rate.id])
    try await store.save([rate, workout], as: Self.source)
    try gateway.forward()
    let steps: [() async throws -> Void] = [
      { try await SampleSessions.delete(sessions[0], from: store) },
      {
        try await SampleSessions.save(
          sessions[1], version: 2, beats: 400, start: TestGateway.start, sensor: TestGateway.strap, into: store)
      },
      { try await store.delete([rate.id], as: Self.source.identifier) },
    ]
    for (index, step) in steps.enumerated() {
      try await step()
      let verified = try gateway.run("verify", "--json")
      #expect(verified.status == 0 && !verified.output.contains("\"waiting\":0"), "\(index): \(verified)")
      // A real difference is still one.
      _ = try gateway.rows("UPDATE sensord_session SET until = until + 1 WHERE id = '\(sessions[2].text)'")
      #expect(try gateway.run("verify").status == 1, "\(index)")
      _ = try gateway.rows("UPDATE sensord_session SET until = until - 1 WHERE id = '\(sessions[2].text)'")
      try gateway.forward()
    }
  }

  @Test("verify beside a forwarder that is sending finds no difference")
  func beside() async throws {
    let gateway = try TestGateway(on: server, centre: "besiderun")
    let store = try gateway.open()
    let program = try gateway.start(["run"], output: try OutputFile(), errors: try OutputFile())
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    var sessions = try await gateway.record(3, into: store)
    try gateway.wait("SELECT count(*) FROM sensord_session")
    for round in 0..<12 {
      let output = try OutputFile()
      let verify = try gateway.start(["verify", "--json"], output: output, errors: try OutputFile())
      while verify.status == nil {
        sessions += try await gateway.record(1, first: 10 + round, into: store)
        try await SampleSessions.delete(sessions.removeFirst(), from: store)
      }
      #expect(verify.wait() == 0, "\(output.text)")
    }
  }

  @Test("forgetting beside a forwarder is no trouble, and status says how far the centre is then")
  func forget() async throws {
    let gateway = try TestGateway(on: server, centre: "forgetrun")
    let other = "C0:FF:EE:00:00:02"
    try gateway.configure(more: "[persons]\n\(other) = p002")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    try await SampleSessions.save(UUID(), seed: 8, start: TestGateway.start, sensor: other, into: store)
    let waiting = try WaitingForwarder(of: gateway)
    let (program, errors) = (waiting.program, waiting.errors)
    defer { waiting.end() }
    #expect(try gateway.run("forget", "--person", "p001").status == 0)
    try await SampleSessions.save(UUID(), seed: 9, start: TestGateway.start, sensor: other, into: store)
    try gateway.wait("SELECT count(*) - 1 FROM sensord_session")
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    #expect(!errors.text.contains("another program"), "\(errors.text)")
    let status = try gateway.run("status", "--json")
    #expect(status.status == 0 && status.output.contains("\"lastError\":null"), "\(status)")
    program.send(SIGKILL)
    program.wait()
    #expect(try gateway.run("forget", "--gateway", gateway.name).status == 0)
    let after = try gateway.run("status", "--json")
    #expect(after.output.hasPrefix("{\"sent\":0,") && !after.output.contains("\"waiting\":0"), "\(after)")
    #expect(try gateway.run("verify", "--json").status == 0)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 0)
  }

  @Test("a damaged row keeps none behind it back: it is named, marked, counted, and sent when it is mended")
  func damaged() async throws {
    let gateway = try TestGateway(on: server, centre: "damagedrows")
    let store = try gateway.open()
    let sessions = try await gateway.record(3, into: store)
    try gateway.alterStore(
      """
      c.executescript('''
      UPDATE summaries SET cells = x'00ff' WHERE id = (SELECT min(id) FROM summaries);
      UPDATE sessions SET start = 'x' || start WHERE id = (SELECT number FROM changes WHERE hex(uuid) = '\(Self.hex(sessions[1]))');
      UPDATE gaps SET lost = 'x' WHERE session = (SELECT number FROM changes WHERE hex(uuid) = '\(Self.hex(sessions[2]))');
      ''')
      """)
    try await gateway.record(1, first: 7, into: store)
    let forwarded = try gateway.run("run", "--once")
    let lines = forwarded.errors.split(separator: "\n")
    #expect(forwarded.status == 0 && lines.count == 3, "\(forwarded)")
    #expect(lines.filter { $0.contains("is not what was written") }.count == 2, "\(forwarded)")
    #expect(lines.contains { $0.contains(sessions[1].text) && $0.contains("was left out") }, "\(forwarded)")
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 3)
    #expect(try gateway.number("SELECT count(DISTINCT owner) FROM sensord_cell") == 3)
    let status = try gateway.run("status", "--json")
    #expect(status.status == 0 && status.output.contains("\"damaged\":3"), "\(status)")
    let verified = try gateway.run("verify", "--json")
    #expect(verified.status == 1 && verified.output.contains("\"damagedInStore\":3"), "\(verified)")
    #expect(
      verified.output.contains("\"missing\":0,\"extra\":0,\"different\":0")
        && verified.output.contains("\"otherRows\":0"))
    try gateway.alterStore(
      "c.execute(\"UPDATE sessions SET start = CAST(substr(start, 2) AS INTEGER) WHERE typeof(start) = 'text'\")")
    #expect(try gateway.run("run", "--once", "--again").status == 0)
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 4)
    #expect(try gateway.run("status", "--json").output.contains("\"damaged\":2"))
    let after = try gateway.run("verify", "--json")
    #expect(after.status == 0 && after.output.contains("\"damagedInStore\":2"), "\(after)")
    // As it is in the store, it comes back.
    #expect(try gateway.run("restore", "--to", "\(gateway.folder.path)/restored.sqlite").status == 0)
  }

  private static func hex(_ id: UUID) -> String { id.uuidString.replacing("-", with: "") }
}
