import Centre
import FoundationEssentials
import Glibc
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Many gateways, each with a day that has an hour of a strap, through eight writers: into one server, and into three by postgres_fdw.
@Suite("Forwarding from a thousand gateways", .serialized, .enabled(if: LongTrial.measures))
struct ThousandTests {
  private static let rates = 3_600
  private static let beats = 4_500
  private static let writers = 8
  private static let options = [
    "-c", "max_connections=80", "-c", "max_wal_size=2GB", "-c", "log_parameter_max_length=0",
    "-c", "log_line_prefix=%a@%d|", "-c", "postgres_fdw.application_name=%u",
  ]

  private static func name(_ number: Int) -> String { "g\(10_000 + number)" }

  /// Each has its strap, and a person of its own.
  private func makeGateways(_ count: Int, on server: TestServer) async throws -> [TestGateway] {
    var gateways: [TestGateway] = []
    for number in 0..<count {
      let gateway = try TestGateway(on: server, centre: "plain", name: Self.name(number), makesCentre: false)
      let store = try gateway.open()
      try await SampleSessions.save(
        UUID(), seed: UInt64(number + 1), beats: Self.beats, rates: Self.rates, start: TestGateway.start,
        sensor: TestGateway.strap, into: store)
      await store.close()
      gateways.append(gateway)
    }
    return gateways
  }

  /// Points all at a centre.
  private func turn(_ gateways: [TestGateway], to centre: String) throws {
    for (number, gateway) in gateways.enumerated() {
      try gateway.configure(wearer: "p\(10_000 + number)", centre: centre)
    }
  }

  /// Runs the program for each, eight at a time.
  private func run(_ words: String..., for gateways: [TestGateway]) throws {
    var waiting = gateways[...]
    var running: [(name: String, program: StartedProgram)] = []
    let (output, errors) = (try OutputFile(), try OutputFile())
    while !waiting.isEmpty || !running.isEmpty {
      while running.count < Self.writers, let next = waiting.popFirst() {
        running.append((next.name, try next.start(words, output: output, errors: errors)))
      }
      for (name, program) in running where program.status.map({ $0 != 0 }) ?? false {
        Issue.record("\(name): \(words) ended with \(program.wait()): \(errors.text)")
      }
      running.removeAll { $0.program.status != nil }
      poll(nil, 0, 1)
    }
  }

  @Test("nothing is there twice and nothing is lost; each statement is of one node; persons and rows are balanced")
  func thousand() async throws {
    let count = LongTrial.gateways
    let servers = try (0..<3).map { _ in try TestServer(options: Self.options) }
    for server in servers {
      try server.makeCentre("node", gateways: [])
      var all = try server.connect("node")
      try all.runScript(
        """
        DO $$ BEGIN FOR number IN 0..\(count - 1) LOOP
          EXECUTE format('CREATE ROLE %I LOGIN IN ROLE sensord_gateway', 'g' || 10000 + number);
        END LOOP; END $$
        """)
    }
    // The same by postgres_fdw to one node, and without it.
    try servers[0].makeCentre("single", gateways: [])
    try servers[0].makeCentre("plain", gateways: [])
    for (name, nodes) in [("one", [(servers[0], "single")]), ("three", servers.map { ($0, "node") })] {
      let script = CentreSchema.script(nodes: nodes.map { [("host", $0.0.socket), ("dbname", $0.1)] })
      try servers[0].makeCentre(name, gateways: [], script: script)
      var centre = try servers[0].connect(name)
      for index in nodes.indices {
        try centre.runScript(
          """
          DO $$ DECLARE login text; BEGIN
            FOR login IN SELECT 'owner' UNION SELECT 'g' || 10000 + n FROM generate_series(0, \(count - 1)) AS n LOOP
              EXECUTE format('CREATE USER MAPPING FOR %I SERVER sensord_node_\(index) OPTIONS (user %L, password_required ''false'')',
                login, login);
            END LOOP; END $$
          """)
      }
    }
    var gateways: [TestGateway] = []
    let making = try await Measured.seconds { gateways = try await makeGateways(count, on: servers[0]) }
    Measured.say("\(count) stores recorded", making, "s")

    var seconds: [String: Double] = [:]
    for centre in ["plain", "one", "three"] {
      try turn(gateways, to: centre)
      if centre == "three" {
        // What the nodes are asked for the first few is in their logs.
        for server in servers {
          var node = try server.connect("node")
          try node.run("ALTER DATABASE node SET log_statement = 'all'")
        }
        try run("run", "--once", for: Array(gateways.prefix(24)))
        for server in servers {
          var node = try server.connect("node")
          try node.run("ALTER DATABASE node RESET log_statement")
        }
        try checkStatements(of: Array(gateways.prefix(24)), on: servers)
      }
      let few = centre == "three" ? Array(gateways.dropFirst(24)) : gateways
      seconds[centre] = try Measured.seconds { try run("run", "--once", for: few) } / Double(few.count)
      Measured.say(
        "\(few.count) gateways, a day each, into '\(centre)'", Double(few.count) * (seconds[centre] ?? 0), "s")
    }
    Measured.say("one node by fdw : three", (seconds["one"] ?? 0) / (seconds["three"] ?? 1), "times as fast")
    Measured.say("one server : three by fdw", (seconds["plain"] ?? 0) / (seconds["three"] ?? 1), "times as fast")

    try compare(count, on: servers[0])
    try checkBalance(count, of: servers)
    // Nothing is there twice when all comes again.
    var centre = try servers[0].connect("three")
    try centre.run("UPDATE sensord_gateway SET anchor = 'start'")
    try run("run", "--once", for: gateways)
    try compare(count, on: servers[0])
    try run("verify", for: gateways)
  }

