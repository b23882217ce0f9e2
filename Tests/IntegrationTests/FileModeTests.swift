import Foundation
import TestSupport
import Testing

/// Who may read what a recorder leaves: the real process, in the folders that systemd or a person has.
@Suite("Files of a recorder")
struct FileModeTests {
  private static let strap = "C0:FF:EE:00:00:01"

  /// Whose recorder it is, and what it starts with.
  enum Owner: CaseIterable {
    case service, person

    var fileMode: Int { self == .service ? 0o640 : 0o600 }
    var directoryMode: Int { self == .service ? 0o750 : 0o700 }
    /// The unit's own, and the loosest that a person can have.
    var mask: Int { self == .service ? 0o027 : 0 }

    /// The folders, below `home`.
    func environment(_ home: String) -> [String: String] {
      switch self {
      case .service:
        ["STATE_DIRECTORY": "\(home)/state", "RUNTIME_DIRECTORY": "\(home)/run"]
      case .person: ["XDG_STATE_HOME": "\(home)/state", "XDG_RUNTIME_DIR": "\(home)/run"]
      }
    }

    func store(_ home: String) -> String {
      self == .service ? "\(home)/state/sensord.sqlite" : "\(home)/state/sensord/sensord.sqlite"
    }
  }

  /// What a recorder made below `home`, with what is wrong about its mode.
  private func made(at home: String, by owner: Owner) throws -> [String: String?] {
    var made: [String: String?] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: home) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(home)/\(path)")
      var expected = attributes[.type] as? FileAttributeType == .typeDirectory ? owner.directoryMode : owner.fileMode
      // Of the recorder for the next one, and of nobody else.
      if path.hasSuffix("/links") { expected = 0o600 }
      let mode = attributes[.posixPermissions] as? Int ?? 0
      made[path] = .some(mode == expected ? nil : "\(path): \(String(mode, radix: 8))")
    }
    return made
  }

  @Test(
    "are for the service's group to read where it is the service's, and for nobody else where it is a person's",
    arguments: Owner.allCases)
  func modes(owner: Owner) async throws {
    let recording = try Recording()
    let home = recording.folder.appendingPathComponent("home").path
    // Made before, as systemd and the login do.
    for folder in ["state", "run"] {
      try FileManager.default.createDirectory(
        atPath: "\(home)/\(folder)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: owner.directoryMode])
    }
    let simulator = try recording.simulator(
      #"{"resolve":"usual","straps":[{"name":"Strap","address":"\#(Self.strap)","flood":{"per_second":50,"values":5000}}]}"#
    )
    try await simulator.printed("ready")
    let environment = owner.environment(home).merging(["HOME": home, "NOTIFY_SOCKET": ""]) { $1 }
    let recorder = try Program(
      "sensord", ["run", "--bus", recording.bus.address], environment: environment, mask: owner.mask)
    try await recorder.printed("started")
    let added = try Program.run("sensord", ["devices", "add", Self.strap, "--store", owner.store(home)])
    try #require(added.status == 0, "\(added.errors)")
    let parts = [
      "status.json", "sensord.sqlite", "sensord.sqlite-wal", "sensord.sqlite-shm", ".journal/00000001.journal",
    ]
    try await wait(for: "all files") {
      // By their names alone: what is being replaced may be gone when it is looked at.
      let found = FileManager.default.enumerator(atPath: home)?.compactMap { $0 as? String } ?? []
      return parts.allSatisfy { part in found.contains { $0.hasSuffix(part) } }
    }
    // Stopped, since a file that it is replacing has another name for a moment.
    recorder.send(SIGSTOP)
    try await wait(for: "a stopped recorder") { try recorder.isStopped() }
    let during = try made(at: home, by: owner)
    recorder.send(SIGCONT)
    for part in parts {
      #expect(during.keys.contains { $0.hasSuffix(part) }, "\(part) in \(during.keys.sorted())")
    }
    #expect(during.values.compactMap(\.self).isEmpty)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    let after = try made(at: home, by: owner)
    #expect(after.keys.contains { $0.hasSuffix(".capture") }, "\(after.keys.sorted())")
    #expect(after.values.compactMap(\.self).isEmpty)
  }
}
