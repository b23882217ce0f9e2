import Centre
import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Twenty gateways that record, delete, rebuild and are put back to old copies, while programs are killed, connections cut and the
/// centre's disk is full. `make gateways` says how often; the tests of every day leave it out.
@Suite("Forwarding while everything fails", .serialized, .enabled(if: LongTrial.kills > 0))
struct KillTests {
  private static let width = 20

  /// A gateway, and what must be at the centre of it.
  private final class Member {
    let gateway: TestGateway
    let throughProxy: Bool
    var store: HealthStore
    var program: StartedProgram?
    let errors: OutputFile
    /// The version of each session in the store.
    var current: [UUID: Int64] = [:]
    /// The versions that the centre may have in the end; 0 is none.
    var possible: [UUID: Set<Int64>] = [:]
    var copy: (files: [(name: String, bytes: [UInt8])], current: [UUID: Int64], possible: [UUID: Set<Int64>])?
    /// All that a session was since the copy.
    private var since: [UUID: Set<Int64>] = [:]
    /// All that a session was in histories that were lost: no deletion behind their fork deletes that.
    private var lost: [UUID: Set<Int64>] = [:]
    var wasPutBack = false
    /// Of no two saves the same, also where one of them was lost: a version has one content.
    private var last: Int64 = 0

    init(_ gateway: TestGateway, throughProxy: Bool) throws {
      self.gateway = gateway
      self.throughProxy = throughProxy
      store = try gateway.open()
      errors = try OutputFile()
    }

    func start() throws { program = try gateway.start(["run"], output: try OutputFile(), errors: errors) }

    func kill() {
      program?.send(SIGKILL)
      program?.wait()
      program = nil
    }

    func save(_ id: UUID, _ random: inout SeededGenerator) async throws -> Int64 {
      last += 1
      let version = last
      let day = Int64.random(in: 0..<300, using: &random)
      try await SampleSessions.save(
        id, version: version, seed: .random(in: 0 ... .max, using: &random),
        beats: .random(in: 20...400, using: &random),
        start: TestGateway.start.advanced(byMicroseconds: day * 86_400_000_000), sensor: TestGateway.strap, into: store)
      current[id] = version
      return version
    }

    /// Something that a recorder or its owner does.
    func act(_ random: inout SeededGenerator) async throws {
      let ids = current.keys.sorted { $0.uuidString < $1.uuidString }
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        guard let id = ids.randomElement(using: &random) else { return }
        try await SampleSessions.delete(id, from: store)
        let versions = lost[id].map { $0.union([0, current[id] ?? 0]) } ?? [0]
        current[id] = nil
        be(versions, id)
      case 2, 3:
        guard let id = ids.randomElement(using: &random) else { return }
        be([try await save(id, &random)], id)
      case 4 where copy == nil:
        await store.close()
        copy = (
          ["store.sqlite", "store.sqlite-wal"].map { ($0, gateway.folder.bytes(of: $0)) }, current, possible
        )
        since = [:]
        store = try gateway.open()
      case 4:
        guard let copy else { return }
        kill()
        await store.close()
        gateway.removeStore()
        for file in copy.files where !file.bytes.isEmpty { try gateway.folder.write(file.name, file.bytes) }
        store = try gateway.open()
        // What was lost may have been forwarded, or not, or in part.
        for (id, states) in since { lost[id, default: []].formUnion(states) }
        for (id, states) in since { possible[id] = states.union(copy.possible[id] ?? [0]) }
        current = copy.current
        self.copy = nil
        wasPutBack = true
        try start()
      default:
        let id = UUID()
        be([try await save(id, &random)], id)
      }
    }

