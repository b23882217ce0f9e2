import Centre
import FoundationEssentials
import Glibc
import HealthModel
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Three servers as one, by postgres_fdw; the first is also the one that all connect to.
@Suite("Forwarding to several servers", .serialized)
struct NodesTests {
  @Test("persons are spread over nodes, each whole on one; what a node missed is sent again; rights hold")
  func nodes() async throws {
    var servers = try (0..<3).map { _ in try TestServer() }
    for server in servers { try server.makeCentre("node", gateways: ["nodes_one", "nodes_two"]) }
    for server in servers {
      var node = try server.connect("node")
      try node.run("CREATE ROLE reader LOGIN IN ROLE sensord_administrator")
    }
    let script = CentreSchema.script(nodes: servers.map { [("host", $0.socket), ("dbname", "node")] })
    try servers[0].makeCentre("centre", gateways: [], script: script)
    let one = try TestGateway(on: servers[0], centre: "centre", name: "nodes_one", makesCentre: false)
    let two = try TestGateway(on: servers[0], centre: "centre", name: "nodes_two", makesCentre: false)
    try await one.record(1, into: one.open())
    for words in [["run", "--once", "--attempts", "1"], ["status"]] {
      let (output, errors) = (try OutputFile(), try OutputFile())
      let status = try one.start(words, output: output, errors: errors).wait()
      #expect(status == 78 && errors.text.split(separator: "\n").count == 1, "\(errors.text)")
      for index in servers.indices {
        let statement =
          "CREATE USER MAPPING FOR \"nodes_one\" SERVER sensord_node_\(index) OPTIONS (user 'nodes_one', password '…');"
        #expect(errors.text.contains(statement), "\(errors.text)")
      }
    }
    one.removeStore()
    // The tests' servers ask for no password; the owner may say so.
    for login in ["nodes_one", "nodes_two", "owner"] {
      for index in servers.indices {
        _ = try one.rows(
          "CREATE USER MAPPING FOR \(login) SERVER sensord_node_\(index) OPTIONS (user '\(login)', password_required 'false')"
        )
      }
    }
    let stores = try [one.open(), two.open()]
    let straps = (10..<26).map { "C0:FF:EE:00:00:\($0)" }
    let persons = straps.indices.map { "\(straps[$0]) = q\($0 + 100)" }.joined(separator: "\n")
    var sessions: [UUID] = []
    for (gateway, store) in zip([one, two], stores) {
      try gateway.configure(more: "[persons]\n\(persons)")
      for (index, strap) in straps.enumerated() {
        let id = UUID()
        try await SampleSessions.save(id, seed: UInt64(index), start: TestGateway.start, sensor: strap, into: store)
        sessions.append(id)
      }
      try gateway.forward()
    }
    try await SampleSessions.delete(sessions[0], from: stores[0])
    try await SampleSessions.save(
      sessions[1], version: 2, seed: 9, beats: 400, start: TestGateway.start, sensor: straps[1], into: stores[0])
    try one.forward()
    #expect(try one.number("SELECT count(*) FROM sensord_sessions") == 31)
    var spread: [String: Set<Int>] = [:]
    for (index, server) in servers.enumerated() {
      var node = try server.connect("node")
      for table in CentreTable.sharded where table != .opaque {
        for row in try node.run("SELECT DISTINCT person FROM \(table.fullName)").rows {
          spread[row[0] ?? "", default: []].insert(index)
        }
      }
    }
    #expect(spread.count == 16 && spread.values.allSatisfy { $0.count == 1 } && Set(spread.values).count == 3)

    // What a gateway may write, the node says: the parent's own rule is not asked for rows that go elsewhere.
    #expect(throws: DatabaseFailure.self) {
      try one.rows(
        """
        INSERT INTO sensord_gap (person, time, gateway, owner, ordinal, reason, start_time, until)
        VALUES ('q101', 0, 'nodes_one', gen_random_uuid(), 0, 'link', 0, 0)
        """, as: "nodes_two")
    }
    #expect(try one.number("SELECT count(DISTINCT gateway) FROM sensord_session", as: "nodes_two") == 1)
    _ = try one.rows("CREATE ROLE nodes_ada LOGIN IN ROLE sensord_researcher")
    for index in servers.indices {
      _ = try one.rows(
        "CREATE USER MAPPING FOR nodes_ada SERVER sensord_node_\(index) OPTIONS (user 'reader', password_required 'false')"
      )
    }
    _ = try one.rows("INSERT INTO sensord_study VALUES ('sleep', 'q102')")
    _ = try one.rows("INSERT INTO sensord_researcher VALUES ('nodes_ada', 'sleep')")
    #expect(try one.rows("SELECT DISTINCT person FROM sensord_sessions", as: "nodes_ada") == [["q102"]])
    #expect(throws: DatabaseFailure.self) { try one.rows("DELETE FROM sensord_gap", as: "nodes_ada") }

    // A node is gone: nothing is lost, and it is said in one line.
    servers[2].program.send(SIGKILL)
    servers[2].program.wait()
    for (index, strap) in straps.enumerated() {
      try await SampleSessions.save(
        UUID(), seed: UInt64(index), start: TestGateway.start.advanced(byMicroseconds: 86_400_000_000), sensor: strap,
        into: stores[0])
    }
    let missed = try one.run("run", "--once", "--attempts", "1")
    #expect(missed.status == 75 && missed.errors.split(separator: "\n").count == 1, "\(missed)")
    servers[2] = try servers[2].restarted()
    try one.forward()
    // Sent again from the start nothing is there twice.
    _ = try one.rows("UPDATE sensord_gateway SET anchor = 'start'")
    let count = try one.number("SELECT count(*) FROM sensord_chunk")
    try one.forward()
    #expect(try one.number("SELECT count(*) FROM sensord_chunk") == count)
    let path = "\(one.folder.path)/restored.sqlite"
    #expect(try one.run("restore", "--to", path).status == 0)
  }
}
