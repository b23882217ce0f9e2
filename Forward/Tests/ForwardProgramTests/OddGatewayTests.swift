import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Gateways that are not as they should be: a clock that is wrong, one strap at two of them, one store at two of them, hostile texts.
@Suite("Forwarding from odd gateways", .serialized)
struct OddGatewayTests {
  private static let shared = Result { try TestServer.shared() }
  private static let day: Int64 = 86_400_000_000
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  /// As if the recorder's clock had been wrong while it saved what it has.
  private func shift(_ gateway: TestGateway, by microseconds: Int64) throws {
    let errors = try OutputFile()
    let program = try StartedProgram(
      "/usr/bin/python3",
      [
        "-c",
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('UPDATE commits SET time = time + ?', (int(sys.argv[2]),)); c.commit()",
        gateway.folder.store, "\(microseconds)",
      ], output: errors.descriptor, errors: errors.descriptor)
    try #require(program.wait() == 0, "\(errors.text)")
  }

  @Test(
    "a clock that was wrong by a year: all is there as it was recorded, and moves when it is mended",
    arguments: [-365, 365])
  func clock(days: Int64) async throws {
    let gateway = try TestGateway(on: server, centre: days < 0 ? "late" : "early")
    let store = try gateway.open()
    let wrong = TestGateway.start.advanced(byMicroseconds: days * Self.day)
    let sessions = (0..<3).map { _ in UUID() }
    for (index, id) in sessions.enumerated() {
      try await SampleSessions.save(
        id, seed: UInt64(index), start: wrong.advanced(byMicroseconds: Int64(index) * Self.day),
        sensor: TestGateway.strap, into: store)
    }
    try shift(gateway, by: days * Self.day)
    let waiting = try gateway.run("status", "--json").output
    let seconds = waiting.split(separator: "\"waitingSeconds\":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? -1
    #expect(days < 0 ? seconds >= 365 * 86_400 : seconds == 0, "\(waiting)")
    try gateway.forward()
    // The clock is right again: one is made anew at its right time, one deleted, one recorded.
    try await SampleSessions.save(
      sessions[0], version: 2, start: TestGateway.start, sensor: TestGateway.strap, into: store)
    try await SampleSessions.delete(sessions[1], from: store)
    try await gateway.record(1, first: 5, into: store)
    try gateway.forward()
    let times = try gateway.rows("SELECT time FROM sensord_session ORDER BY time").map { Int64($0[0] ?? "") }
    let expected = [0, 5 * Self.day, (days + 2) * Self.day].map { TestGateway.start.microseconds + $0 }
    #expect(times == expected.sorted())
    #expect(try gateway.number("SELECT count(*) FROM sensord_hourly") == 3)
    let year =
      days < 0
      ? "< \(TestGateway.start.microseconds - Self.day)" : "> \(TestGateway.start.microseconds + 100 * Self.day)"
    for table in CentreTable.sharded where table != .attachment && table != .opaque {
      let owner = CentreTable.parts.contains(table) ? "owner" : "coalesce(to_jsonb(t)->>'session', id::text)::uuid"
      let left = try gateway.number(
        """
        SELECT count(*) FROM \(table.fullName) AS t WHERE time \(year) AND \(owner) NOT IN
          (SELECT id FROM sensord_sample WHERE time \(year) UNION SELECT id FROM sensord_session WHERE time \(year))
        """)
      #expect(left == 0, "\(table.name)")
    }
    let status = try gateway.run("status", "--json").output
    #expect(status.contains("\"waiting\":0,\"waitingSeconds\":0,\"olderCopy\":false"), "\(status)")
    #expect(try gateway.run("restore", "--to", "\(gateway.folder.path)/restored.sqlite").status == 0)
  }

  @Test(
    "one strap at two gateways is two sessions; an hour counts once, of the one that has more; a deletion is of one")
  func sameStrap() async throws {
    let one = try TestGateway(on: server, centre: "strap", name: "strap_one")
    _ = try one.rows("CREATE ROLE strap_two LOGIN IN ROLE sensord_gateway")
    let two = try TestGateway(on: server, centre: "strap", name: "strap_two", makesCentre: false)
    let stores = try [one.open(), two.open()]
    // The first hears it for a shorter time.
    let first = try await one.record(1, beats: 200, into: stores[0])
    let second = try await two.record(1, beats: 500, into: stores[1])
    for gateway in [one, two] { try gateway.forward() }
    #expect(try one.number("SELECT count(*) FROM sensord_sessions WHERE person = 'p001'") == 2)
    #expect(try one.rows("SELECT DISTINCT count FROM sensord_hourly") == [["500"]])
    try await SampleSessions.delete(second[0], from: stores[1])
    for gateway in [one, two] { try gateway.forward() }
    #expect(try one.rows("SELECT count FROM sensord_hourly") == [["200"]])
    #expect(try one.rows("SELECT gateway, id FROM sensord_sessions") == [["strap_one", first[0].text]])
    // Each restores what is its own.
    for (gateway, count) in [(one, 1), (two, 0)] {
      let path = "\(gateway.folder.path)/restored.sqlite"
      #expect(try gateway.run("restore", "--to", path).status == 0)
      let restored = try HealthStore.open(path, for: .reading)
      let objects = try await restored.history(after: .start, limit: 1_000).changes
      #expect(objects.filter { $0.rows.first?.table == "sessions" }.count == count)
      await restored.close()
    }
  }

  @Test(
    "the same store at two gateways, as after a disk was copied: each has its own, and neither the other's deletions")
  func sameStore() async throws {
    let one = try TestGateway(on: server, centre: "copied", name: "copied_one")
    _ = try one.rows("CREATE ROLE copied_two LOGIN IN ROLE sensord_gateway")
    let two = try TestGateway(on: server, centre: "copied", name: "copied_two", makesCentre: false)
    let sessions: [UUID]
    do {
      let store = try one.open()
      sessions = try await one.record(3, into: store)
      await store.close()
    }
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try two.folder.write(name, one.folder.bytes(of: name))
    }
    try two.configure(wearer: "p002")
    let stores = try [one.open(), two.open()]
    for gateway in [one, two] { try gateway.forward() }
    try await SampleSessions.delete(sessions[0], from: stores[0])
    try await SampleSessions.save(
      sessions[1], version: 2, seed: 9, beats: 400, start: TestGateway.start, sensor: TestGateway.strap,
      into: stores[1])
    for gateway in [one, two] { try gateway.forward() }
    let found = try one.rows(
      "SELECT gateway, person, count(*), sum(rates) FROM sensord_sessions GROUP BY 1, 2 ORDER BY 1")
    #expect(found == [["copied_one", "p001", "2", "600"], ["copied_two", "p002", "3", "1000"]])
  }