  /// Both centres have the same, and all of it once.
  private func compare(_ count: Int, on server: TestServer) throws {
    var plain = try server.connect("plain")
    var three = try server.connect("three")
    let sums = "SELECT count(*), count(DISTINCT (gateway, id)), sum(rates), sum(beats) FROM sensord_sessions"
    let all = try three.run(sums).rows
    #expect(all == [["\(count)", "\(count)", "\(count * Self.rates)", "\(count * Self.beats)"]])
    for table in CentreTable.all {
      let rows = "SELECT count(*), count(DISTINCT t.*::text) FROM \(table.fullName) AS t"
      #expect(try plain.run(rows).rows == three.run(rows).rows, "\(table.name)")
    }
    for table in [CentreTable.session, .sample] {
      let digests = """
        SELECT md5(string_agg(gateway || id || encode(digest, 'hex'), '' ORDER BY gateway, id)) FROM \(table.fullName)
        """
      #expect(try plain.run(digests).rows == three.run(digests).rows, "\(table.name)")
    }
  }

  /// Each person is on one node; no node has more than a tenth above or below its part.
  private func checkBalance(_ count: Int, of servers: [TestServer]) throws {
    var found: [Set<String>] = []
    var rows: [Int] = []
    for server in servers {
      var node = try server.connect("node")
      var (persons, number) = (Set<String>(), 0)
      for table in CentreTable.sharded {
        let counts = try node.run("SELECT person, count(*) FROM \(table.fullName) GROUP BY person").rows
        persons.formUnion(counts.compactMap { $0[0] })
        number += counts.reduce(0) { $0 + (Int($1[1] ?? "") ?? 0) }
      }
      found.append(persons)
      rows.append(number)
    }
    #expect(found.map(\.count).reduce(0, +) == count && Set(found.joined()).count == count)
    let mean = Double(rows.reduce(0, +)) / Double(rows.count)
    let parts = rows.map { (Double($0) / mean - 1) * 100 }
    print("MEASURED  persons on the nodes: \(found.map(\.count)), rows: \(rows)")
    print("MEASURED  rows of the nodes against their mean: \(parts.map(Measured.rounded)) % (within 10 %)")
    if count >= 1_000 { #expect(parts.allSatisfy { abs($0) <= 10 }) }
  }

  /// Each statement of a gateway asks one node, by the nodes' logs.
  private func checkStatements(of gateways: [TestGateway], on servers: [TestServer]) throws {
    var asked: [String: [String: Set<Int>]] = [:]
    for (index, server) in servers.enumerated() {
      // A statement of several lines goes on after a tab.
      for line in server.said.replacing("\n\t", with: " ").split(separator: "\n") {
        guard let mark = line.firstRange(of: "@node|LOG:  "), let login = Optional(String(line[..<mark.lowerBound])),
          login.hasPrefix("g1")
        else { continue }
        var statement = line[mark.upperBound...]
        if let colon = statement.firstRange(of: ": ") { statement = statement[colon.upperBound...] }
        guard !["START", "COMMIT", "SET", "DEALLOCATE", "CLOSE", "FETCH"].contains(where: statement.hasPrefix) else {
          continue
        }
        if let select = statement.firstRange(of: " FOR SELECT ") { statement = statement[select.lowerBound...] }
        asked[login, default: [:]][String(statement), default: []].insert(index)
      }
    }
    #expect(asked.count == gateways.count)
    var (most, count) = (0, 0)
    for statements in asked.values {
      for (statement, nodes) in statements {
        count += 1
        most = max(most, nodes.count)
        #expect(nodes.count == 1, "\(statement)")
      }
    }
    print("MEASURED  nodes that one of \(count) statements of \(asked.count) gateways asked: \(most) at the most")
  }
}
