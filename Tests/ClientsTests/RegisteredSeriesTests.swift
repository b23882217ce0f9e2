import FoundationEssentials
import HealthModel
import Testing

@testable import Clients

@Suite("Series of clients")
struct RegisteredSeriesTests {
  private static func identifier(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  private static func registry(limits: ClientLimits = ClientLimits()) throws -> ClientRegistry {
    var registry = try Made.registry(limits: limits)
    _ = registry.replaceDecisions(
      with: [Made.grant(.share, "bodyMass"), Made.grant(.share, "heartRateVariabilitySDNN")])
    return registry
  }

  private static func begin(
    _ number: UInt8, _ type: String, _ registry: inout ClientRegistry, for name: String = ":1.1"
  ) throws -> [Effect] {
    let owner = try registry.mayBeginSeries(name, of: type)
    return registry.began(
      ClientSeriesEntry(identifier: identifier(number), owner: owner, type: type, connection: name))
  }

  @Test("each type needs its own permission, beats that of the variability; a type that is none is named so first")
  func permission() throws {
    var registry = try Self.registry()
    #expect(try registry.mayBeginSeries(":1.1", of: "bodyMass") == Made.game)
    _ = try registry.mayBeginSeries(":1.1", of: "heartbeatSeries")
    #expect(throws: Refusal.notAuthorized) { try registry.mayBeginSeries(":1.1", of: "stepCount") }
    #expect(throws: Refusal.unknownType) { try registry.mayBeginSeries(":1.1", of: "mood") }
    _ = try registry.mayBeginSeries(":1.0", of: "stepCount")
  }

  @Test("it is its user's application's, ends with its connection, and at once when the permission is taken back")
  func ends() throws {
    var registry = try Self.registry()
    try registry.connected(":1.2", uid: Made.game.uid, groups: [])
    #expect(try Self.begin(1, "bodyMass", &registry) == [])
    #expect(registry.series(Self.identifier(1), for: ":1.2") == nil)
    _ = try registry.identify(":1.2", as: Made.game.application, at: Made.at(0))
    #expect(registry.series(Self.identifier(1), for: ":1.2")?.type == "bodyMass")
    #expect(registry.series(for: ":1.0").count == 1)
    #expect(registry.gone(":1.1") == [.interruptSeries(Self.identifier(1))])
    #expect(registry.series(for: ":1.0").isEmpty)
    #expect(try Self.begin(2, "bodyMass", &registry, for: ":1.2") == [])
    #expect(try Self.begin(3, "heartbeatSeries", &registry, for: ":1.2") == [])
    #expect(
      registry.replaceDecisions(with: [Made.grant(.share, "heartRateVariabilitySDNN")])
        == [.interruptSeries(Self.identifier(2))])
    #expect(registry.replaceDecisions(with: []) == [.interruptSeries(Self.identifier(3))])
  }

  @Test("one that begins when its client is gone, or may not have it any more, ends at once")
  func meanwhile() throws {
    var registry = try Self.registry()
    let owner = try registry.mayBeginSeries(":1.1", of: "bodyMass")
    _ = registry.replaceDecisions(with: [])
    let its = ClientSeriesEntry(
      identifier: Self.identifier(1), owner: owner, type: "bodyMass", connection: ":1.1")
    #expect(registry.began(its) == [.interruptSeries(Self.identifier(1))])
    _ = registry.gone(":1.1")
    #expect(registry.began(its) == [.interruptSeries(Self.identifier(1))])
  }

  @Test("a client, and a user, has so many; what is being begun counts, and what has ended does not")
  func limits() throws {
    var limits = ClientLimits()
    limits.seriesOfClient = 2
    limits.seriesOfUser = 3
    var registry = try Self.registry(limits: limits)
    _ = try Self.begin(1, "bodyMass", &registry)
    _ = try registry.mayBeginSeries(":1.1", of: "bodyMass")
    #expect(throws: Refusal.limitsExceeded(.series)) { try registry.mayBeginSeries(":1.1", of: "bodyMass") }
    registry.seriesFailed(":1.1")
    _ = try Self.begin(2, "bodyMass", &registry)
    registry.ended(series: Self.identifier(1))
    _ = try Self.begin(3, "bodyMass", &registry)
    let second = ClientIdentity(uid: Made.game.uid, application: "org.example.Second")
    _ = registry.replaceDecisions(with: [Made.grant(.share, "bodyMass", to: second), Made.grant(.share, "bodyMass")])
    try registry.connected(":1.2", uid: second.uid, groups: [])
    _ = try registry.identify(":1.2", as: second.application, at: Made.at(0))
    _ = try registry.mayBeginSeries(":1.2", of: "bodyMass")
    #expect(throws: Refusal.limitsExceeded(.series)) { try registry.mayBeginSeries(":1.2", of: "bodyMass") }
  }
}