  @Test("hostile names of devices, gateways, sensors and metadata arrive, and nothing else happens")
  func names() async throws {
    let name = "o'b; DROP TABLE sensord_gap; -- \\ $1 {} é"
    let gateway = try TestGateway(on: server, centre: "names", name: name)
    try gateway.configure(more: "[devices]\nnames = yes")
    let store = try gateway.open()
    let hostile = "'; DROP TABLE sensord_sample; --\\x00 \"\u{202E}{}$1\u{1B}[2J\n\u{FFFF}"
    let sensors = [
      hostile, "restored:", "restored:\0", "restored:\"},{", "restored:\(String(repeating: "p", count: 65))",
    ]
    for (index, sensor) in sensors.enumerated() {
      try await SampleSessions.save(
        UUID(), start: TestGateway.start.advanced(byMicroseconds: Int64(index) * Self.day), sensor: sensor,
        text: index == 0 ? hostile : "\(index)\0", into: store)
    }
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_sessions") == sensors.count)
    // What has a zero is there as JSON.
    #expect(try gateway.number("SELECT count(*) FROM sensord_gaps") == 1)
    #expect(try gateway.number("SELECT count(*) FROM sensord_object WHERE origin = 'gaps'") == sensors.count - 1)
    // What is no pseudonym names nobody.
    #expect(try gateway.rows("SELECT DISTINCT person FROM sensord_sessions") == [["p000"]])
    let texts = try gateway.rows(
      """
      SELECT name, manufacturer, local_identifier, detail, value #>> '{}', key FROM sensord_device AS device
        JOIN sensord_session AS session ON session.device = device.row
        JOIN sensord_gap AS gap ON gap.owner = session.id JOIN sensord_metadata AS metadata ON metadata.owner = session.id
      WHERE session.time = \(TestGateway.start.microseconds)
      """)
    #expect(texts == [Array(repeating: hostile, count: 6)])
    let path = "\(gateway.folder.path)/restored.sqlite"
    let restored = try gateway.run("restore", "--to", path)
    #expect(restored.status == 0, "\(restored)")
    let copy = try HealthStore.open(path, for: .reading)
    let before = try await store.history(after: .start, limit: 1_000).changes
    let after = try await copy.history(after: .start, limit: 1_000).changes
    #expect(before.map(\.rows) == after.map(\.rows))
    #expect(before.first?.device == after.first?.device)
    await copy.close()
  }
}
