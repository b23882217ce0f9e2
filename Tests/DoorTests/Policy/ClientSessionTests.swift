import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Door

@Suite("Sessions of clients")
struct ClientSessionTests {
  private static let sharing = [Made.grant(.share, "heartRate")]

  /// A registry whose game may begin sessions, and may read where `reads`.
  private static func registry(reads: Bool = false, limits: ClientLimits = ClientLimits()) throws -> ClientRegistry {
    var registry = try Made.registry(limits: limits)
    _ = registry.replaceDecisions(with: sharing + (reads ? Made.reading : []))
    return registry
  }

  @Test("who may not save heart rates begins none, and only who may read names a sensor")
  func permission() throws {
    var registry = try Made.registry()
    #expect(throws: Refusal.notAuthorized) { try registry.mayBegin(.session, ":1.1") }
    registry = try Self.registry()
    let (sensor, owner) = try registry.mayBegin(.session, ":1.1")
    #expect(sensor == nil && owner == Made.game)
    // The same whether there is such a sensor or not, or could be.
    for text in ["\(Made.strap)", "C0:FF:EE:00:00:99", "nonsense"] {
      #expect(throws: Refusal.notAuthorized) { try registry.mayBegin(.session, ":1.1", of: text) }
    }
    registry = try Self.registry(reads: true)
    #expect(try registry.mayBegin(.session, ":1.1", of: "\(Made.strap)").sensor == Made.strap)
    #expect(throws: Refusal.invalidSensor) { try registry.mayBegin(.session, ":1.1", of: "nonsense") }
    #expect(try registry.mayBegin(.session, ":1.0", of: "\(Made.strap)").sensor == Made.strap)
  }

  @Test("a session is its user's application's, on each of its connections, and to others it is not there")
  func ownership() throws {
    var registry = try Self.registry()
    try registry.connected(":1.2", uid: Made.game.uid, groups: [])
    try registry.connected(":1.3", uid: 1001, groups: [])
    _ = try registry.identify(":1.3", as: Made.game.application, at: Made.at(0))
    #expect(try registry.begin(Made.object(.session)) == [])
    #expect(registry.object(Made.identifier(1), for: ":1.1") == registry.objects(for: ":1.1").first)
    #expect(registry.object(Made.identifier(1), for: ":1.2") == nil && registry.objects(for: ":1.2").isEmpty)
    _ = try registry.identify(":1.2", as: Made.game.application, at: Made.at(0))
    #expect(registry.object(Made.identifier(1), for: ":1.2") != nil)
    #expect(registry.object(Made.identifier(1), for: ":1.3") == nil)
    #expect(registry.objects(for: ":1.0").count == 1)
    #expect(registry.objects(for: ":1.9").isEmpty)
  }

  @Test("it ends with the connection that began it, unless it is to outlive it")
  func gone() throws {
    var registry = try Self.registry()
    _ = try registry.begin(Made.object(.session, 1))
    _ = try registry.begin(Made.object(.session, 2, of: Made.other, endsWith: nil))
    #expect(registry.gone(":1.1") == [.end(.session, Made.identifier(1), isClientGone: true)])
    #expect(registry.objects(for: ":1.0").map(\.identifier) == [Made.identifier(2)])
    try registry.connected(":1.2", uid: Made.game.uid, groups: [])
    _ = try registry.identify(":1.2", as: Made.game.application, at: Made.at(0))
    #expect(registry.object(Made.identifier(2), for: ":1.2") != nil)
    #expect(registry.gone(":1.2") == [])
  }

