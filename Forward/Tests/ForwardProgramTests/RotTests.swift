import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("A store that rots, and the good copy at the centre", .serialized)
struct RotTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  /// Flips the lowest bit of a value in the `column`th column of each table that objects are read from, without its checksum; the name
  /// of each such table and column.
  private func rot(_ gateway: TestGateway, column: Int) throws -> String {
    try gateway.alterStore(
      """
      tables = [row[0] for row in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%checksum%'")]
      for table in sorted(set(tables) - {'store', 'content_tables', 'commits', 'grants', 'object_grants', 'anchors', 'sensors'}):
        info = c.execute(f'PRAGMA table_info({table})').fetchall()
        keys = [i[1] for i in info if i[5]]
        columns = [i[1] for i in info if not i[5] and i[1] != 'checksum']
        rows = c.execute(f"SELECT {', '.join(keys)}, * FROM {table} ORDER BY {', '.join(keys)} LIMIT 40").fetchall()
        if \(column) >= len(columns): continue
        name = columns[\(column)]
        row = next((r for r in rows if r[len(keys) + [i[1] for i in info].index(name)] is not None), None)
        if row is None: continue
        old = row[len(keys) + [i[1] for i in info].index(name)]
        if isinstance(old, int): new = old ^ 1
        elif isinstance(old, float): new = struct.unpack('<d', struct.pack('<Q', struct.unpack('<Q', struct.pack('<d', old))[0] ^ 1))[0]
        elif isinstance(old, bytes): new = old[:-1] + bytes([old[-1] ^ 1])
        else: new = chr(ord(old[0]) ^ 1) + old[1:] if old else ' '
        where = ' AND '.join(f'{key} = ?' for key in keys)
        c.execute(f'UPDATE {table} SET {name} = ? WHERE {where}', [new, *row[:len(keys)]])
        print(f'{table}.{name}')
      """)
  }

  /// Everything that the centre has of persons, as one text.
  private func contents(of gateway: TestGateway) throws -> [String] {
    let tables = ["session", "sample", "object", "metadata", "association", "run", "chunk", "cell", "gap"]
    return try tables.map { table in
      let rows = try gateway.rows(
        """
        SELECT md5(coalesce(string_agg(part::text, '|' ORDER BY part::text), '')) FROM sensord_\(table) AS part
        WHERE person <> ''
        """)
      return "\(table) \(rows[0][0] ?? "")"
    }
  }

  @Test(
    "no altered bit of any column goes over the good copy; verify says so with 0, and restore gives what was written",
    arguments: 0..<16)
  func columns(_ column: Int) async throws {
    let gateway = try TestGateway(on: server, centre: "rot\(column)")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try gateway.forward()
    let before = try contents(of: gateway)
    await store.close()
    let rotten = try rot(gateway, column: column)
    try #require(!rotten.isEmpty)
    let forwarded = try gateway.run("run", "--once", "--again")
    #expect(forwarded.status == 0, "\(rotten) \(forwarded)")
    #expect(try contents(of: gateway) == before, "\(rotten)")
    let verified = try gateway.run("verify", "--json")
    let restored = "\(gateway.folder.path)/restored.sqlite"
    #expect(try gateway.run("restore", "--to", restored).status == 0)
    let copy = try HealthStore.open(restored, for: .reading)
    #expect(try await copy.check() == [])
    #expect(forwarded.errors.contains("'sensord check' says more"), "\(rotten) \(forwarded)")
    // Of an altered identifier nobody knows whose it was.
    guard !rotten.contains("changes.uuid") else { return }
    #expect(verified.status == 0 && !verified.output.contains("\"keptAtCentre\":0"), "\(rotten) \(verified)")
  }

  @Test("what rotted before it was forwarded is named, marked and counted, and gives way to the sound one")
  func fresh() async throws {
    let gateway = try TestGateway(on: server, centre: "rotfresh")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    let flip = """
      old = c.execute('SELECT payload FROM chunks ORDER BY id').fetchone()[0]
      c.execute('UPDATE chunks SET payload = ? WHERE id = (SELECT min(id) FROM chunks)', [old[:-1] + bytes([old[-1] ^ 1])])
      """
    _ = try gateway.alterStore(flip)
    let forwarded = try gateway.run("run", "--once")
    #expect(forwarded.status == 0 && forwarded.errors.contains("is not what was written"), "\(forwarded)")
    #expect(try gateway.run("status", "--json").output.contains("\"damaged\":1"))
    // Once it is as it was, it takes the rotten one's place, although its values are others.
    _ = try gateway.alterStore(flip)
    let again = try gateway.run("run", "--once", "--again")
    #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
    #expect(try gateway.run("status", "--json").output.contains("\"damaged\":0"))
    #expect(try gateway.run("verify").status == 0)
  }

  @Test("a rotten chunk keeps nothing back when all is sent from the start")
  func startOver() async throws {
    let gateway = try TestGateway(on: server, centre: "rotstart")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try gateway.forward()
    _ = try gateway.alterStore("c.execute(\"UPDATE chunks SET payload = CAST(payload || x'00' AS BLOB)\")")
    _ = try gateway.rows("UPDATE sensord_gateway SET anchor = 'start'")
    try await gateway.record(1, first: 5, into: store)
    let forwarded = try gateway.run("run", "--once")
    #expect(forwarded.status == 0, "\(forwarded)")
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 3)
    #expect(try gateway.number("SELECT count(*) FROM sensord_chunk WHERE sha256(payload) <> sha256") == 0)
  }
}
