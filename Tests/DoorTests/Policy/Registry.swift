import FoundationEssentials
import HealthModel
import Timeline

@testable import Door

/// What the tests of a registry share: its people, its straps and its time.
enum Made {
  static let strap = SensorAddress("C0:FF:EE:00:00:01")!
  static let other = SensorAddress("C0:FF:EE:00:00:02")!
  static let game = ClientIdentity(uid: 1000, application: "org.example.Game")

  /// The service's registry, with `:1.0` connected as an owner and `:1.1` as the game, of another user.
  static func registry(limits: ClientLimits = ClientLimits(), inAdvance: [Grant] = []) throws -> ClientRegistry {
    var registry = ClientRegistry(
      owners: Owners(uid: 500, group: 900), inAdvance: inAdvance, limits: limits,
      isType: { SampleType(identifier: $0) != nil })
    try registry.connected(":1.0", uid: 0, groups: [])
    try registry.connected(":1.1", uid: game.uid, groups: [])
    _ = try registry.identify(":1.1", as: game.application, at: at(0))
    return registry
  }

  static func at(_ seconds: Double) -> BootInstant { BootInstant(microseconds: Int64(seconds * 1_000_000)) }

  static func grant(
    _ permission: Permission, _ type: String, _ decision: Grant.Decision = .allowed, to client: ClientIdentity = game
  ) -> Grant {
    Grant(
      client: client, type: type, permission: permission, decision: decision, decided: Timestamp(microseconds: 1))
  }

  /// What a client has begun: by default the game, with the strap, until its connection ends.
  static func object(
    _ kind: ClientObject.Kind, _ number: UInt8 = 1, of sensor: SensorAddress? = strap, for owner: ClientIdentity = game,
    endsWith connection: String? = ":1.1"
  ) -> ClientObject {
    ClientObject(kind, identifier(number), of: owner, sensor: sensor, start: 5, connection: connection)
  }

  static func identifier(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  static let reading = [grant(.read, "heartRate"), grant(.read, "heartRateVariabilitySDNN")]
}

extension ClientRegistry {
  /// The owner's decisions are these from now on; in tests where the time does not matter.
  mutating func replaceDecisions(with grants: [Grant]) -> [Effect] {
    replaceDecisions(with: grants, at: Made.at(0))
  }

  /// Another connection of an application, the game's user's where none is named.
  mutating func connect(
    _ name: String, uid: UInt32 = Made.game.uid, as application: String? = Made.game.application
  ) throws {
    try connected(name, uid: uid, groups: [])
    if let application { _ = try identify(name, as: application, at: Made.at(0)) }
  }

  /// A connection, the game's where none is named, asks for an object and gets it.
  mutating func begin(_ object: ClientObject, for name: String = ":1.1") throws -> [Effect] {
    _ = try mayBegin(object.kind, name)
    return began(object, of: name)
  }

  /// A value of the strap at so many seconds.
  mutating func value(
    _ seconds: Double, of sensor: SensorAddress = Made.strap, bpm: UInt16 = 60, rr: [UInt16] = [1024]
  ) -> [Effect] {
    measured(
      sensor, beatsPerMinute: bpm, rrTicks: rr, contact: true, time: Int64(seconds * 1_000_000), at: Made.at(seconds))
  }
}

extension [Effect] {
  /// The values that a connection gets.
  func measurements(to name: String = ":1.1") -> [SentMeasurement] {
    compactMap { if case .measurement(name, let value) = $0 { value } else { nil } }
  }

  /// The connections that are asked whether they read.
  func pings() -> [String] {
    compactMap { if case .ping(let name) = $0 { name } else { nil } }
  }

  /// The states that a connection gets.
  func states(to name: String = ":1.1") -> [SentState] {
    compactMap { if case .state(name, _, let state) = $0 { state } else { nil } }
  }
}