  @Test("a client that goes before its session has begun ends it as well")
  func goneMeanwhile() throws {
    var registry = try Self.registry()
    _ = try registry.mayBegin(.session, ":1.1")
    #expect(registry.gone(":1.1") == [])
    #expect(
      registry.began(Made.object(.session), of: ":1.1") == [.end(.session, Made.identifier(1), isClientGone: true)])
    #expect(registry.objects(for: ":1.0").isEmpty)
  }

  @Test("an owner begins as many as there are sensors, whatever the limits, and nobody else does")
  func all() throws {
    var registry = try Self.registry()
    #expect(throws: Refusal.notAuthorized) { try registry.mayBeginAll(":1.1") }
    let owner = try registry.mayBeginAll(":1.0")
    let sensors = (1...20).map { SensorAddress(bits: UInt64($0)) }
    let objects = sensors.enumerated().map { number, sensor in
      Made.object(.session, UInt8(number + 1), of: sensor, for: owner, endsWith: nil)
    }
    #expect(registry.beganAll(objects, of: ":1.0") == [])
    #expect(registry.objects(for: ":1.0").count == 20)
    #expect(throws: Refusal.limitsExceeded(.sessions)) { try registry.mayBegin(.session, ":1.0") }
    for object in objects { registry.ended(object.identifier) }
    #expect(try registry.mayBegin(.session, ":1.0").owner == owner)
  }

  @Test("what the owner takes back ends at once, also what had not begun yet; what an owner began goes on")
  func revoked() throws {
    var registry = try Self.registry()
    _ = try registry.begin(Made.object(.session, 1))
    _ = try registry.mayBegin(.session, ":1.1")
    _ = try registry.begin(
      Made.object(.session, 3, of: Made.other, for: ClientIdentity(uid: 0), endsWith: nil), for: ":1.0")
    #expect(registry.replaceDecisions(with: []) == [.end(.session, Made.identifier(1), isClientGone: false)])
    #expect(
      registry.began(Made.object(.session, 2), of: ":1.1") == [.end(.session, Made.identifier(2), isClientGone: false)])
    #expect(registry.objects(for: ":1.0").map(\.identifier) == [Made.identifier(3)])
  }

  @Test("one that an earlier run left is its client's again, and ends when the owner takes the permission back")
  func adopted() throws {
    var registry = try Made.registry()
    registry.adopt(Made.object(.session, endsWith: nil))
    #expect(!registry.isEmpty)
    // Nothing has been read yet.
    #expect(registry.replaceDecisions(with: Self.sharing) == [])
    #expect(registry.object(Made.identifier(1), for: ":1.1") != nil)
    #expect(registry.gone(":1.1") == [])
    #expect(
      registry.replaceDecisions(with: [Made.grant(.share, "heartRate", .denied)])
        == [.end(.session, Made.identifier(1), isClientGone: false)])
  }

  @Test("a client, and a user, has so many; what is being begun counts, and what has ended does not")
  func limits() throws {
    var limits = ClientLimits()
    limits.sessionsOfClient = 2
    limits.sessionsOfUser = 3
    var registry = try Self.registry(limits: limits)
    _ = try registry.begin(Made.object(.session, 1))
    _ = try registry.mayBegin(.session, ":1.1")
    #expect(throws: Refusal.limitsExceeded(.sessions)) { try registry.mayBegin(.session, ":1.1") }
    registry.beginFailed(.session, ":1.1")
    _ = try registry.begin(Made.object(.session, 2, of: Made.other))
    #expect(throws: Refusal.limitsExceeded(.sessions)) { try registry.mayBegin(.session, ":1.1") }
    registry.ended(Made.identifier(1))
    _ = try registry.begin(Made.object(.session, 3))
    let second = ClientIdentity(uid: Made.game.uid, application: "org.example.Second")
    _ = registry.replaceDecisions(with: Self.sharing + [Made.grant(.share, "heartRate", to: second)])
    try registry.connected(":1.2", uid: second.uid, groups: [])
    _ = try registry.identify(":1.2", as: second.application, at: Made.at(0))
    _ = try registry.mayBegin(.session, ":1.2")
    #expect(throws: Refusal.limitsExceeded(.sessions)) { try registry.mayBegin(.session, ":1.2") }
  }

  @Test("a sensor has one; that a second began shows that the first is over")
  func sensor() throws {
    var registry = try Self.registry()
    _ = try registry.begin(Made.object(.session, 1))
    _ = try registry.begin(Made.object(.session, 2))
    #expect(registry.objects(for: ":1.1").map(\.identifier) == [Made.identifier(2)])
  }
}
