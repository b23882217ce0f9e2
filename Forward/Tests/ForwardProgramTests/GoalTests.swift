import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// What Documentation/many-gateways.md says must be reached, measured with the program that SENSORD_FORWARD names. Nothing here fails
/// for a time: `make gateways` prints what was measured.
@Suite("What forwarding must reach", .serialized, .enabled(if: LongTrial.measures))
struct GoalTests {
  /// Hours of recording; rates and beats in each.
  private static let hours = 365
  private static let rates = 3_600
  private static let beats = 8_000
  private static let persons = 30

  private static func strap(_ number: Int) -> String { "C0:FF:EE:00:01:\(number < 10 ? "0" : "")\(number)" }

  @Test("a year: its time, memory and bytes; a cohort by hour; nothing while nothing changes")
  func year() async throws {
    let server = try TestServer(options: ["-c", "max_wal_size=4GB"])
    let gateway = try TestGateway(on: server, centre: "year")
    let straps = (0..<Self.persons).map { "\(Self.strap($0)) = q\($0 + 100)" }.joined(separator: "\n")
    try gateway.configure(more: "[persons]\n\(straps)")
    let store = try gateway.open()
    for hour in 0..<Self.hours {
      try await SampleSessions.save(
        UUID(), seed: UInt64(hour + 1), beats: Self.beats, rates: Self.rates,
        start: TestGateway.start.advanced(byMicroseconds: Int64(hour) * 86_400_000_000),
        sensor: Self.strap(hour % Self.persons), into: store)
    }
    await store.close()
    var most = 0
    var status: Int32?
    let errors = try OutputFile()
    let seconds = try Measured.seconds {
      let program = try gateway.start(["run", "--once"], output: try OutputFile(), errors: errors)
      while program.status == nil {
        most = max(most, ProcessFigures(program).mostResident)
        poll(nil, 0, 5)
      }
      status = program.status
    }
    #expect(status == 0, "\(errors.text)")
    #expect(try gateway.number("SELECT sum(rates) FROM sensord_sessions") == Self.hours * Self.rates)
    #expect(try gateway.number("SELECT sum(beats) FROM sensord_sessions") == Self.hours * Self.beats)
    Measured.say("a year (\(Self.hours) h) into an empty centre", seconds, "s", goal: "at most 15 s")
    Measured.say("resident meanwhile", Double(most) / 1024, "MiB", goal: "at most 32 MiB")

    let sizes = try gateway.number(
      """
      SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname = 'public'
      """)
    let vacuum = try StartedProgram(
      "/usr/bin/python3",
      [
        "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('VACUUM INTO ?', (sys.argv[2],))",
        gateway.folder.store, gateway.folder.path + "/vacuumed",
      ], output: errors.descriptor, errors: errors.descriptor)
    #expect(vacuum.wait() == 0, "\(errors.text)")
    let vacuumed = Double(gateway.folder.bytes(of: "vacuumed").count)
    Measured.say(
      "bytes at the centre by bytes of the vacuumed store", Double(sizes) / vacuumed, "", goal: "at most 1.5")
    for row in try gateway.rows(
      """
      SELECT c.relname, pg_total_relation_size(c.oid), pg_indexes_size(c.oid) FROM pg_class AS c
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname = 'public' ORDER BY 2 DESC LIMIT 6
      """)
    { print("      \(row[0] ?? ""): \(row[1] ?? "") bytes, of these indexes \(row[2] ?? "")") }
    print("      vacuumed store: \(Int(vacuumed)) bytes")

    var all = try server.connect("year")
    try all.run(
      """
      CREATE TABLE plain AS SELECT person, time + n * 1000000 AS time, (minimum + n % 10)::double precision AS value
      FROM sensord_cell, generate_series(0, count - 1) AS n WHERE identifier = 'heartRate'
      """)
    try all.run("CREATE INDEX plain_person ON plain (person, time)")
    try all.run("ANALYZE")
    let fromRows = """
      SELECT person, time / 3600000000, count(*), avg(value), min(value), max(value) FROM plain GROUP BY 1, 2
      """
    let fromCells = "SELECT * FROM sensord_hourly WHERE identifier = 'heartRate'"
    func best(_ statement: String) throws -> (Double, Int) {
      var (least, count) = (Double.infinity, 0)
      for _ in 0..<3 {
        least = try min(
          least, Measured.seconds { count = try all.run("SELECT count(*) FROM (\(statement)) AS x").rows.count })
      }
      count = try Int(all.run("SELECT count(*) FROM (\(statement)) AS x").rows[0][0] ?? "") ?? 0
      return (least, count)
    }
    let (rows, cells) = (try best(fromRows), try best(fromCells))
    #expect(rows.1 == cells.1)
    Measured.say(
      "hours of \(Self.persons) persons, \(cells.1) rows in \(Int(cells.0 * 1000)) ms from cells, and from plain rows",
      rows.0 / cells.0, "times as long", goal: "at least 50 times")

    let waiting = try gateway.start(["run"], output: try OutputFile(), errors: errors)
    defer {
      waiting.send(SIGKILL)
      waiting.wait()
    }
    while !errors.text.contains("waiting for more") { poll(nil, 0, 20) }
    poll(nil, 0, 2_000)
    func wakeups() throws -> Int { try ProcessFigures(waiting).switches().values.reduce(0, +) }
    let before = try wakeups()
    poll(nil, 0, 30_000)
    Measured.say("wakeups in 30 s while nothing changes", Double(try wakeups() - before), "", goal: "0")
  }
}
