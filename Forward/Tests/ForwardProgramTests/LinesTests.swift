import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Several stores of one gateway, older copies of one, clones of a card: each a line of history.
@Suite("Lines of history at the centre", .serialized)
struct LinesTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  private static let names = ["store.sqlite", "store.sqlite-wal"]

  private func copy(of gateway: TestGateway) -> [(name: String, bytes: [UInt8])] {
    Self.names.map { ($0, gateway.folder.bytes(of: $0)) }
  }

  private func put(_ copy: [(name: String, bytes: [UInt8])], into gateway: TestGateway) throws {
    gateway.removeStore()
    for file in copy where !file.bytes.isEmpty { try gateway.folder.write(file.name, file.bytes) }
  }

  /// Saves a session as a recording of its day, which is the same whenever it is played again.
  private func save(
    _ id: UUID, day: Int64, version: Int64 = 1, beats: Int = 200, returning: Bool = false, into store: HealthStore
  ) async throws {
    try await SampleSessions.save(
      id, version: version, seed: UInt64(day), beats: beats,
      start: TestGateway.start.advanced(byMicroseconds: day * 86_400_000_000), sensor: TestGateway.strap,
      returning: returning, into: store)
  }

  private func identity(of store: HealthStore) async throws -> UUID {
    try await store.history(after: .start, limit: 1).store
  }

  /// The sessions of a store that is made of the centre, with the number of their samples.
  private func restored(_ gateway: TestGateway, _ options: String...) async throws -> [UUID: Int] {
    let path = "\(gateway.folder.path)/restored.sqlite"
    for ending in ["", "-wal", "-shm"] { unsafe unlink(path + ending) }
    let (output, errors) = (try OutputFile(), try OutputFile())
    let status = try gateway.start(["restore", "--to", path] + options, output: output, errors: errors).wait()
    #expect(status == 0, "\(output.text)\(errors.text)")
    let store = try HealthStore.open(path, for: .reading)
    #expect(try await store.check() == [])
    var sessions: [UUID: Int] = [:]
    let changes = try await store.history(after: .start, limit: 10_000, bytes: 1 << 30).changes
    for change in changes where change.rows.first?.table == "sessions" { sessions[change.object, default: 0] += 0 }
    for change in changes { if let session = change.session { sessions[session, default: -1000] += 1 } }
    await store.close()
    return sessions
  }

  private func verified(_ gateway: TestGateway, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    let verified = try gateway.run("verify", "--json")
    #expect(verified.status == 0, "\(verified)", sourceLocation: sourceLocation)
    return verified.output
  }

  private func sessions(_ gateway: TestGateway) throws -> [String: String] {
    let rows = try gateway.rows("SELECT id, sync_version FROM sensord_session WHERE gateway = '\(gateway.name)'")
    return Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }, uniquingKeysWith: { "\($0) twice \($1)" })
  }

  @Test(
    "what a fresh store has recorded or imported again is its own, too, also what the former one had deleted",
    arguments: [true, false])
  func fresh(inOrder: Bool) async throws {
    let gateway = try TestGateway(on: server, centre: inOrder ? "freshsame" : "freshother")
    let ids = (0..<3).map { _ in UUID() }
    let former: UUID
    do {
      let store = try gateway.open()
      for (day, id) in ids.enumerated() { try await save(id, day: Int64(day), into: store) }
      try await SampleSessions.delete(ids[2], from: store)
      try gateway.forward()
      former = try await identity(of: store)
      await store.close()
    }
    gateway.removeStore()
    let store = try gateway.open()
    for day in inOrder ? [0, 1, 2] : [2, 0, 1] { try await save(ids[day], day: Int64(day), into: store) }
    try gateway.forward()
    let status = try gateway.run("status", "--json")
    #expect(status.output.contains("\"waiting\":0") && status.output.contains("\"olderCopy\":false"), "\(status)")
    #expect(try sessions(gateway).count == 3 && gateway.number("SELECT count(*) FROM sensord_sample") == 15)
    let own = try await identity(of: store)
    #expect(try await restored(gateway, "--store", own.text) == [ids[0]: 5, ids[1]: 5, ids[2]: 5])
    #expect(try await restored(gateway, "--store", former.text) == [ids[0]: 5, ids[1]: 5])
    #expect(try await restored(gateway, "--all") == [ids[0]: 5, ids[1]: 5, ids[2]: 5])
    // An object that one of both deletes stays, since the other has it; one that both delete is gone.
    try await SampleSessions.delete(ids[0], from: store)
    try gateway.forward()
    #expect(try sessions(gateway).count == 3)
    #expect(try await restored(gateway, "--store", own.text) == [ids[1]: 5, ids[2]: 5])
    #expect(try await restored(gateway, "--store", former.text) == [ids[0]: 5, ids[1]: 5])
    try await SampleSessions.delete(ids[2], from: store)
    try gateway.forward()
    #expect(try Set(sessions(gateway).keys) == [ids[0].text, ids[1].text])
    #expect(try gateway.run("verify").output.contains("stores write as this gateway"))
  }

  @Test(
    "what was deleted before an older copy was put back, and is imported on purpose after it, arrives",
    arguments: [true, false])
  func onPurpose(isForwardedBetween: Bool) async throws {
    let gateway = try TestGateway(on: server, centre: isForwardedBetween ? "purpose" : "purposelate")
    let (kept, returned, deleted) = (UUID(), UUID(), UUID())
    do {
      let store = try gateway.open()
      try await save(kept, day: 1, into: store)
      try await save(deleted, day: 2, into: store)
      await store.close()
    }
    let older = copy(of: gateway)
    do {
      let store = try gateway.open()
      try await save(returned, day: 3, into: store)
      try gateway.forward()
      for id in [returned, deleted] { try await SampleSessions.delete(id, from: store) }
      try gateway.forward()
      await store.close()
    }
    try put(older, into: gateway)
    if isForwardedBetween { try gateway.forward() }
    let store = try gateway.open()
    try await save(returned, day: 3, into: store)
    try gateway.forward()
    // An object of the copy that was deleted after the copy was made stays deleted.
    #expect(try Set(sessions(gateway).keys) == [kept.text, returned.text])
    try await SampleSessions.delete(deleted, from: store)
    try await save(deleted, day: 2, returning: true, into: store)
    try gateway.forward()
    #expect(try Set(sessions(gateway).keys) == [kept.text, returned.text, deleted.text])
    #expect(try await restored(gateway).count == 3)
  }

  @Test("a clone of a card finds its own line: the data of both are kept, and no line is begun in turn")
  func clone() async throws {
    let one = try TestGateway(on: server, centre: "clone", name: "clone_one")
    let two = try TestGateway(on: server, centre: "clone", name: "clone_one", makesCentre: false)
    let shared = (0..<4).map { _ in UUID() }
    do {
      let store = try one.open()
      for (day, id) in shared.enumerated() { try await save(id, day: Int64(day), into: store) }
      try one.forward()
      await store.close()
    }
    for file in copy(of: one) where !file.bytes.isEmpty { try two.folder.write(file.name, file.bytes) }
    let stores = try [one.open(), two.open()]
    var own: [UUID] = []
    for round in 0..<3 {
      for (gateway, store) in zip([one, two], stores) {
        own.append(UUID())
        try await save(own[own.count - 1], day: Int64(10 + own.count), beats: 200 + round, into: store)
        try gateway.forward()
      }
    }
    #expect(try one.number("SELECT count(*) FROM sensord_gateway") == 2)
    #expect(try Set(sessions(one).keys) == Set((shared + own).map(\.text)))
    for gateway in [one, two] {
      #expect(try verified(gateway).contains("\"elsewhere\":18"))
      #expect(try gateway.run("verify").output.contains("2 stores write as this gateway"))
      let status = try gateway.run("status", "--json")
      #expect(status.output.contains("\"waiting\":0") && status.output.contains("\"olderCopy\":false"), "\(status)")
    }
    // A deletion is of both, unless the other has saved it since.
    try await save(shared[1], day: 1, version: 3, beats: 250, into: stores[1])
    try two.forward()
    for id in shared.prefix(2) { try await SampleSessions.delete(id, from: stores[0]) }
    try one.forward()
    try two.forward()
    #expect(try sessions(one)[shared[0].text] == nil && sessions(one)[shared[1].text] == "3")
    #expect(try two.run("verify", "--json").output.contains("\"deletedAtCentre\":6"))
    // The later version wins, whichever number it has in its line.
    for (turn, id) in [shared[2], shared[3]].enumerated() {
      try await save(id, day: Int64(2 + turn), version: 9, beats: 290, into: stores[turn])
      try await save(id, day: Int64(2 + turn), version: 5, beats: 250, into: stores[1 - turn])
      for gateway in turn == 0 ? [one, two] : [one, two] { try gateway.forward() }
    }
    for id in shared[2...] { #expect(try sessions(one)[id.text] == "9") }
    for gateway in [one, two] {
      #expect(try gateway.run("run", "--once", "--again").status == 0)
      _ = try verified(gateway)
    }
    for id in shared[2...] { #expect(try sessions(one)[id.text] == "9") }
    #expect(
      try one.rows("SELECT rates, beats FROM sensord_sessions WHERE id = '\(shared[2].text)'") == [["290", "290"]])
    #expect(try one.number("SELECT count(*) FROM sensord_sample WHERE session = '\(shared[3].text)'") == 5)
    #expect(try one.number("SELECT count(*) FROM sensord_gateway") == 2)
    #expect(try await restored(one, "--all").count == 3 + own.count)
  }

  @Test("a damaged anchor, and a damaged change or identity in the store, is no new line")
  func damaged() async throws {
    let gateway = try TestGateway(on: server, centre: "lineanchor")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try gateway.forward()
    func lines() throws -> Int { try gateway.number("SELECT count(*) FROM sensord_gateway") }
    for anchor in ["", "x", "start"] {
      _ = try gateway.rows("UPDATE sensord_gateway SET anchor = '\(anchor)'")
      try gateway.forward()
    }
    _ = try gateway.rows(
      "UPDATE sensord_gateway SET anchor = overlay(anchor placing 'zzz' from length(anchor) - 3 for 3)")
    try gateway.forward()
    #expect(try lines() == 1)
    await store.close()
    for alteration in [
      "UPDATE changes SET checksum = checksum ^ 1 WHERE number = (SELECT max(number) FROM changes)",
      "UPDATE changes SET type = type ^ 1 WHERE number = (SELECT max(number) FROM changes)",
    ] {
      let before = copy(of: gateway)
      try gateway.alterStore("c.execute('\(alteration.replacing(" ^ 1", with: " + 1"))')")
      #expect(try gateway.run("run", "--once").status == 0, "\(alteration)")
      #expect(try lines() == 1, "\(alteration)")
      try put(before, into: gateway)
    }
    try gateway.alterStore(
      """
      old = c.execute('SELECT uuid FROM store').fetchone()[0]
      c.execute('UPDATE store SET uuid = ?', [old[:-1] + bytes([old[-1] ^ 1])])
      """)
    let refused = try gateway.run("run", "--once")
    #expect(refused.status == 65 && refused.errors.contains("sensord check"), "\(refused)")
    #expect(try lines() == 1)
  }

  /// Marks a store as `sensord restore` does.
  private func mark(_ gateway: TestGateway) throws {
    try gateway.alterStore(
      """
      import uuid
      def crc(values):
        data = b''
        for value in values:
          data += (b'\\x01' + struct.pack('<q', value)) if isinstance(value, int) else b'\\x04' + struct.pack('<q', len(value)) + value
        result = 0xFFFFFFFF
        for byte in data:
          result ^= byte
          for _ in range(8): result = result >> 1 ^ (0x82F63B78 if result & 1 else 0)
        return struct.unpack('<i', struct.pack('<I', result ^ 0xFFFFFFFF))[0]
      row = [1, uuid.uuid4().bytes, c.execute('SELECT max(number) FROM changes').fetchone()[0]]
      c.execute('INSERT INTO restorations VALUES (?, ?, ?, ?)', row + [crc(row)])
      """)
  }

  @Test(
    "a store that was restored from a backup is a line of its own, also where its changes are those of the former one")
  func backup() async throws {
    let gateway = try TestGateway(on: server, centre: "linebackup")
    let clone = try TestGateway(on: server, centre: "linebackup", name: gateway.name, makesCentre: false)
    let sessions: [UUID]
    do {
      let store = try gateway.open()
      sessions = try await gateway.record(2, into: store)
      try gateway.forward()
      await store.close()
    }
    for file in copy(of: gateway) where !file.bytes.isEmpty { try clone.folder.write(file.name, file.bytes) }
    try mark(clone)
    try clone.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_gateway") == 2)
    let store = try gateway.open()
    try await gateway.record(1, first: 5, into: store)
    let second = try clone.open()
    #expect(try await second.restorations().count == 1)
    #expect(try await second.check() == [])
    try await clone.record(1, first: 6, into: second)
    for one in [gateway, clone, gateway, clone] { try one.forward() }
    #expect(try gateway.number("SELECT count(*) FROM sensord_gateway") == 2)
    #expect(try self.sessions(gateway).count == 4)
    try await SampleSessions.delete(sessions[0], from: second)
    try clone.forward()
    #expect(try self.sessions(gateway).count == 3)
    #expect(try verified(gateway).contains("\"deletedAtCentre\":6"))
  }

  @Test("what is forgotten stays so, whichever store brings it: a clone, an older copy, a fresh one")
  func forgotten() async throws {
    let gateway = try TestGateway(on: server, centre: "lineforget")
    let (first, other) = (UUID(), UUID())
    let older: [(name: String, bytes: [UInt8])]
    do {
      let store = try gateway.open()
      try await save(first, day: 1, into: store)
      try await save(other, day: 2, into: store)
      await store.close()
      older = copy(of: gateway)
    }
    do {
      let store = try gateway.open()
      try await save(UUID(), day: 3, into: store)
      try gateway.forward()
      #expect(try gateway.run("forget", first.uuidString).status == 0)
      await store.close()
    }
    try put(older, into: gateway)
    do {
      let store = try gateway.open()
      try await save(first, day: 1, version: 4, beats: 240, into: store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    let store = try gateway.open()
    try await save(first, day: 1, version: 7, beats: 240, into: store)
    try await save(other, day: 2, into: store)
    try gateway.forward()
    #expect(try sessions(gateway)[first.text] == nil && sessions(gateway).count == 2)
    #expect(try await restored(gateway, "--all").keys.contains(first) == false)
  }

  @Test("a store that is made of all at the centre for a fresh card goes on, and what it deletes is gone")
  func freshCard() async throws {
    let gateway = try TestGateway(on: server, centre: "freshcard")
    let ids = (0..<4).map { _ in UUID() }
    for half in [ids[..<2], ids[2...]] {
      let store = try gateway.open()
      for (day, id) in half.enumerated() { try await save(id, day: Int64(day), into: store) }
      try await save(ids[0], day: 0, version: Int64(half.startIndex + 2), beats: 220 + half.startIndex, into: store)
      try gateway.forward()
      await store.close()
      gateway.removeStore()
    }
    let refused = try gateway.run("restore")
    #expect(refused.status == 64 && refused.errors.contains("--all"), "\(refused)")
    let made = try gateway.run("restore", "--all", "--json")
    #expect(made.status == 0 && made.output.hasPrefix("{\"objects\":24,"), "\(made)")
    let store = try gateway.open()
    try gateway.forward()
    #expect(try sessions(gateway)[ids[0].text] == "4")
    try await save(ids[1], day: 1, version: 6, beats: 260, into: store)
    try gateway.forward()
    for id in [ids[0], ids[1], ids[3]] { try await SampleSessions.delete(id, from: store) }
    try gateway.forward()
    #expect(try Set(sessions(gateway).keys) == [ids[2].text])
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == 5)
    #expect(try verified(gateway).contains("\"extra\":0"))
  }

  @Test("an object of a program is there once, by its source and sync identifier, in its latest version")
  func syncIdentifiers() async throws {
    let gateway = try TestGateway(on: server, centre: "linesync")
    let source = SourceRevision(identifier: "org.example", name: "Example")
    func weight(_ value: Double, _ identifier: String, version: Int64) throws -> NewSample {
      var series = QuantitySeriesBuilder(type: .heartRate, start: TestGateway.start)
      try series.insert(value, from: TestGateway.start, to: TestGateway.start)
      var sample = try series.finish()
      sample.sync = SyncIdentity(identifier: identifier, version: version)
      return sample
    }
    func values() throws -> [String] {
      try gateway.rows("SELECT sync_identifier, average::text FROM sensord_sample ORDER BY 1, 2").map {
        "\($0[0] ?? "") \($0[1] ?? "")"
      }
    }
    do {
      let store = try gateway.open()
      try await store.save(
        [try weight(60, "a", version: 1), weight(61, "b", version: 3), weight(62, "c", version: 2)], as: source)
      try gateway.forward()
      await store.close()
    }
    let older = copy(of: gateway)
    gateway.removeStore()
    let store = try gateway.open()
    try await store.save(
      [try weight(72, "c", version: 2), weight(70, "a", version: 2), weight(71, "b", version: 1)], as: source)
    try gateway.forward()
    #expect(try values() == ["a 70", "b 61", "c 72"])
    await store.close()
    try put(older, into: gateway)
    _ = try verified(gateway)
    let former = try gateway.open()
    try await former.save([try weight(80, "a", version: 4)], as: source)
    try gateway.forward()
    #expect(try values() == ["a 80", "b 61", "c 72"])
  }
}
