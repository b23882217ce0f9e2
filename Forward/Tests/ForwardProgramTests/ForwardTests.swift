import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// The program, stores, and a real server, which all these share.
@Suite("Forwarding", .serialized)
struct ForwardTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  private static let sensord = SourceRevision(identifier: "org.example", name: "Example")

  @Test("everything arrives once, under a pseudonym, and figures as plain columns")
  func everything() async throws {
    let gateway = try TestGateway(on: server, centre: "everything")
    let store = try gateway.open()
    try await gateway.record(3, beats: 3_000, into: store)
    let early = try gateway.run("status", "--json")
    #expect(early.status == 0 && early.output.contains("\"sent\":0"), "\(early.errors)")
    try gateway.forward()
    #expect(try gateway.run("run", "--once", "--json").output == "{\"changes\":0}\n")
    let status = try gateway.run("status", "--json")
    #expect(status.output.contains("\"waiting\":0,\"waitingSeconds\":0,\"olderCopy\":false"))

    #expect(try gateway.number("SELECT sum(count) FROM sensord_cell WHERE identifier = 'heartRate'") == 9_000)
    let rates = try gateway.rows(
      "SELECT sum(rates), sum(beats), sum(gaps), min(person), max(person) FROM sensord_sessions")
    #expect(rates == [["9000", "9000", "3", "p001", "p001"]])
    let sum = try gateway.rows(
      "SELECT sum(count), round(sum(average * count)) = (SELECT sum(sum) FROM sensord_cell) FROM sensord_hourly")
    #expect(sum == [["9000", "t"]])
    #expect(try gateway.number("SELECT count(*) FROM sensord_hrv") == 9)
    #expect(try gateway.number("SELECT count(*) FROM sensord_gaps WHERE reason = 'link'") == 3)
    // Nothing of the strap but what all of its make have.
    let home = "SELECT count(*) FROM sensord_device WHERE name IS NOT NULL OR local_identifier IS NOT NULL"
    #expect(try gateway.number(home) == 0)
    #expect(
      try gateway.number("SELECT count(*) FROM sensord_device WHERE manufacturer = 'Polar' AND person = 'p001'") == 1)
  }

  @Test("a session that is replaced or deleted is so at the centre, with all that belongs to it")
  func changes() async throws {
    let gateway = try TestGateway(on: server, centre: "changes")
    let store = try gateway.open()
    let sessions = try await gateway.record(3, into: store)
    try gateway.forward()
    try await SampleSessions.save(
      sessions[0], version: 2, seed: 9, beats: 400, start: TestGateway.start, sensor: TestGateway.strap, into: store)
    try await SampleSessions.delete(sessions[1], from: store)
    try gateway.forward()
    #expect(try gateway.rows("SELECT count(*), sum(rates) FROM sensord_sessions") == [["2", "700"]])
    #expect(try gateway.number("SELECT count(DISTINCT owner) FROM sensord_chunk") == 4)
    for table in CentreTable.parts {
      let orphans = try gateway.number(
        """
        SELECT count(*) FROM \(table.fullName) WHERE owner NOT IN (SELECT id FROM sensord_sample UNION SELECT id FROM sensord_session)
        """)
      #expect(orphans == 0, "\(table.name)")
    }
    // Deleted and recorded anew, in one part.
    try await SampleSessions.save(
      sessions[1], seed: 5, start: TestGateway.start, sensor: TestGateway.strap, returning: true, into: store)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_sessions") == 3)
  }

  @Test("an identifier that a deleted sample had and another one has now is that of the other one")
  func sameIdentifier() async throws {
    let gateway = try TestGateway(on: server, centre: "identifier")
    let store = try gateway.open()
    let id = UUID()
    // The beats of version 7 have the identifier that the rates of version 1 had.
    for version in [1, 7] as [Int64] {
      try await SampleSessions.save(
        id, version: version, beats: 200 + Int(version), start: TestGateway.start, sensor: TestGateway.strap,
        into: store)
      try gateway.forward()
    }
    let saved = try await store.history(after: .start, limit: 1_000).changes.filter { !$0.isDeletion }.map(\.object)
    #expect(Set(saved).count < saved.count - 1)
    #expect(try gateway.rows("SELECT rates, beats FROM sensord_sessions") == [["207", "207"]])
  }

  @Test("sent again from the start, nothing is there twice and nothing changes")
  func again() async throws {
    let gateway = try TestGateway(on: server, centre: "again")
    let store = try gateway.open()
    let sessions = try await gateway.record(4, into: store)
    try await SampleSessions.save(
      sessions[0], version: 2, beats: 350, start: TestGateway.start, sensor: TestGateway.strap, into: store)
    try await SampleSessions.delete(sessions[3], from: store)
    try gateway.forward()
    let counts = CentreTable.all.map {
      "SELECT '\($0.name)', count(*), count(DISTINCT t.*::text) FROM \($0.fullName) AS t"
    }
    let before = try gateway.rows(counts.joined(separator: " UNION ALL "))
    _ = try gateway.rows("UPDATE sensord_gateway SET anchor = 'start'")
    try gateway.forward()
    #expect(try gateway.rows(counts.joined(separator: " UNION ALL ")) == before)
  }

  @Test("a workout whose sample is deleted has its new figures at the centre")
  func workout() async throws {
    let gateway = try TestGateway(on: server, centre: "workout")
    let store = try gateway.open()
    let end = TestGateway.start.advanced(byMicroseconds: 60_000_000)
    var series = QuantitySeriesBuilder(type: .heartRate, start: TestGateway.start)
    try series.insert(90, from: TestGateway.start, to: TestGateway.start)
    let first = try series.finish()
    var other = QuantitySeriesBuilder(type: .heartRate, start: TestGateway.start)
    try other.insert(150, from: TestGateway.start, to: TestGateway.start)
    let second = try other.finish()
    var activity = try WorkoutSession(WorkoutConfiguration(.running))
    try activity.startActivity(at: TestGateway.start)
    try activity.stopActivity(at: end)
    try activity.end(at: end)
    var builder = try WorkoutBuilder(of: activity)
    let workout = try NewSample(try builder.finishWorkout(), collected: [first.id, second.id])
    try await store.save([first, second, workout], as: Self.sensord)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_association") == 2)
    try await store.delete([second.id], as: "org.example")
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_association") == 1)
    #expect(try gateway.rows("SELECT DISTINCT person FROM sensord_sample") == [["p000"]])
  }

  @Test("an older copy of the store begins a new history, and what was deleted stays deleted")
  func olderCopy() async throws {
    let gateway = try TestGateway(on: server, centre: "older")
    let sessions: [UUID]
    do {
      let store = try gateway.open()
      sessions = try await gateway.record(3, into: store)
      try gateway.forward()
      await store.close()
    }
    let copy = ["", "-wal"].map { (name: "store.sqlite\($0)", bytes: gateway.folder.bytes(of: "store.sqlite\($0)")) }
    do {
      let store = try gateway.open()
      try await SampleSessions.delete(sessions[0], from: store)
      try await gateway.record(1, first: 7, into: store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    for file in copy { try gateway.folder.write(file.name, file.bytes) }
    #expect(try gateway.run("status", "--json").output.contains("\"olderCopy\":true"))
    let store = try gateway.open()
    try await gateway.record(1, first: 9, into: store)
    let forwarded = try gateway.run("run", "--once")
    #expect(forwarded.status == 0, "\(forwarded.errors)")
    // The store has three and a new one, of which one was deleted; the centre also has what only the lost history had.
    #expect(try gateway.number("SELECT count(*) FROM sensord_sessions") == 4)
    #expect(try gateway.rows("SELECT history FROM sensord_gateway ORDER BY history") == [["0"], ["1"]])
    let verified = try gateway.run("verify", "--json")
    #expect(
      verified.status == 0
        && verified.output.hasPrefix(
          "{\"equal\":18,\"missing\":0,\"extra\":0,\"different\":0,\"deletedAtCentre\":6,\"otherRows\":0,")
        && verified.output.contains("\"elsewhere\":6,\"stores\":2"), "\(verified)")
    // An object of the lost history alone that is changed at the centre is no difference that this store could mend; one of its own is.
    _ = try gateway.rows(
      "UPDATE sensord_sample SET average = average + 1 WHERE history = 1 AND identifier = 'heartRate'")
    #expect(try gateway.run("verify").status == 1)
    #expect(try gateway.run("run", "--once", "--again").status == 0)
    #expect(try gateway.run("verify").status == 0)
    let objects = try await Self.history(of: Self.restore(gateway))
    #expect(objects.filter { $0.rows.first?.table == "sessions" }.count == 4)
  }

  @Test(
    "a session that was rebuilt in a history that is lost, and again after it, has the samples of the last time only")
  func rebuiltTwice() async throws {
    let gateway = try TestGateway(on: server, centre: "rebuilt")
    let session: UUID
    func save(_ version: Int64, _ store: HealthStore) async throws {
      try await SampleSessions.save(
        session, version: version, beats: 200 + Int(version), start: TestGateway.start, sensor: TestGateway.strap,
        into: store)
    }
    do {
      let store = try gateway.open()
      session = try await gateway.record(1, into: store)[0]
      await store.close()
    }
    let copy = ["", "-wal"].map { (name: "store.sqlite\($0)", bytes: gateway.folder.bytes(of: "store.sqlite\($0)")) }
    do {
      let store = try gateway.open()
      try await save(20, store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    for file in copy { try gateway.folder.write(file.name, file.bytes) }
    let store = try gateway.open()
    try await save(40, store)
    try gateway.forward()
    #expect(try gateway.rows("SELECT rates, beats FROM sensord_sessions") == [["240", "240"]])
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == 5)
  }

  @Test("what was deleted and saved again is not deleted for a restored store: it can be rebuilt, and forgotten")
  func returned() async throws {
    let gateway = try TestGateway(on: server, centre: "returned")
    let session: UUID
    do {
      let store = try gateway.open()
      session = try await gateway.record(1, into: store)[0]
      try gateway.forward()
      try await SampleSessions.delete(session, from: store)
      try gateway.forward()
      try await SampleSessions.save(
        session, start: TestGateway.start, sensor: TestGateway.strap, returning: true, into: store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    #expect(try gateway.run("restore").status == 0)
    let store = try gateway.open()
    try await SampleSessions.save(
      session, version: 30, beats: 333, start: TestGateway.start, sensor: TestGateway.strap, into: store)
    try gateway.forward()
    #expect(try gateway.rows("SELECT rates FROM sensord_sessions") == [["333"]])
    try await SampleSessions.delete(session, from: store)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == 0)
  }

  @Test(
    "a session that was rebuilt in a history that is lost stays whole when an older copy deletes it, until it is forgotten"
  )
  func rebuiltAndDeleted() async throws {
    let gateway = try TestGateway(on: server, centre: "lostsamples")
    let session: UUID
    do {
      let store = try gateway.open()
      session = try await gateway.record(1, into: store)[0]
      await store.close()
    }
    let copy = ["", "-wal"].map { (name: "store.sqlite\($0)", bytes: gateway.folder.bytes(of: "store.sqlite\($0)")) }
    do {
      let store = try gateway.open()
      try await SampleSessions.save(
        session, version: 20, start: TestGateway.start, sensor: TestGateway.strap, into: store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    for file in copy { try gateway.folder.write(file.name, file.bytes) }
    let store = try gateway.open()
    try await SampleSessions.delete(session, from: store)
    try gateway.forward()
    // The lost history saved it behind the fork, before that was noticed.
    #expect(try gateway.rows("SELECT rates, beats FROM sensord_sessions") == [["200", "200"]])
    #expect(try gateway.number("SELECT sync_version FROM sensord_session") == 20)
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == 5)
    #expect(try gateway.run("verify", "--json").output.contains("\"elsewhere\":6"))
    #expect(try gateway.run("forget", session.uuidString).status == 0)
    try gateway.forward()
    for table in CentreTable.sharded + [.holder] {
      #expect(try gateway.number("SELECT count(*) FROM \(table.fullName)") == 0, "\(table.name)")
    }
  }

  @Test("what is forgotten is gone, does not come back, and counts apart")
  func forget() async throws {
    let gateway = try TestGateway(on: server, centre: "forget")
    let store = try gateway.open()
    let sessions = try await gateway.record(2, into: store)
    try gateway.forward()
    let forgotten = try gateway.run("forget", sessions[0].uuidString, "--json")
    #expect(forgotten.status == 0 && forgotten.output == "{\"forgotten\":6}\n", "\(forgotten.errors)")
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == 5)
    #expect(try gateway.run("forget", sessions[0].uuidString).status == 66)
    #expect(try gateway.run("forget", "everything").status == 64)
    try await SampleSessions.save(
      sessions[0], version: 2, beats: 310, start: TestGateway.start, sensor: TestGateway.strap, into: store)
    _ = try gateway.rows("UPDATE sensord_gateway SET anchor = 'start'")
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == 5)
    #expect(
      try gateway.run("verify", "--json").output.contains(
        "\"equal\":6,\"missing\":0,\"extra\":0,\"different\":0,\"deletedAtCentre\":6"))
  }

  private func attach(
    _ bytes: [UInt8], to sample: UUID, in store: HealthStore, of gateway: TestGateway
  ) async throws -> HealthModel.Attachment {
    let path = try gateway.folder.write("scan", bytes)
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return try await store.addAttachment(to: sample, name: "scan.pdf", from: descriptor, metadata: ["page": 1])
  }

  private static func pdf(_ letter: UInt8, length: Int) -> [UInt8] {
    Array("%PDF-1.4\n".utf8) + [UInt8](repeating: letter, count: length) + Array("\nstartxref\n9\n%%EOF\n".utf8)
  }

  @Test("files of attachments are at the centre once for each sample, go with it, and are restored byte for byte")
  func attachments() async throws {
    let gateway = try TestGateway(on: server, centre: "attachments")
    var store = try gateway.open()
    let lens = GlassesPrescription(rightEye: GlassesLensSpecification(sphere: 1), leftEye: nil)
    let samples = try (0..<3).map {
      try NewSample(.glasses(lens), issued: TestGateway.start.advanced(byMicroseconds: $0))
    }
    try await store.save(samples, as: Self.sensord)
    try gateway.forward()
    // Attached later, which is no change of a sample.
    let (large, small) = (Self.pdf(65, length: 700_000), Self.pdf(66, length: 10))
    let first = try await attach(large, to: samples[0].id, in: store, of: gateway)
    _ = try await attach(large, to: samples[0].id, in: store, of: gateway)
    let second = try await attach(small, to: samples[0].id, in: store, of: gateway)
    _ = try await attach(small, to: samples[1].id, in: store, of: gateway)
    #expect(try gateway.run("verify").status == 1)
    try gateway.forward()
    let files = "SELECT count(DISTINCT (owner, file)), count(*), sum(octet_length(payload)) FROM sensord_attachment"
    #expect(try gateway.rows(files) == [["3", "5", "\(large.count + 2 * small.count)"]])
    // Sent again from the start nothing is there twice; what is missing at the centre comes again.
    _ = try gateway.rows("UPDATE sensord_gateway SET anchor = 'start'")
    try gateway.forward()
    #expect(try gateway.rows(files) == [["3", "5", "\(large.count + 2 * small.count)"]])
    _ = try gateway.rows("DELETE FROM sensord_attachment WHERE ordinal = 1")
    #expect(try gateway.run("verify", "--json").output.contains("\"otherFiles\":1"))
    try gateway.forward()
    #expect(try gateway.rows(files) == [["3", "5", "\(large.count + 2 * small.count)"]])

    let path = "\(gateway.folder.path)/restored.sqlite"
    let outcome = try gateway.run("restore", "--to", path, "--json")
    #expect(outcome.status == 0 && outcome.output.contains("\"files\":2,\"missingFiles\":0"), "\(outcome)")
    let restored = try HealthStore.open(path, for: .reading)
    #expect(try await restored.check() == [])
    #expect(try await restored.allAttachments() == store.allAttachments())
    var data = try await restored.data(of: first)
    var bytes: [UInt8] = []
    while let piece = try data.next() { bytes += piece }
    #expect(bytes == large)
    await restored.close()
    // A file that is no more at the centre as it was: said, and left out.
    _ = try gateway.rows(
      "UPDATE sensord_attachment SET payload = payload || '\\x20' WHERE octet_length(payload) < 1000")
    #expect(try gateway.run("verify", "--json").output.contains("\"otherFiles\":2"))
    let damaged = try gateway.run("restore", "--to", "\(gateway.folder.path)/damaged.sqlite", "--json")
    #expect(damaged.status == 0 && damaged.output.contains("\"files\":1,\"missingFiles\":1"), "\(damaged)")
    #expect(damaged.errors.contains("1 files of attachments"))
    try gateway.forward()

    // Removed, deleted with its sample, forgotten.
    try await store.removeAttachment(second.id)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_attachment") == 4)
    try await store.delete([samples[0].id], as: Self.sensord.identifier)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_attachment") == 1)
    // One that is damaged is named once, and marked, and keeps none back but itself.
    let lost = try await attach(Self.pdf(67, length: 10), to: samples[2].id, in: store, of: gateway)
    let more = try await attach(Self.pdf(68, length: 10), to: samples[1].id, in: store, of: gateway)
    await store.close()
    let name = try #require(
      TemporaryFolder.names("\(gateway.folder.path)/store.attachments").first { $0.hasSuffix(lost.digest) })
    let whole = gateway.folder.bytes(of: "store.attachments/\(name)")
    try gateway.folder.write("store.attachments/\(name)", whole.map { $0 == 67 ? 68 : $0 })
    let missed = try gateway.run("run", "--once")
    #expect(missed.status == 0 && missed.errors.split(separator: "\n").count == 1, "\(missed)")
    #expect(missed.errors.contains("attachment \(lost.id.text) of \(samples[2].id.text) is damaged"), "\(missed)")
    #expect(try gateway.number("SELECT count(*) FROM sensord_attachment WHERE file = '\\x\(more.digest)'") == 1)
    func damages() throws -> String {
      let (status, verified) = (try gateway.run("status", "--json"), try gateway.run("verify", "--json"))
      func member(_ name: String, _ text: String) -> String {
        text.split(separator: "\"\(name)\":").last.map { String($0.prefix(1)) } ?? ""
      }
      return "\(member("damaged", status.output)) \(member("damagedFilesInStore", verified.output)) "
        + "\(member("otherFiles", verified.output)) \(verified.status)"
    }
    #expect(try damages() == "1 1 0 1")
    store = try gateway.open()
    let waiting = try WaitingForwarder(of: gateway)
    // Its change takes the mark of its rows from it, if it has one, and not that of its files.
    try await store.save([try NewSample(.glasses(lens), issued: TestGateway.start)], as: Self.sensord)
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    #expect(waiting.program.status == nil && waiting.errors.text.split(separator: "\n").count == 1)
    waiting.end()
    #expect(try damages() == "1 1 0 1")
    // Mended, it comes; removed, its mark goes.
    try gateway.folder.write("store.attachments/\(name)", whole)
    try gateway.forward()
    #expect(try damages() == "0 0 0 0")
    try gateway.folder.write("store.attachments/\(name)", whole.map { $0 == 67 ? 68 : $0 })
    _ = try gateway.rows("DELETE FROM sensord_attachment WHERE file = '\\x\(lost.digest)'")
    #expect(try gateway.run("run", "--once").status == 0)
    #expect(try damages() == "1 1 0 1")
    try await store.delete([samples[2].id], as: Self.sensord.identifier)
    try gateway.forward()
    #expect(try damages() == "0 0 0 0")
    #expect(try gateway.run("forget", samples[1].id.uuidString).status == 0)
    #expect(try gateway.number("SELECT count(*) FROM sensord_attachment") == 0)
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_attachment") == 0)
  }

  @Test("all of a person is forgotten, and all of a gateway: no row names them, and only what is recorded later comes")
  func forgetMany() async throws {
    let gateway = try TestGateway(on: server, centre: "forgetmany")
    let other = "C0:FF:EE:00:00:02"
    try gateway.configure(more: "[persons]\n\(other) = p002")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try await SampleSessions.save(UUID(), seed: 8, start: TestGateway.start, sensor: other, into: store)
    try gateway.forward()
    #expect(try gateway.run("forget", "--person", "p003").status == 66)
    #expect(try gateway.run("forget").status == 64)
    #expect(try gateway.run("forget", "--person", "p001", "--gateway", gateway.name).status == 64)
    #expect(try gateway.run("forget", "--gateway", "another").status == 64)
    func persons() throws -> Set<String> {
      var found: Set<String> = []
      for table in CentreTable.all where table.columns.contains(where: { $0.name == "person" }) && table != .gateway {
        for row in try gateway.rows("SELECT DISTINCT person FROM \(table.fullName)") { found.insert(row[0] ?? "") }
      }
      return found
    }
    #expect(try persons() == ["p001", "p002"])
    // A forwarder that runs meanwhile goes back to the start, finds what it may not send, and goes on.
    let waiting = try WaitingForwarder(of: gateway)
    let program = waiting.program
    defer { waiting.end() }
    let forgotten = try gateway.run("forget", "--person", "p001", "--json")
    #expect(forgotten.status == 0 && forgotten.output == "{\"forgotten\":12}\n", "\(forgotten.errors)")
    #expect(try persons() == ["p002"])
    try await SampleSessions.save(UUID(), seed: 9, start: TestGateway.start, sensor: other, into: store)
    try gateway.wait("SELECT count(*) - 1 FROM sensord_session")
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    #expect(try persons() == ["p002"])
    let verified = try gateway.run("verify", "--json")
    #expect(verified.status == 0 && verified.output.contains("\"deletedAtCentre\":12"), "\(verified)")
    // The sensor is another person's from now on, which was refused before.
    try gateway.configure(wearer: "p009", more: "[persons]\n\(other) = p002")
    program.send(SIGKILL)
    program.wait()
    try await gateway.record(1, first: 9, into: store)
    try gateway.forward()
    #expect(try persons() == ["p002", "p009"])

    #expect(try gateway.run("forget", "--gateway", gateway.name).status == 0)
    #expect(try persons() == [])
    #expect(try gateway.number("SELECT count(*) FROM sensord_chunk") == 0)
    try gateway.configure(wearer: "p010", other: "nobody")
    try gateway.forward()
    #expect(try persons() == [])
    try await gateway.record(1, first: 20, into: store)
    try gateway.forward()
    #expect(try persons() == ["p010"] && gateway.number("SELECT count(*) FROM sensord_session") == 1)
    let path = try Self.restore(gateway)
    #expect(try await Self.history(of: path).filter { !$0.rows.isEmpty }.count == 6)
  }

  @Test("what went wrong last is said, and whether it is over")
  func lastFailure() async throws {
    let gateway = try TestGateway(on: server, centre: "failing", makesCentre: false)
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    #expect(try gateway.run("status", "--json").output.contains("\"failing\":false,\"lastError\":null"))
    #expect(try gateway.run("run", "--once", "--attempts", "1").status == 77)
    let failing = try gateway.run("status", "--json")
    #expect(failing.status == 77, "\(failing)")
    #expect(failing.output.contains("\"failing\":true,\"lastError\":\"the centre: "), "\(failing)")
    #expect(try gateway.run("status").output.hasPrefix("Forwarding fails since "))
    try server.makeCentre("failing", gateways: [gateway.name])
    // It is not over before something worked.
    #expect(try gateway.run("status", "--json").output.contains("\"failing\":true"))
    try gateway.forward()
    let status = try gateway.run("status", "--json")
    #expect(status.status == 0 && status.output.contains("\"failing\":false,\"lastError\":\"the centre: "), "\(status)")
    #expect(try gateway.run("status").output.contains("and is over: the centre: "))
    // Whatever somebody wrote there.
    for text in ["", "x", "1 2", "1 x y", "\u{0}\u{1b}[2J 1 2"] {
      try gateway.folder.write("failure", text)
      #expect(try gateway.run("status", "--json").output.contains("\"lastError\":null"), "\(text)")
    }
  }

  /// All rows of a store, and what they refer to.
  private static func history(of path: String) async throws -> [StoredChange] {
    let store = try HealthStore.open(path, for: .reading)
    let changes = try await store.history(after: .start, limit: 10_000, bytes: 1 << 30).changes
    #expect(try await store.check().isEmpty)
    await store.close()
    return changes
  }

  private static func restore(_ gateway: TestGateway, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let path = "\(gateway.folder.path)/restored.sqlite"
    let restored = try gateway.run("restore", "--to", path)
    #expect(restored.status == 0, "\(restored.errors)", sourceLocation: sourceLocation)
    return path
  }

  @Test("a store is restored row by row, with the numbers that it had; an anchor that is not of it is refused")
  func restore() async throws {
    let gateway = try TestGateway(on: server, centre: "restore")
    try gateway.configure(more: "[devices]\nnames = yes")
    let sessions: [UUID]
    let anchor: ChangeAnchor
    do {
      let store = try gateway.open()
      sessions = try await gateway.record(3, into: store)
      var series = QuantitySeriesBuilder(type: .stepCount, start: TestGateway.start)
      for minute in 0..<200 as Range<Int64> {
        let time = TestGateway.start.advanced(byMicroseconds: minute * 60_000_000)
        try series.insert(Double(minute), from: time, to: time.advanced(byMicroseconds: 1_000_000))
      }
      let steps = try series.finish(metadata: ["nul\u{0}": .text("a\u{0}b"), "plain": .text("é"), "n": 7, "r": 0.5])
      let category = NewSample(
        .sleepAnalysis, CategoryValue(rawValue: 3),
        over: try #require(
          TimeSpan(start: TestGateway.start, end: TestGateway.start.advanced(byMicroseconds: 60_000_000))))
      try await store.save([steps, category], as: Self.sensord)
      // A hole in the numbers, and a deletion.
      try await SampleSessions.save(
        sessions[0], version: 2, seed: 9, beats: 400, start: TestGateway.start, sensor: TestGateway.strap, into: store)
      try await SampleSessions.delete(sessions[1], from: store)
      anchor = try await store.history(after: .start, limit: 10_000).anchor
      await store.close()
    }
    try gateway.forward()
    let path = try Self.restore(gateway)
    let before = try await Self.history(of: gateway.folder.store)
    let after = try await Self.history(of: path)
    #expect(before.filter { !$0.rows.isEmpty } == after.filter { !$0.rows.isEmpty })
    #expect(
      before.filter(\.isDeletion).map { [$0.object.text, "\($0.number)"] }
        == after.filter { $0.isDeletion && $0.object != StoredChange.nothing }.map { [$0.object.text, "\($0.number)"] })
    #expect(before.count == after.count && !before.contains { $0.object == StoredChange.nothing })
    // Nothing is replaced.
    let again = try gateway.run("restore", "--to", path)
    #expect(again.status == 73 && again.errors.contains("already"), "\(again)")
    #expect(try gateway.run("restore").status == 73)
    #expect(gateway.folder.names.filter { $0.contains(".new-") }.isEmpty)
    do {
      let store = try HealthStore.open(path, for: .writing)
      await #expect {
        _ = try await store.history(after: anchor, limit: 1)
      } throws: {
        ($0 as? StoreError)?.code == .lostAnchor
      }
      await store.close()
    }
    // In the place of the first: the same again, and a session that was deleted stays deleted.
    gateway.removeStore()
    #expect(try gateway.run("restore").status == 0)
    let store = try gateway.open()
    try await SampleSessions.save(
      sessions[1], seed: 2, start: TestGateway.start, sensor: TestGateway.strap, into: store)
    let rows = try gateway.rows("SELECT id, digest FROM sensord_sample ORDER BY id")
    try gateway.forward()
    #expect(try gateway.rows("SELECT id, digest FROM sensord_sample ORDER BY id") == rows)
    #expect(try gateway.rows("SELECT history FROM sensord_gateway ORDER BY history") == [["0"], ["1"]])
    try await gateway.record(1, first: 5, into: store)
    try gateway.forward()
  }

  @Test("where addresses stayed at home a restored store has the same persons, and nothing is at the centre twice")
  func restoreAtHome() async throws {
    let gateway = try TestGateway(on: server, centre: "athome")
    do {
      let store = try gateway.open()
      try await gateway.record(2, into: store)
      await store.close()
    }
    try gateway.forward()
    let count = try gateway.number("SELECT count(*) FROM sensord_sample")
    gateway.removeStore()
    #expect(try gateway.run("restore", "--json").output.hasPrefix("{\"objects\":12,"))
    let device = try await Self.history(of: gateway.folder.store).first?.device
    #expect(device?["local_identifier"] == .text("restored:p001") && device?["manufacturer"] == .text("Polar"))
    _ = try gateway.rows("UPDATE sensord_gateway SET anchor = 'start'")
    try gateway.forward()
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample") == count)
    #expect(try gateway.rows("SELECT DISTINCT person FROM sensord_session") == [["p001"]])
  }

  @Test("what only former histories have is restored, too, under other numbers where its own are taken")
  func restoreHistories() async throws {
    let gateway = try TestGateway(on: server, centre: "histories")
    do {
      let store = try gateway.open()
      try await gateway.record(2, into: store)
      try gateway.forward()
      await store.close()
    }
    let copy = ["", "-wal"].map { (name: "store.sqlite\($0)", bytes: gateway.folder.bytes(of: "store.sqlite\($0)")) }
    let lost: [UUID]
    do {
      let store = try gateway.open()
      lost = try await gateway.record(1, first: 7, into: store)
      try gateway.forward()
      await store.close()
    }
    gateway.removeStore()
    for file in copy { try gateway.folder.write(file.name, file.bytes) }
    do {
      let store = try gateway.open()
      try await gateway.record(1, first: 9, into: store)
      #expect(try gateway.run("run", "--once").status == 0)
      await store.close()
    }
    let path = try Self.restore(gateway)
    let objects = try await Self.history(of: path)
    #expect(objects.count == 24 && objects.allSatisfy { !$0.rows.isEmpty })
    #expect(objects.map(\.number) == Array(1...24))
    let found = try #require(objects.first { $0.object == lost[0] })
    // Its samples still belong to it.
    #expect(found.number == 19 && objects.filter { $0.session == lost[0] }.count == 5)
  }

  @Test("a difference at the centre is found, whatever it is")
  func differences() async throws {
    let gateway = try TestGateway(on: server, centre: "differences")
    let store = try gateway.open()
    try await gateway.record(2, into: store)
    try gateway.forward()
    for damage in [
      "UPDATE sensord_chunk SET payload = payload || '\\x00'", "DELETE FROM sensord_cell",
      "UPDATE sensord_session SET digest = '\\x00'", "DELETE FROM sensord_gap",
      "DELETE FROM sensord_sample WHERE identifier = 'heartRate'", "DELETE FROM sensord_metadata WHERE ordinal = 0",
      "UPDATE sensord_sample SET id = gen_random_uuid() WHERE identifier = 'heartRate'",
    ] {
      _ = try gateway.rows("CREATE SCHEMA kept")
      for table in CentreTable.all {
        _ = try gateway.rows("CREATE TABLE kept.\(table.name) AS TABLE \(table.fullName)")
      }
      _ = try gateway.rows(damage)
      #expect(try gateway.run("verify").status == 1, "\(damage)")
      for table in CentreTable.all {
        _ = try gateway.rows("DELETE FROM \(table.fullName)")
        _ = try gateway.rows("INSERT INTO \(table.fullName) SELECT * FROM kept.\(table.name)")
      }
      _ = try gateway.rows("DROP SCHEMA kept CASCADE")
      #expect(try gateway.run("verify").status == 0, "\(damage)")
    }
    #expect(try gateway.run("run", "--once").status == 0)
  }

  @Test("a gateway has its own rows only, a researcher those of a study's persons")
  func rights() async throws {
    let one = try TestGateway(on: server, centre: "rights", name: "rights_one")
    _ = try one.rows("CREATE ROLE rights_two LOGIN IN ROLE sensord_gateway")
    _ = try one.rows("CREATE ROLE rights_ada LOGIN IN ROLE sensord_researcher")
    let two = try TestGateway(on: server, centre: "rights", name: "rights_two", makesCentre: false)
    try two.configure(wearer: "p002")
    for gateway in [one, two] {
      let store = try gateway.open()
      try await gateway.record(1, into: store)
      try gateway.forward()
    }
    _ = try one.rows(
      """
      INSERT INTO sensord_attachment (person, time, gateway, owner, file, ordinal, size, sha256, payload)
      SELECT person, time, gateway, id, '\\x00', 0, 0, '\\x00', '' FROM sensord_sample
      """)
    for table in CentreTable.sharded where table != .opaque {
      let count = "SELECT count(DISTINCT gateway) FROM \(table.fullName)"
      #expect(try one.number(count) == 2 && one.number(count, as: "rights_two") == 1, "\(table.name)")
      if table == .attachment {
        #expect(throws: DatabaseFailure.self) { try one.number(count, as: "rights_ada") }
      } else {
        #expect(try one.number(count, as: "rights_ada") == 0, "\(table.name)")
      }
    }
    #expect(try one.number("SELECT count(*) FROM sensord_hourly", as: "rights_ada") == 0)
    _ = try one.rows("INSERT INTO sensord_study VALUES ('sleep', 'p002')")
    _ = try one.rows("INSERT INTO sensord_researcher VALUES ('rights_ada', 'sleep')")
    #expect(try one.rows("SELECT DISTINCT person FROM sensord_sessions", as: "rights_ada") == [["p002"]])
    #expect(throws: DatabaseFailure.self) { try one.rows("DELETE FROM sensord_cell", as: "rights_ada") }
    #expect(throws: DatabaseFailure.self) {
      try one.rows("UPDATE sensord_gateway SET gateway = 'rights_one'", as: "rights_two")
    }
    // Two gateways with the same strap and person: the quarter counts once.
    #expect(try one.number("SELECT count(*) FROM sensord_hourly") == 2)
  }

  @Test("a wrong centre is refused by name, and no value is in a message")
  func wrongCentre() async throws {
    let gateway = try TestGateway(on: server, centre: "wrong", makesCentre: false)
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    func refusal(_ status: Int32, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let outcome = try gateway.run("run", "--once", "--attempts", "1")
      #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)", sourceLocation: sourceLocation)
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)", sourceLocation: sourceLocation)
    }
    try refusal(77, "role \"wrong_gateway\" does not exist")
    var all = try server.connect("postgres")
    try all.run("CREATE ROLE wrong_gateway LOGIN")
    try refusal(77, "database \"wrong\" does not exist")
    try all.run("CREATE DATABASE wrong")
    try refusal(78, "sensord-forward schema")
    var database = try server.connect("wrong")
    try database.runScript(CentreSchema.script)
    try refusal(77, "role sensord_gateway")
    _ = try gateway.rows("GRANT sensord_gateway TO wrong_gateway")
    _ = try gateway.rows("UPDATE sensord_schema SET version = 3")
    try refusal(78, "version 3")
    _ = try gateway.rows("UPDATE sensord_schema SET version = 2")
    // A table of the same name that is another's.
    _ = try gateway.rows("ALTER TABLE sensord_gap RENAME TO other")
    _ = try gateway.rows("CREATE TABLE sensord_gap (note text)")
    _ = try gateway.rows("GRANT ALL ON sensord_gap TO sensord_gateway")
    try refusal(78, "sensord-forward schema")
    _ = try gateway.rows("DROP TABLE sensord_gap")
    _ = try gateway.rows("ALTER TABLE other RENAME TO sensord_gap")
    // A rule of somebody's own: the message of the server would have the row.
    _ = try gateway.rows("ALTER TABLE sensord_gap ADD CHECK (reason <> 'link')")
    try refusal(65, "a value was refused")
    _ = try gateway.rows("ALTER TABLE sensord_gap DROP CONSTRAINT sensord_gap_reason_check")
    try gateway.forward()
    try gateway.configure(wearer: "p009")
    try await gateway.record(1, first: 3, into: store)
    try refusal(78, "[persons]")
    try gateway.configure(other: "p009")
    try refusal(78, "[persons]")
    try gateway.configure(more: "[centre]\ncolour = red")
    try refusal(78, "[centre] has no such setting")
    try gateway.configure()
    try gateway.forward()
  }

  @Test("hostile texts arrive as they are")
  func texts() async throws {
    let gateway = try TestGateway(on: server, centre: "texts")
    let store = try gateway.open()
    let hostile = "'; DROP TABLE sensord_sample; --\u{0}\\x00 \"\u{202E}{}$1\n"
    var series = QuantitySeriesBuilder(type: .heartRate, start: TestGateway.start)
    try series.insert(60, from: TestGateway.start, to: TestGateway.start)
    let sample = try series.finish(metadata: [hostile: .text(hostile), "plain": .text("é")])
    try await store.save(sample, as: SourceRevision(identifier: "org.example'", name: hostile))
    try gateway.forward()
    // What no text of the server can have is there as JSON.
    #expect(try gateway.number("SELECT count(*) FROM sensord_metadata") == 1)
    #expect(try gateway.number("SELECT count(*) FROM sensord_object WHERE origin = 'metadata_values'") == 1)
    #expect(try gateway.number("SELECT count(*) FROM sensord_object WHERE row::text LIKE '%\\\\u0000%'") >= 1)
    #expect(try gateway.rows("SELECT value #>> '{}' FROM sensord_metadata WHERE key = 'plain'") == [["é"]])
  }

  @Test("a forwarder that waits forwards what is saved and deleted, and goes on after the connection is cut")
  func waiting() async throws {
    let gateway = try TestGateway(on: server, centre: "waiting")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    let (output, errors) = (try OutputFile(), try OutputFile())
    let program = try gateway.start(["run"], output: output, errors: errors)
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    try gateway.wait("SELECT count(*) FROM sensord_session")
    let more = try await gateway.record(1, first: 1, into: store)
    try gateway.wait("SELECT count(*) - 1 FROM sensord_session")
    // Cut in the middle of a transaction: it waits for a table that somebody has locked.
    var locker = try server.connect("waiting")
    try locker.run("BEGIN")
    try locker.run("LOCK TABLE sensord_chunk")
    try await SampleSessions.delete(more[0], from: store)
    try await gateway.record(1, first: 2, into: store)
    let waits =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sensord-forward' AND datname = 'waiting' AND wait_event_type = 'Lock'"
    try gateway.wait(waits)
    _ = try gateway.rows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sensord-forward' AND datname = 'waiting'"
    )
    try locker.run("COMMIT")
    try gateway.wait("SELECT count(*) FROM sensord_tombstone")
    try gateway.wait("SELECT (sent = last)::integer FROM sensord_gateway")
    #expect(try gateway.run("verify").status == 0)
    #expect(errors.text.contains("trying again") && !errors.text.contains("p001"))
    while try !gateway.run("status", "--json").output.contains("\"failing\":false,\"lastError\":\"the centre: ") {
      poll(nil, 0, 10)
    }
  }

  @Test("two forwarders of one store do not mix: one goes back and finds what the other did")
  func two() async throws {
    let gateway = try TestGateway(on: server, centre: "two")
    let store = try gateway.open()
    try await gateway.record(5, into: store)
    var locker = try server.connect("two")
    try locker.run("BEGIN")
    try locker.run("LOCK TABLE sensord_sample")
    let errors = try (0..<2).map { _ in try OutputFile() }
    let programs = try errors.map { try gateway.start(["run", "--once"], output: try OutputFile(), errors: $0) }
    try gateway.wait(
      """
      SELECT (count(*) = 2)::integer FROM pg_stat_activity
      WHERE application_name = 'sensord-forward' AND datname = 'two' AND wait_event_type = 'Lock'
      """)
    try locker.run("COMMIT")
    #expect(programs.map { $0.wait() } == [0, 0])
    #expect(errors.map(\.text).joined().contains("another program forwards this store"))
    try gateway.forward()
  }

  @Test("killed in the middle of a transaction, forwarder or server, nothing is lost and nothing is there twice")
  func kills() async throws {
    // A server of its own, since it is killed.
    let server = try TestServer()
    let gateway = try TestGateway(on: server, centre: "kills")
    let store = try gateway.open()
    try await gateway.record(40, into: store)
    let waits =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sensord-forward' AND wait_event_type = 'Lock'"
    for table in ["sensord_sample", "sensord_chunk", "sensord_object"] {
      var locker = try server.connect("kills")
      try locker.run("BEGIN")
      try locker.run("LOCK TABLE \(table)")
      let program = try gateway.start(["run", "--once"], output: try OutputFile(), errors: try OutputFile())
      try gateway.wait(waits)
      program.send(SIGKILL)
      #expect(program.wait() == -SIGKILL)
      try locker.run("COMMIT")
      try await gateway.record(1, first: 50, into: store)
    }
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 0)
    let errors = try OutputFile()
    var locker = try server.connect("kills")
    try locker.run("BEGIN")
    try locker.run("LOCK TABLE sensord_metadata")
    let program = try gateway.start(["run", "--once", "--attempts", "30"], output: try OutputFile(), errors: errors)
    try gateway.wait(waits)
    server.program.send(SIGKILL)
    server.program.wait()
    let next = try server.restarted()
    #expect(program.wait() == 0, "\(errors.text)")
    let after = try TestGateway(on: next, centre: "kills", makesCentre: false)
    #expect(try after.number("SELECT count(*) FROM sensord_session") == 43)
    try gateway.forward()
  }
}