    private func be(_ versions: Set<Int64>, _ id: UUID) {
      possible[id] = versions
      since[id, default: []].formUnion(versions)
    }
  }

  private final class Disk {
    private let path: String?

    /// Where the script has mounted one that is small.
    init() { path = ProcessInfo.processInfo.environment["SENSORD_SMALL_DISK"].map { $0 + "/full" } }

    var isSmall: Bool { path != nil }

    func fill() {
      guard let path else { return }
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(descriptor) }
      let zeros = [UInt8](repeating: 0, count: 65_536)
      while unsafe write(descriptor, zeros, zeros.count) > 0 {}
    }

    func free() { if let path { unsafe unlink(path) } }
  }

  private enum Kill: String, CaseIterable { case forwarder, server, terminated, cut, slow, disk }

  @Test(
    "kills of forwarders and server, cut and slow connections, a full disk: all is there once, and what was deleted is gone"
  )
  func kills() async throws {
    let seed = ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...1 << 40)
    print("SENSORD_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    let options = ["-c", "max_connections=60"]
    var server = try TestServer(options: options)
    let names = (0..<Self.width).map { "lab_\($0)" }
    try server.makeCentre("kills", gateways: names)
    let proxy = TemporaryFolder()
    let script = ProcessInfo.processInfo.environment["SENSORD_PROXY"] ?? "Tests/proxy.py"
    let said = try OutputFile()
    let middle = try StartedProgram(
      "/usr/bin/python3", [script, "\(proxy.path)/.s.PGSQL.5432", "\(server.socket)/.s.PGSQL.5432"],
      output: said.descriptor, errors: said.descriptor)
    defer {
      middle.send(SIGKILL)
      middle.wait()
    }
    let members = try names.enumerated().map { index, name in
      let gateway = try TestGateway(on: server, centre: "kills", name: name, makesCentre: false)
      try gateway.configure(host: index % 2 == 0 ? nil : proxy.path, wearer: "p\(100 + index)")
      return try Member(gateway, throughProxy: index % 2 == 1)
    }
    defer { for member in members { member.kill() } }
    for member in members {
      for _ in 0..<3 { try await member.act(&random) }
      try member.start()
    }
    let disk = Disk()
    defer { disk.free() }
    func revive() throws {
      while true {
        if server.program.status != nil { server = try server.restarted(options: options) }
        if (try? server.connect("kills")) != nil { return }
        poll(nil, 0, 50)
      }
    }
    var done: [Kill: Int] = [:]
    for _ in 0..<LongTrial.kills {
      for _ in 0..<3 { try await members.randomElement(using: &random)?.act(&random) }
      poll(nil, 0, .random(in: 0...150, using: &random))
      let kill = Kill.allCases.filter { $0 != .disk || disk.isSmall }.randomElement(using: &random) ?? .forwarder
      done[kill, default: 0] += 1
      switch kill {
      case .forwarder:
        let member = members.randomElement(using: &random)
        member?.kill()
        try member?.start()
      case .server:
        server.program.send(SIGKILL)
        server.program.wait()
        try revive()
      case .terminated:
        var all = try server.connect("kills")
        try all.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sensord-forward' AND pid % 2 = $1::integer",
          [Field(Int64.random(in: 0...1, using: &random))])
      case .cut: middle.send(SIGUSR1)
      case .slow: middle.send(SIGUSR2)
      case .disk:
        disk.fill()
        for _ in 0..<3 { try await members.randomElement(using: &random)?.act(&random) }
        poll(nil, 0, 300)
        disk.free()
        try revive()
      }
      // Each that gave up, which it says, would be missed.
      for member in members where member.program?.status != nil {
        Issue.record("a forwarder ended with \(member.program?.status ?? 0): \(member.errors.text)")
        try member.start()
      }
    }
    print("kills: \(done.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", "))")

    var putBack = 0
    for member in members {
      member.kill()
      try member.gateway.configure(wearer: "p\(100 + (names.firstIndex(of: member.gateway.name) ?? 0))")
      let name = member.gateway.name
      let forwarded = try member.gateway.run("run", "--once", "--attempts", "30")
      #expect(forwarded.status == 0, "\(name): \(forwarded.errors)")
      if member.wasPutBack {
        // The centre has what only the lost history had; so has a store that is restored from it.
        putBack += 1
        await member.store.close()
        member.gateway.removeStore()
        let restored = try member.gateway.run("restore")
        #expect(restored.status == 0, "\(name): \(restored.errors)")
        member.store = try member.gateway.open()
        let damages = try await member.store.check()
        #expect(damages == [], "\(name)")
      }
      try member.gateway.forward()
      var found: [UUID: Int64] = [:]
      for row in try member.gateway.rows("SELECT id, sync_version FROM sensord_session WHERE gateway = '\(name)'") {
        guard let id = UUID(uuidString: row[0] ?? ""), let version = Int64(row[1] ?? "") else { continue }
        #expect(found.updateValue(version, forKey: id) == nil, "\(name): \(id) is there twice")
      }
      for (id, versions) in member.possible {
        #expect(versions.contains(found[id] ?? 0), "\(name): \(id) has version \(found[id] ?? 0), not \(versions)")
      }
      #expect(Set(found.keys).isSubset(of: member.possible.keys), "\(name)")
    }
    var all = try server.connect("kills")
    for table in [CentreTable.session, .sample] {
      let twice = try all.run("SELECT count(*) - count(DISTINCT (gateway, id)) FROM \(table.fullName)").rows
      #expect(twice == [["0"]], "\(table.name)")
    }
    for table in CentreTable.parts {
      let orphans = try all.run(
        """
        SELECT count(*) FROM \(table.fullName) AS part WHERE (gateway, owner) NOT IN
          (SELECT gateway, id FROM sensord_sample UNION SELECT gateway, id FROM sensord_session)
        """
      ).rows
      #expect(orphans == [["0"]], "\(table.name)")
    }
    let counts = try all.run(
      """
      SELECT (SELECT count(*) FROM sensord_session), (SELECT count(*) FROM sensord_sample),
        (SELECT count(*) FROM sensord_tombstone), (SELECT count(*) FROM sensord_gateway)
      """
    ).rows[0].map { $0 ?? "" }
    print(
      "\(Self.width) gateways, \(putBack) put back and restored, \(LongTrial.kills) kills: \(counts[0]) sessions, "
        + "\(counts[1]) samples, \(counts[2]) deletions, \(counts[3]) histories at the centre; both sides the same everywhere"
    )
  }
}
