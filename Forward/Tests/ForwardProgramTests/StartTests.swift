import Centre
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import sensord_forward

/// Questions of a forwarder before it forwards anything.
@Suite("The questions at a forwarder's start", .serialized)
struct StartTests {
  /// Sessions at the centre; `make gateways` has three years of them.
  private static let sessions = LongTrial.measures ? 34_000 : 1_000

  @Test(
    "read each row a few times at most, on tables that were never analysed, on one server and by fdw",
    arguments: [1, 2])
  func rowsRead(nodes: Int) async throws {
    let servers = try (0..<nodes).map { _ in try TestServer() }
    let gateway: TestGateway
    if nodes == 1 {
      gateway = try TestGateway(on: servers[0], centre: "start")
    } else {
      for server in servers { try server.makeCentre("node", gateways: ["start_gateway"]) }
      let script = CentreSchema.script(nodes: servers.map { [("host", $0.socket), ("dbname", "node")] })
      try servers[0].makeCentre("start", gateways: [], script: script)
      gateway = try TestGateway(on: servers[0], centre: "start", makesCentre: false)
      for (login, index) in [("start_gateway", 0), ("start_gateway", 1), ("owner", 0), ("owner", 1)] {
        _ = try gateway.rows(
          "CREATE USER MAPPING FOR \(login) SERVER sensord_node_\(index) OPTIONS (user '\(login)', password_required 'false')"
        )
      }
    }
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    try gateway.forward()
    for table in [CentreTable.session, .sample] {
      let columns = table.columns.map { CentreSchema.quoted($0.name) }
      let values = columns.map { column in
        switch column {
        case "\"time\"": "time + number"
        case "\"id\"", "\"session\"": "md5(\(column)::text || number)::uuid"
        default: column
        }
      }
      _ = try gateway.rows(
        """
        INSERT INTO \(table.fullName) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))
        FROM \(table.fullName), generate_series(1, \(Self.sessions)) AS number
        """)
    }
    _ = try gateway.rows(
      "INSERT INTO sensord_object SELECT person, time, gateway, id, 90, 'clocks', '{}' FROM sensord_session")
    _ = try gateway.rows(
      """
      INSERT INTO sensord_object SELECT person, time, gateway, id, 91, 'attachments', '{}' FROM sensord_sample
      WHERE identifier = 'heartRate' LIMIT 20
      """)
    let databases = servers.map { ($0, nodes == 1 ? "start" : "node") }
    func rowsRead() throws -> Int {
      try databases.reduce(0) { sum, place in
        var database = try place.0.connect(place.1)
        // A connection counts what it has read when it ends.
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()"
        while try database.run(others).rows[0][0] != "0" { poll(nil, 0, 10) }
        let read = try database.run(
          """
          SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)
          """)
        return sum + (Int(read.rows[0][0] ?? "") ?? 0)
      }
    }
    let before = try rowsRead()
    let seconds = try Measured.seconds {
      let forwarded = try gateway.run("run", "--once")
      #expect(forwarded.status == 0 && forwarded.output.contains("0 changes"), "\(forwarded)")
    }
    let read = try rowsRead() - before
    Measured.say("start at \(Self.sessions) sessions, \(nodes) nodes", seconds, "s", goal: "goal: 0.2 s of the server")
    Measured.say("rows read by it", Double(read), "")
    // Sessions, five samples of each, a row of another table.
    #expect(read < 4 * 7 * Self.sessions)
  }
}
