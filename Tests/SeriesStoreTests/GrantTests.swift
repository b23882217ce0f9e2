import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Grants of client programs")
struct GrantTests {
  private let folder = TemporaryFolder()
  private let game = ClientIdentity(uid: 1000, application: "org.example.Game")
  private let stranger = ClientIdentity(uid: 1001, application: "org.example.Game")

  private func grant(
    _ client: ClientIdentity, _ type: String, _ permission: Permission, _ decision: Grant.Decision, at time: Int64 = 1
  ) -> Grant {
    Grant(
      client: client, type: type, permission: permission, decision: decision, decided: Timestamp(microseconds: time))
  }

  @Test("nothing is decided at first; a decision is about one client, type and permission, and the last one counts")
  func decisions() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await store.grants() == [])
    #expect(try await store.decision(for: game, .read, of: "heartRate") == nil)
    try await store.decide([
      grant(stranger, "heartRate", .read, .denied), grant(game, "stepCount", .share, .allowed),
      grant(game, "heartRate", .read, .denied),
    ])
    try await store.decide([grant(game, "heartRate", .read, .allowed, at: 2)])
    #expect(try await store.decision(for: game, .read, of: "heartRate") == .allowed)
    #expect(try await store.decision(for: game, .share, of: "heartRate") == nil)
    #expect(try await store.decision(for: stranger, .read, of: "heartRate") == .denied)
    #expect(try await store.decision(for: ClientIdentity(uid: 1000), .read, of: "heartRate") == nil)
    let ofGame = [grant(game, "heartRate", .read, .allowed, at: 2), grant(game, "stepCount", .share, .allowed)]
    #expect(try await store.grants(of: game) == ofGame)
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.grants() == ofGame + [grant(stranger, "heartRate", .read, .denied)])
    #expect(try await store.check() == [])
  }

  @Test("beats are granted with the figure of variability that is computed from them")
  func beats() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.decide([grant(game, "heartRateVariabilitySDNN", .read, .allowed)])
    #expect(try await store.decision(for: game, .read, of: "heartbeatSeries") == .allowed)
    try await store.revoke(game, type: "heartbeatSeries")
    #expect(try await store.decision(for: game, .read, of: "heartRateVariabilitySDNN") == nil)
  }

  @Test("a decision about beats is one about the figure that governs them, and a later one replaces it")
  func governed() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.decide([grant(game, "heartbeatSeries", .read, .allowed)])
    #expect(try await store.decision(for: game, .read, of: "heartRateVariabilitySDNN") == .allowed)
    try await store.decide([grant(game, "heartRateVariabilitySDNN", .read, .denied)])
    #expect(try await store.grants() == [grant(game, "heartRateVariabilitySDNN", .read, .denied)])
  }

  @Test("a refusal to read ends what was granted object by object; one to share does not")
  func refusedObjects() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let object = ObjectGrant(
      client: game, type: "visionPrescription", object: UUID(), decided: Timestamp(microseconds: 7))
    try await store.decide([], objects: [object])
    try await store.decide([grant(game, "visionPrescription", .share, .denied)])
    #expect(try await store.objectGrants(of: game) == [object])
    try await store.decide([grant(game, "visionPrescription", .read, .denied)])
    #expect(try await store.objectGrants(of: game).isEmpty)
  }

  @Test("a name of any text is kept as it is, and is one with no other")
  func hostileNames() async throws {
    let names = [
      "", "'; DROP TABLE grants; --", "a\0b", "a", "A", "ä", "a\u{308}", String(repeating: "x", count: 70_000),
    ]
    let store = try HealthStore.open(folder.store, for: .writing)
    for (index, name) in names.enumerated() {
      let client = ClientIdentity(uid: .max, application: name)
      try await store.decide([grant(client, name, .share, .allowed, at: Int64(index))])
    }
    for (index, name) in names.enumerated() {
      let client = ClientIdentity(uid: .max, application: name)
      // Compared by their bytes: Swift takes texts for equal that look the same.
      let found = try await store.grants(of: client).map { Array($0.type.utf8) + [UInt8($0.decided.microseconds)] }
      #expect(found == [Array(name.utf8) + [UInt8(index)]])
    }
    #expect(try await store.check() == [])
  }

  @Test("single samples are granted by themselves")
  func objects() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let grants = [UUID(), UUID()].map {
      ObjectGrant(client: game, type: "visionPrescription", object: $0, decided: Timestamp(microseconds: 7))
    }.sorted { $0.object.uuidString < $1.object.uuidString }
    try await store.decide([], objects: grants)
    try await store.decide([], objects: [grants[0]])
    #expect(try await store.objectGrants() == grants)
    #expect(try await store.objectGrants(of: stranger) == [])
    #expect(try await store.grants() == [])
  }

  @Test(
    "revoking removes what it names and nothing else",
    arguments: [
      (nil, nil, 4, 0), ("heartRate", nil, 2, 2), (nil, .share, 1, 3), (nil, .read, 3, 1), ("heartRate", .read, 1, 3),
      ("visionPrescription", nil, 1, 3), ("visionPrescription", .share, 0, 4), ("other", nil, 0, 4),
    ] as [(String?, Permission?, Int, Int)])
  func revoking(type: String?, permission: Permission?, removed: Int, left: Int) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let prescription = ObjectGrant(
      client: game, type: "visionPrescription", object: UUID(), decided: Timestamp(microseconds: 7))
    try await store.decide(
      [
        grant(game, "heartRate", .read, .allowed), grant(game, "heartRate", .share, .denied),
        grant(game, "stepCount", .read, .allowed), grant(stranger, "heartRate", .read, .allowed),
      ], objects: [prescription])
    #expect(try await store.revoke(game, type: type, permission: permission) == removed)
    let kept = try await store.grants(of: game).count + store.objectGrants(of: game).count
    #expect(kept == left)
    #expect(try await store.grants(of: stranger).count == 1)
  }

  @Test("decisions about several types are revoked all or none")
  func revokingSeveral() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let all = [
      grant(game, "heartRate", .read, .allowed), grant(game, "heartRate", .share, .allowed),
      grant(game, "height", .share, .allowed), grant(game, "stepCount", .read, .allowed),
    ]
    try await store.decide(all)
    let file = try Connection.undefended(folder.store)
    // Those for reading end here, when those for sharing are gone already.
    try file.execute("ALTER TABLE object_grants RENAME TO away")
    await #expect(throws: StoreError.self) {
      try await store.revoke(game, share: ["heartRate", "height"], read: ["heartRate", "stepCount"])
    }
    #expect(try await store.grants() == all)
    try file.execute("ALTER TABLE away RENAME TO object_grants")
    #expect(try await store.revoke(game, share: ["heartRate"], read: ["heartRate", "stepCount"]) == 3)
    #expect(try await store.grants() == [all[2]])
    #expect(try await store.revoke(game, share: [], read: []) == 1)
  }

  @Test(
    "a changed decision is found by a check, and allows nothing",
    arguments: ["decision = 'maybe'", "decision = 'allowed'", "uid = -1", "uid = 1001", "permission = 'share'"])
  func damage(change: String) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let original = change.hasPrefix("decision") ? Grant.Decision.denied : .allowed
    try await store.decide([grant(game, "heartRate", .read, original)])
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("UPDATE grants SET \(change)")
    #expect(try await store.check().count == 1)
    let error = await #expect(throws: StoreError.self) { try await store.grants() }
    #expect(error?.code == .corrupt(object: "the grants"))
    for client in [game, stranger] {
      for permission in Permission.allCases {
        let decision = try? await store.decision(for: client, permission, of: "heartRate")
        #expect(decision == nil)
      }
    }
  }
}
