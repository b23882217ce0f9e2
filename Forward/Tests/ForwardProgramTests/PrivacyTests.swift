import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// What leaves a gateway, and what of it researchers see.
@Suite("What leaves a gateway", .serialized)
struct PrivacyTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  /// The tables that have a text somewhere.
  private func tables(with text: String, of gateway: TestGateway) throws -> [String] {
    try CentreTable.all.map(\.fullName).filter { table in
      try gateway.number("SELECT count(*) FROM \(table) AS t WHERE strpos(t::text, '\(text)') > 0") > 0
    }
  }

  private static func rate(_ value: Double, minute: Int64) throws -> NewSample {
    var series = QuantitySeriesBuilder(type: .heartRate, start: TestGateway.start)
    let time = TestGateway.start.advanced(byMicroseconds: minute * 60_000_000)
    try series.insert(value, from: time, to: time)
    return try series.finish()
  }

  @Test("a researcher sees the own studies and login, and of what has no person only what belongs to a visible sample")
  func researchers() async throws {
    let one = try TestGateway(on: server, centre: "studies", name: "studies_one")
    for login in ["ada", "eve"] { _ = try one.rows("CREATE ROLE studies_\(login) LOGIN IN ROLE sensord_researcher") }
    _ = try one.rows("CREATE ROLE studies_two LOGIN IN ROLE sensord_gateway")
    _ = try one.rows("CREATE ROLE studies_chief LOGIN IN ROLE sensord_administrator")
    let two = try TestGateway(on: server, centre: "studies", name: "studies_two", makesCentre: false)
    try two.configure(wearer: "p002", other: "p003")
    for (gateway, source) in [(one, "org.one"), (two, "org.two")] {
      let store = try gateway.open()
      let sessions = try await gateway.record(2, into: store)
      try await store.save([Self.rate(60, minute: 0)], as: SourceRevision(identifier: source, name: source))
      try await SampleSessions.delete(sessions[1], from: store)
      try gateway.forward()
    }
    _ = try one.rows(
      "INSERT INTO sensord_study VALUES ('sleep', 'p001'), ('hearts', 'p002'), ('hearts', 'p003')", as: "studies_chief")
    _ = try one.rows(
      "INSERT INTO sensord_researcher VALUES ('studies_ada', 'hearts'), ('studies_eve', 'sleep')", as: "studies_chief")
    #expect(
      try one.rows("SELECT login, study FROM sensord_researcher", as: "studies_ada") == [["studies_ada", "hearts"]])
    #expect(
      try one.rows("SELECT study, person FROM sensord_study ORDER BY 2", as: "studies_ada")
        == [["hearts", "p002"], ["hearts", "p003"]])
    #expect(try one.number("SELECT count(*) FROM sensord_study", as: "studies_chief") == 3)
    #expect(throws: DatabaseFailure.self) { try one.rows("SELECT * FROM sensord_study", as: "studies_two") }
    #expect(throws: DatabaseFailure.self) {
      try one.rows("INSERT INTO sensord_researcher VALUES ('studies_ada', 'sleep')", as: "studies_ada")
    }
    #expect(
      try one.rows("SELECT DISTINCT person FROM sensord_sample ORDER BY 1", as: "studies_ada") == [["p002"], ["p003"]])

    // Of the other gateway nothing, and of the own one what its samples name: nobody has a sample of p000.
    for table in ["source", "type", "tombstone", "device"] {
      let all = try one.number("SELECT count(DISTINCT gateway) FROM sensord_\(table)")
      let gateways = try one.rows("SELECT DISTINCT gateway FROM sensord_\(table)", as: "studies_ada")
      #expect(all == 2 && gateways == (table == "tombstone" ? [] : [["studies_two"]]), "\(table)")
    }
    #expect(
      try one.rows("SELECT identifier FROM sensord_source WHERE identifier <> 'sensord'", as: "studies_ada")
        == [["org.two"]])
    #expect(
      try one.rows("SELECT identifier FROM sensord_source WHERE identifier LIKE 'org%'", as: "studies_eve") == [])
    #expect(try one.number("SELECT count(*) FROM sensord_type", as: "studies_eve") > 0)
    #expect(try one.number("SELECT count(*) FROM sensord_hrv", as: "studies_eve") == 3)
    #expect(throws: DatabaseFailure.self) { try one.rows("SELECT * FROM sensord_gateway", as: "studies_ada") }
    // What `forget` deletes while its object comes is hidden from researchers, too.
    _ = try one.rows(
      """
      INSERT INTO sensord_tombstone (gateway, object, store, history, number)
      SELECT gateway, id, store, history, 9223372036854775807 FROM sensord_session WHERE person = 'p001'
      """)
    #expect(try one.number("SELECT count(*) FROM sensord_sessions", as: "studies_eve") == 0)
  }

  @Test("with names = no no name of a source leaves, nor an identifier with a name or a serial number in it")
  func names() async throws {
    let gateway = try TestGateway(on: server, centre: "sources")
    let store = try gateway.open()
    let watch = "Anna Muster’s Apple Watch"
    let sources = [
      ("apple.\(watch)", watch), ("fit.garmin.3912345", "Anna's Edge"), ("Anna Muster", "Anna Muster"),
      ("wfdb.anna", "Anna"), ("org.example.app", "Example for Anna"), ("apple", "Apple Health"),
    ]
    for (minute, source) in sources.enumerated() {
      try await store.save(
        [Self.rate(60, minute: Int64(minute))], as: SourceRevision(identifier: source.0, name: source.1, version: "1"))
    }
    try gateway.forward()
    for text in ["Anna", "anna", "3912345"] { #expect(try tables(with: text, of: gateway) == [], "\(text)") }
    let names = ["apple.1", "fit.2", "source.3", "wfdb.4", "org.example.app", "apple"]
    let found = try gateway.rows("SELECT identifier, name, version FROM sensord_source ORDER BY \"row\"")
    #expect(found == names.map { [$0, $0, "1"] })
    // A restored store has these names, and is the same at the centre.
    let rows = "SELECT id, digest FROM sensord_sample ORDER BY id"
    let before = try gateway.rows(rows)
    await store.close()
    gateway.removeStore()
    #expect(try gateway.run("restore").status == 0)
    try gateway.forward()
    #expect(try gateway.rows(rows) == before)
    #expect(try Set(gateway.rows("SELECT DISTINCT identifier FROM sensord_source").map { $0[0] }) == Set(names))
    // Where the owner said so they leave.
    let open = try TestGateway(on: server, centre: "named")
    try open.configure(more: "[devices]\nnames = yes")
    try await open.open().save(
      [Self.rate(60, minute: 0)], as: SourceRevision(identifier: "apple.\(watch)", name: watch))
    try open.forward()
    #expect(try open.rows("SELECT identifier, name FROM sensord_source") == [["apple.\(watch)", watch]])
  }

  @Test("clinical records and their files stay at home unless the owner said otherwise, and no researcher sees them")
  func records() async throws {
    let gateway = try TestGateway(on: server, centre: "records")
    _ = try gateway.rows("CREATE ROLE records_ada LOGIN IN ROLE sensord_researcher")
    _ = try gateway.rows("INSERT INTO sensord_study VALUES ('s', 'p000'), ('s', 'p001')")
    _ = try gateway.rows("INSERT INTO sensord_researcher VALUES ('records_ada', 's')")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    let document = #"{"resourceType":"Observation","id":"o1","subject":{"display":"Anna Muster"}}"#
    let record = ClinicalRecord(
      .labResultRecord, displayName: "Result of Anna",
      FHIRResource(
        resourceType: "Observation", identifier: "o1", fhirVersion: "4.0.1", sourceURL: nil, data: Array(document.utf8))
    )
    let saved = try NewSample(
      record, at: TestGateway.start, metadata: ["of": .text("Anna")],
      sync: SyncIdentity(identifier: "Observation/Anna", version: 1))
    try await store.save([saved], as: SourceRevision(identifier: "Anna", name: "Anna"))
    let scan = try gateway.folder.write("scan", Array("%PDF-1.4\nAnna\nstartxref\n9\n%%EOF\n".utf8))
    let descriptor = unsafe Glibc.open(scan, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    _ = try await store.addAttachment(to: saved.id, name: "Anna.pdf", from: descriptor)
    try gateway.forward()
    #expect(try tables(with: "Anna", of: gateway) == [])
    let files = "SELECT count(*) FROM sensord_attachment"
    #expect(try gateway.number(files) == 0 && gateway.number("SELECT count(*) FROM sensord_sample") == 5)
    let without = "\(gateway.folder.path)/without.sqlite"
    let restored = try gateway.run("restore", "--to", without, "--json")
    #expect(restored.status == 0 && restored.output.hasPrefix("{\"objects\":6,"), "\(restored)")

    // What was at home comes later, too.
    try gateway.configure(more: "[records]\nforward = yes")
    #expect(try gateway.run("run", "--once").status == 0)
    try gateway.forward()
    #expect(try tables(with: "Anna", of: gateway) == ["sensord_sample", "sensord_object"])
    #expect(try gateway.number(files) == 1 && gateway.number("SELECT count(*) FROM sensord_sample") == 6)
    for table in CentreTable.sharded where table != .attachment {
      let seen = try gateway.number(
        "SELECT count(*) FROM \(table.fullName) AS t WHERE strpos(t::text, 'Anna') > 0 OR person = 'p000'",
        as: "records_ada")
      #expect(seen == 0, "\(table.name)")
    }
    #expect(try gateway.number("SELECT count(*) FROM sensord_sample", as: "records_ada") == 5)
    #expect(throws: DatabaseFailure.self) { try gateway.rows(files, as: "records_ada") }
    let with = "\(gateway.folder.path)/with.sqlite"
    let whole = try gateway.run("restore", "--to", with, "--json")
    #expect(whole.status == 0 && whole.output.contains("\"files\":1,\"missingFiles\":0"), "\(whole)")
    let copy = try HealthStore.open(with, for: .reading)
    let before = try await store.history(after: .start, limit: 100).changes
    let after = try await copy.history(after: .start, limit: 100).changes
    #expect(before.map(\.rows) == after.map(\.rows))
    #expect(try await copy.check() == [])
    await copy.close()

    // And goes again, without a deletion.
    try gateway.configure()
    try gateway.forward()
    #expect(try tables(with: "Anna", of: gateway) == [])
    #expect(try gateway.number(files) == 0 && gateway.number("SELECT count(*) FROM sensord_sample") == 5)
    #expect(try gateway.number("SELECT count(*) FROM sensord_tombstone") == 0)
  }

  @Test("no message and no failure file has a pseudonym or the address of a sensor")
  func messages() async throws {
    let gateway = try TestGateway(on: server, centre: "messages")
    func configure(_ wearer: String = "wearer-one", other: String = "other-one", more: String = "") throws {
      try gateway.configure(wearer: wearer, other: other, more: more)
    }
    var said = 0
    func check(_ status: Int32, sourceLocation: SourceLocation = #_sourceLocation) throws {
      for words in [["run", "--once"], ["status"], ["verify"], ["forget", "--person", "nobody-one"]] {
        let (output, errors) = (try OutputFile(), try OutputFile())
        let found = try gateway.start(words, output: output, errors: errors).wait()
        if words[0] == "run" { #expect(found == status, "\(errors.text)", sourceLocation: sourceLocation) }
        said += errors.text.utf8.count
        let text = output.text + errors.text + String(decoding: gateway.folder.bytes(of: "failure"), as: UTF8.self)
        for secret in ["wearer-", "other-", "nobody-", TestGateway.strap] {
          #expect(!text.uppercased().contains(secret.uppercased()), "\(words): \(text)", sourceLocation: sourceLocation)
        }
      }
    }
    try configure()
    let copy: [UInt8]
    do {
      let store = try gateway.open()
      try await gateway.record(1, into: store)
      await store.close()
      copy = gateway.folder.bytes(of: "store.sqlite")
      let again = try gateway.open()
      try await gateway.record(1, first: 1, into: again)
      try await again.save([Self.rate(60, minute: 0)], as: SourceRevision(identifier: "org.one", name: "One"))
      await again.close()
    }
    try check(0)
    try configure("wearer-two")
    try check(78)
    try configure(other: "other-two")
    try check(78)
    try configure("wearer two")
    try check(78)
    try configure(more: "[persons]\n\(TestGateway.strap) = wearer-two")
    try check(78)
    try configure(more: "[devices]\n\(TestGateway.strap) = wearer-two")
    try check(78)
    // An older copy, which begins a new history.
    gateway.removeStore()
    try gateway.folder.write("store.sqlite", copy)
    try configure("wearer-two")
    try check(78)
    #expect(said > 500)
  }
}
