import FoundationEssentials
import HealthModel
import Testing

@testable import Door

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
    let owner = try registry.mayBegin(.series(of: type), name).owner
    return registry.began(
      ClientObject(.series(of: type), identifier(number), of: owner, start: 5, connection: name), of: name)
  }

  @Test("each type needs its own permission, beats that of the variability; a type that is none is named so first")
  func permission() throws {
    var registry = try Self.registry()
    #expect(try registry.mayBegin(.series(of: "bodyMass"), ":1.1").owner == Made.game)
    _ = try registry.mayBegin(.series(of: "heartbeatSeries"), ":1.1")
    #expect(throws: Refusal.notAuthorized) { try registry.mayBegin(.series(of: "stepCount"), ":1.1") }
    #expect(throws: Refusal.unknownType) { try registry.mayBegin(.series(of: "mood"), ":1.1") }
    _ = try registry.mayBegin(.series(of: "stepCount"), ":1.0")
  }

  @Test("it is its user's application's, ends with its connection, and at once when the permission is taken back")
  func ends() throws {
    var registry = try Self.registry()
    try registry.connected(":1.2", uid: Made.game.uid, groups: [])
    #expect(try Self.begin(1, "bodyMass", &registry) == [])
    #expect(registry.object(Self.identifier(1), for: ":1.2") == nil)
    _ = try registry.identify(":1.2", as: Made.game.application, at: Made.at(0))
    #expect(registry.object(Self.identifier(1), for: ":1.2")?.kind == .series(of: "bodyMass"))
    #expect(registry.objects(for: ":1.0").count == 1)
    #expect(registry.gone(":1.1") == [.end(.series(of: "bodyMass"), Self.identifier(1), isClientGone: true)])
    #expect(registry.objects(for: ":1.0").isEmpty)
    #expect(try Self.begin(2, "bodyMass", &registry, for: ":1.2") == [])
    #expect(try Self.begin(3, "heartbeatSeries", &registry, for: ":1.2") == [])
    #expect(
      registry.replaceDecisions(with: [Made.grant(.share, "heartRateVariabilitySDNN")])
        == [.end(.series(of: "bodyMass"), Self.identifier(2), isClientGone: false)])
    #expect(
      registry.replaceDecisions(with: [])
        == [.end(.series(of: "heartbeatSeries"), Self.identifier(3), isClientGone: false)])
  }

  @Test("one that begins when its client is gone, or may not have it any more, ends at once")
  func meanwhile() throws {
    var registry = try Self.registry()
    let owner = try registry.mayBegin(.series(of: "bodyMass"), ":1.1").owner
    _ = registry.replaceDecisions(with: [])
    let kind = ClientObject.Kind.series(of: "bodyMass")
    let its = ClientObject(kind, Self.identifier(1), of: owner, start: 5, connection: ":1.1")
    #expect(registry.began(its, of: ":1.1") == [.end(kind, Self.identifier(1), isClientGone: false)])
    _ = registry.gone(":1.1")
    #expect(registry.began(its, of: ":1.1") == [.end(kind, Self.identifier(1), isClientGone: true)])
  }

  @Test("a client, and a user, has so many; what is being begun counts, and what has ended does not")
  func limits() throws {
    var limits = ClientLimits()
    limits.seriesOfClient = 2
    limits.seriesOfUser = 3
    var registry = try Self.registry(limits: limits)
    _ = try Self.begin(1, "bodyMass", &registry)
    _ = try registry.mayBegin(.series(of: "bodyMass"), ":1.1")
    #expect(throws: Refusal.limitsExceeded(.series)) { try registry.mayBegin(.series(of: "bodyMass"), ":1.1") }
    registry.beginFailed(.series(of: "bodyMass"), ":1.1")
    _ = try Self.begin(2, "bodyMass", &registry)
    registry.ended(Self.identifier(1))
    _ = try Self.begin(3, "bodyMass", &registry)
    let second = ClientIdentity(uid: Made.game.uid, application: "org.example.Second")
    _ = registry.replaceDecisions(with: [Made.grant(.share, "bodyMass", to: second), Made.grant(.share, "bodyMass")])
    try registry.connected(":1.2", uid: second.uid, groups: [])
    _ = try registry.identify(":1.2", as: second.application, at: Made.at(0))
    _ = try registry.mayBegin(.series(of: "bodyMass"), ":1.2")
    #expect(throws: Refusal.limitsExceeded(.series)) { try registry.mayBegin(.series(of: "bodyMass"), ":1.2") }
  }
}
