import Foundation
import Testing

@testable import LiveHub

@Suite("Home Assistant over MQTT", .timeLimit(.minutes(3)))
struct HomeOutputTests {
  private static let availability = "sensord/sensord/availability"
  private static let state = "sensord/sensord/state"

  private static func stage(_ broker: Broker, _ change: (inout BrokerPlace) -> Void = { _ in }) throws -> Stage {
    var place = BrokerPlace(host: "127.0.0.1", port: broker.port)
    change(&place)
    return try Stage { $0.broker = place }
  }

  @Test("who listens hears values, and that there is none for every cause; no value is kept, the configuration is")
  func causes() throws {
    let broker = try Broker()
    let listener = try broker.listener()
    let stage = try Self.stage(broker)
    try listener.heard("\(Self.availability) 0 offline")
    try stage.happens(.subscribed)
    for (number, absence) in Absence.allCases.enumerated() {
      try stage.measures(70 + UInt16(number), rr: [853])
      try listener.heard(#"\#(Self.state) 0 {"bpm":\#(70 + number),"rr_ms":833}"#)
      try listener.heard("\(Self.availability) 0 online", times: number + 1)
      switch absence {
      case .silent: try stage.happens(.changed(sensor: Stage.strap, .silent))
      case .offSkin: try stage.happens(.changed(sensor: Stage.strap, .offSkin))
      case .linkLost: try stage.happens(.changed(sensor: Stage.strap, .linkLost))
      case .noRecorder: try stage.happens(.lost, .subscribed)
      }
      try listener.heard("\(Self.availability) 0 offline", times: number + 2)
    }
    // Who comes later hears what is kept.
    let late = try broker.listener()
    try late.heard("\(Self.availability) 1 offline")
    #expect(late.lines.contains { $0.hasPrefix(#"homeassistant/device/sensord/config 1 {"dev":"#) })
    #expect(!late.lines.contains { $0.hasPrefix(Self.state) })
  }

  @Test("a value whose next beat does not come ends by itself")
  func overdue() throws {
    let broker = try Broker()
    let listener = try broker.listener()
    let stage = try Self.stage(broker)
    try listener.heard("\(Self.availability) 0 offline")
    try stage.happens(.subscribed)
    try stage.measures(200, rr: [300])
    try listener.heard("\(Self.availability) 0 online")
    try listener.heard("\(Self.availability) 0 offline", times: 2)
  }

  @Test("when Home Assistant starts it is told everything again")
  func started() throws {
    let broker = try Broker()
    let listener = try broker.listener("-R")
    let stage = try Self.stage(broker)
    try listener.heard("\(Self.availability) 0 offline")
    try stage.happens(.subscribed)
    try stage.measures(72)
    try listener.heard(#"\#(Self.state) 0 {"bpm":72,"rr_ms":1000}"#)
    let configuration = try #require(listener.lines.first { $0.hasPrefix("homeassistant/device/") })
    try broker.publish("offline", to: "homeassistant/status")
    try broker.publish("online", to: "homeassistant/status")
    try listener.heard(configuration, times: 2)
    try listener.heard(#"\#(Self.state) 0 {"bpm":72,"rr_ms":1000}"#, times: 2)
    withExtendedLifetime(stage) {}
  }

  @Test("a hub that ends says before that there is no value")
  func ends() throws {
    let broker = try Broker()
    let listener = try broker.listener("-R")
    var stage: Stage? = try Self.stage(broker)
    try stage?.happens(.subscribed)
    try listener.heard("\(Self.availability) 0 offline")
    try stage?.measures(72)
    try listener.heard("\(Self.availability) 0 online")
    stage?.stop()
    try listener.heard("\(Self.availability) 0 offline", times: 2)
    stage = nil
  }

  @Test("a broker that is gone is told once, stops nothing else, and hears everything when it is back")
  func gone() throws {
    let broker = try Broker()
    let stage = try Self.stage(broker)
    let token = try stage.token()
    // Kept already, or heard as it comes: the hub may connect behind the listener.
    let first = try broker.listener()
    while !first.lines.contains(where: { $0.hasPrefix("\(Self.availability) ") }) { usleep(10_000) }
    broker.stop()
    try stage.happens(.subscribed)
    try stage.measures(72)
    #expect(try stage.answer("/hr?token=\(token)").body == "72")
    while stage.complained.isEmpty { usleep(10_000) }
    #expect(stage.complained[0].hasPrefix("the MQTT broker at 127.0.0.1:\(broker.port) cannot be used: "))
    #expect(!stage.complained[0].contains("\n"))
    try broker.start()
    let listener = try broker.listener()
    while !listener.lines.contains(where: { $0.hasPrefix("homeassistant/device/sensord/config") }) {
      try stage.measures(73)
      usleep(50_000)
    }
    try listener.heard("\(Self.availability) 0 online")
    #expect(stage.complained.count <= 2, "\(stage.complained)")
  }

  @Test("a broker that refuses is told in one line with its reason; the right password opens it")
  func refused() throws {
    let broker = try Broker(user: "hub")
    let refused = try Self.stage(broker) { ($0.user, $0.password) = ("hub", "wrong") }
    while refused.complained.isEmpty { usleep(10_000) }
    #expect(refused.complained[0].contains("not authorised"), "\(refused.complained)")
    let listener = try broker.listener("-u", "hub", "-P", "right")
    let stage = try Self.stage(broker) { ($0.user, $0.password) = ("hub", "right") }
    try listener.heard("\(Self.availability) 0 offline")
    #expect(stage.complained.isEmpty)
  }

  @Test("what is no broker is told in one line, and a name that cannot stand in a topic is refused")
  func wrong() throws {
    let other = try Stage()
    let stage = try Stage { $0.broker = BrokerPlace(host: "127.0.0.1", port: other.port) }
    while stage.complained.isEmpty { usleep(10_000) }
    #expect(stage.complained[0].hasSuffix("; trying again, or leave --mqtt out"))
    let failure = #expect(throws: LiveFailure.self) {
      _ = try Stage {
        $0.broker = BrokerPlace(host: "127.0.0.1", port: 1)
        $0.deviceName = "a/b"
      }
    }
    #expect(failure?.status == .usage)
  }
}
