import HealthModel
import Testing

@testable import Door

@Suite("Clients and the store")
struct StoreUseTests {
  @Test("an owner reads everything, a client what it was granted, beats with the figure that is computed from them")
  func reading() throws {
    var registry = try Made.registry()
    #expect(registry.reading(of: ":1.0")?.types == nil)
    #expect(registry.reading(of: ":1.0")?.scope == nil)
    #expect(registry.reading(of: ":1.1")?.types == [])
    _ = registry.replaceDecisions(with: [
      Made.grant(.read, "heartRateVariabilitySDNN"), Made.grant(.share, "bodyMass"),
      Made.grant(.read, "stepCount", .denied),
    ])
    #expect(registry.reading(of: ":1.1")?.types == ["heartRateVariabilitySDNN", "heartbeatSeries"])
    #expect(registry.reading(of: ":1.1")?.scope?.source == Made.game.source)
    #expect(registry.reading(of: ":1.3") == nil)
  }

  @Test("a client saves samples of types that it may share, all or none")
  func sharing() throws {
    var registry = try Made.registry()
    _ = registry.replaceDecisions(with: [Made.grant(.share, "bodyMass"), Made.grant(.share, "height", .denied)])
    #expect(try registry.requireSharing(":1.1", of: ["bodyMass"]) == Made.game)
    #expect(throws: Refusal.notAuthorized) { try registry.requireSharing(":1.1", of: ["bodyMass", "height"]) }
    #expect(throws: Refusal.notAuthorized) { try registry.requireSharing(":1.1", of: ["stepCount"]) }
    #expect(throws: Refusal.notAuthorized) { try registry.requireSharing(":1.9", of: []) }
    #expect(try registry.requireSharing(":1.0", of: ["stepCount"]).application == ClientIdentity.unnamed)
  }

  @Test("queries are limited for a client, over all its connections, and for its user")
  func queries() throws {
    var registry = try Made.registry()
    try registry.connected(":1.3", uid: Made.game.uid, groups: [])
    _ = try registry.identify(":1.3", as: Made.game.application, at: Made.at(0))
    var first: UInt64 = 0
    for index in 0..<4 {
      let number = try registry.beginQuery(index < 2 ? ":1.1" : ":1.3")
      if index == 0 { first = number }
    }
    #expect(throws: Refusal.limitsExceeded(.queries)) { try registry.beginQuery(":1.1") }
    try registry.connected(":1.4", uid: Made.game.uid, groups: [])
    for _ in 0..<4 { _ = try registry.beginQuery(":1.4") }
    registry.endQuery(first, of: ":1.1")
    _ = try registry.beginQuery(":1.1")
    #expect(throws: Refusal.limitsExceeded(.queries)) { try registry.beginQuery(":1.4") }
    _ = registry.gone(":1.4")
    #expect(throws: Refusal.limitsExceeded(.queries)) { try registry.beginQuery(":1.1") }
    _ = try registry.beginQuery(":1.0")
  }

  @Test("files that are being attached are limited for a user, who gets nothing back by leaving, and for all")
  func attaching() throws {
    var registry = try Made.registry()
    let uid = try registry.beginAttaching(":1.1")
    #expect(uid == Made.game.uid)
    _ = try registry.beginAttaching(":1.1")
    #expect(throws: Refusal.limitsExceeded(.attachments)) { try registry.beginAttaching(":1.1") }
    _ = registry.gone(":1.1")
    try registry.connected(":1.3", uid: uid, groups: [])
    #expect(throws: Refusal.limitsExceeded(.attachments)) { try registry.beginAttaching(":1.3") }
    registry.endAttaching(ofUser: uid)
    _ = try registry.beginAttaching(":1.3")
    for user in UInt32(2_000)..<2_003 {
      try registry.connected(":2.\(user)", uid: user, groups: [])
      for _ in 0..<2 { _ = try registry.beginAttaching(":2.\(user)") }
    }
    try registry.connected(":3.1", uid: 3_000, groups: [])
    #expect(throws: Refusal.limitsExceeded(.attachments)) { try registry.beginAttaching(":3.1") }
    #expect(throws: Refusal.notAuthorized) { try registry.beginAttaching(":9.9") }
  }

  @Test("who observes is told of what it may read or saved itself, and counts for itself")
  func observing() throws {
    var registry = try Made.registry()
    #expect(throws: Refusal.unknownType) { try registry.observe(":1.1", ["nothing"]) }
    try registry.observe(":1.1", ["heartRate", "bodyMass"])
    let rate = StoreChange(type: .quantity(.heartRate), source: "sensord", isDeletion: false)
    let own = StoreChange(type: .quantity(.bodyMass), source: Made.game.source, isDeletion: true)
    let step = StoreChange(type: .quantity(.stepCount), source: Made.game.source, isDeletion: false)
    func concerns(_ change: StoreChange) -> Bool? { registry.observations[":1.1"]?.concerns(change) }
    #expect(concerns(rate) == false && concerns(own) == true && concerns(step) == false)
    let revision = registry.revision
    _ = registry.replaceDecisions(with: [Made.grant(.read, "heartRate")])
    #expect(registry.revision != revision)
    #expect(concerns(rate) == true)
    #expect(registry.storeChanged(for: ":1.1") == [.changed(to: ":1.1", count: 1)])
    #expect(registry.storeChanged(for: ":1.1") == [.changed(to: ":1.1", count: 2)])
    try registry.observe(":1.1", [])
    #expect(registry.observations.isEmpty && registry.storeChanged(for: ":1.1").isEmpty)
    try registry.observe(":1.0", ["stepCount"])
    #expect(registry.observations[":1.0"]?.concerns(step) == true)
  }
}
