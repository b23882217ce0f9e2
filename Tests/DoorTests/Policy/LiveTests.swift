import HealthModel
import Testing
import Timeline

@testable import Door

@Suite("Live values for clients")
struct LiveTests {
  /// A registry whose game may read rates and beats, and has subscribed at 0 s.
  private func subscribed(_ sensors: [String] = [], limits: ClientLimits = ClientLimits()) throws -> ClientRegistry {
    var registry = try Made.registry(limits: limits)
    _ = registry.replaceDecisions(with: Made.reading)
    _ = try registry.called(":1.1", at: Made.at(0))
    _ = try registry.subscribe(":1.1", to: sensors, at: Made.at(0))
    return registry
  }

  @Test("a subscriber gets each value with a number of its own, without holes")
  func sequence() throws {
    var registry = try subscribed()
    var values: [SentMeasurement] = []
    for second in 1...5 {
      values += registry.value(Double(second), bpm: UInt16(60 + second), rr: [UInt16(1000 + second)]).measurements()
    }
    #expect(values.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(values.map(\.beatsPerMinute) == [61, 62, 63, 64, 65])
    #expect(values.map(\.rrTicks) == (1001...1005).map { [$0] })
    #expect(values.allSatisfy { $0.missed == 0 && $0.contact == true })
  }

  @Test("nobody else gets them, and who subscribed to other sensors does not either")
  func chosen() throws {
    var registry = try subscribed(["\(Made.other)"])
    #expect(registry.value(1).measurements().isEmpty)
    #expect(registry.value(1, of: Made.other).measurements().map(\.sequence) == [1])
    #expect(
      registry.value(1, of: Made.other).allSatisfy { if case .measurement(":1.1", _) = $0 { true } else { false } })
  }

  @Test("a value has what the client may read of it, and nothing marks what it may not")
  func partly() throws {
    for (type, bpm, rr) in [("heartRate", UInt16(60), [UInt16]()), ("heartRateVariabilitySDNN", 0, [1024])] {
      var registry = try Made.registry()
      _ = registry.replaceDecisions(with: [Made.grant(.read, type)])
      _ = try registry.subscribe(":1.1", to: [], at: Made.at(0))
      let values = registry.value(1).measurements()
      #expect(values.map(\.beatsPerMinute) == [bpm])
      #expect(values.map(\.rrTicks) == [rr])
    }
  }

  @Test("who may not read is answered alike, gets nothing, and nothing is taken from the recorder for it")
  func denied() throws {
    for grants in [[], [Made.grant(.read, "heartRate", .denied)], [Made.grant(.share, "heartRate")]] {
      var registry = try Made.registry()
      _ = registry.replaceDecisions(with: grants)
      #expect(try registry.subscribe(":1.1", to: ["\(Made.strap)"], at: Made.at(0)).isEmpty)
      #expect(!registry.wantsValues)
      #expect(registry.value(1).isEmpty)
      #expect(registry.timeReached(Made.at(60)).isEmpty)
    }
  }

  @Test("a revoked permission ends values at once; given again, they go on and no number is missing")
  func revoked() throws {
    var registry = try subscribed()
    #expect(registry.value(1).measurements().count == 1)
    #expect(registry.replaceDecisions(with: []).isEmpty)
    #expect(!registry.wantsValues)
    #expect(registry.value(2).isEmpty)
    #expect(registry.replaceDecisions(with: Made.reading).states() == [.measuring])
    #expect(registry.value(3).measurements().map(\.sequence) == [2])
    registry.unsubscribe(":1.1")
    #expect(!registry.wantsValues)
    #expect(registry.value(4).isEmpty)
  }

  @Test("a sensor that is named wrongly is refused", arguments: ["", "strap", "C0:FF:EE:00:00", "C0:FF:EE:00:00:0G"])
  func wrongSensors(name: String) throws {
    var registry = try subscribed()
    #expect(throws: Refusal.invalidSensor) { try registry.subscribe(":1.1", to: [name], at: Made.at(0)) }
    #expect(registry.value(1).measurements().count == 1, "what it had before goes on")
  }

  @Test("a sensor is stale three seconds after the beat that was due, and measures again with the next value")
  func stale() throws {
    var registry = try subscribed()
    #expect(registry.value(10, bpm: 30, rr: [2048]).states() == [.measuring])
    #expect(registry.deadline == Made.at(15))
    #expect(registry.timeReached(Made.at(14.9)).isEmpty)
    #expect(registry.timeReached(Made.at(15)).states() == [.stale])
    #expect(registry.deadline == nil)
    #expect(registry.value(16).states() == [.measuring])
    #expect(registry.changed(Made.strap, to: .linkLost, at: Made.at(0)).states() == [.linkLost])
    #expect(registry.timeReached(Made.at(60)).isEmpty, "lost is not stale, too")
    #expect(registry.changed(Made.strap, to: .linkLost, at: Made.at(0)).isEmpty)
    #expect(registry.changed(Made.strap, to: .offSkin, at: Made.at(0)).states() == [.offSkin])
  }

  @Test("who subscribes is told what the sensors do")
  func states() throws {
    var registry = try subscribed()
    _ = registry.changed(Made.other, to: .silent, at: Made.at(0))
    _ = registry.changed(Made.strap, to: .measuring, at: Made.at(0))
    #expect(
      try registry.subscribe(":1.1", to: [], at: Made.at(1)) == [
        .state(to: ":1.1", Made.strap, .measuring), .state(to: ":1.1", Made.other, .silent),
      ])
    #expect(registry.recorderStops() == [.state(to: ":1.1", nil, .recorderStopping)])
  }

  @Test("more signals than a subscriber may have are left out, and the next one says how many")
  func thinned() throws {
    var limits = ClientLimits()
    limits.signalsPerSecond = 10
    var registry = try subscribed(limits: limits)
    var values: [SentMeasurement] = []
    for index in 0..<1_000 { values += registry.value(1 + Double(index) / 1_000).measurements() }
    #expect(values.count == 29)
    values += registry.value(3).measurements()
    #expect(values.last?.sequence == 1_001)
    #expect(values.map(\.missed).reduce(0, +) == 1_001 - 30)
  }

  @Test("48 straps with two values a second each are not thinned")
  func many() throws {
    var registry = try subscribed()
    for second in 0..<10 {
      for index in 0..<96 {
        let sensor = SensorAddress(bits: UInt64(index % 48))!
        _ = try registry.called(":1.1", at: Made.at(Double(second)))
        let effects = registry.value(Double(second) + Double(index) / 96, of: sensor)
        #expect(effects.measurements().count == 1)
        for name in effects.pings() { _ = registry.answeredPing(name, at: Made.at(Double(second))) }
      }
    }
  }

  @Test("a subscriber that answers no ping for 30 s gets nothing until it does, and sees a hole")
  func paused() throws {
    var registry = try subscribed()
    var last: UInt64 = 0
    for second in 1...100 {
      let effects = registry.value(Double(second))
      #expect(effects.contains(.ping(":1.1")) == (second == 10), "asked once, after ten seconds of silence")
      #expect(effects.measurements().isEmpty == (second >= 40))
      last = effects.measurements().last?.sequence ?? last
    }
    #expect(last == 39)
    _ = registry.changed(Made.strap, to: .offSkin, at: Made.at(0))
    #expect(registry.answeredPing(":1.1", at: Made.at(100)).states() == [.offSkin], "what it is now")
    let value = registry.value(101).measurements().first
    #expect(value?.sequence == 101 && value?.missed == 61)
    #expect(registry.answeredPing(":1.1", at: Made.at(101)).isEmpty)
  }

  @Test("what the bus does not take is left out, not kept")
  func congested() throws {
    var registry = try subscribed()
    func value(unsent: Int) -> SentMeasurement? {
      registry.measured(
        Made.strap, beatsPerMinute: 60, rrTicks: [], contact: nil, time: 0, unsentBytes: unsent, at: Made.at(1)
      ).measurements().first
    }
    #expect(value(unsent: 0)?.sequence == 1)
    #expect(value(unsent: 1 << 18) == nil)
    #expect(value(unsent: 1 << 30) == nil)
    let next = value(unsent: (1 << 18) - 1)
    #expect(next?.sequence == 4 && next?.missed == 2)
  }

  @Test("while nothing is sent nobody is asked, and no timer runs")
  func idle() throws {
    var registry = try subscribed()
    _ = registry.changed(Made.strap, to: .linkLost, at: Made.at(0))
    #expect(registry.deadline == nil)
    #expect(registry.timeReached(Made.at(1_000)).isEmpty)
  }

  @Test("values that were lost on their way are a hole")
  func lost() throws {
    var registry = try subscribed()
    _ = registry.value(1)
    registry.lost(3)
    let value = registry.value(2).measurements().first
    #expect(value?.sequence == 5 && value?.missed == 3)
  }

  @Test("who subscribes again while a ping is under way is not sent another one")
  func onePing() throws {
    var registry = try subscribed()
    #expect(registry.value(10).pings() == [":1.1"])
    for second in 11...100 {
      _ = try registry.subscribe(":1.1", to: [], at: Made.at(Double(second)))
      #expect(registry.value(Double(second)).pings().isEmpty)
    }
    #expect(registry.value(101).isEmpty, "to subscribe again is no answer")
    _ = registry.answeredPing(":1.1", at: Made.at(102))
    #expect(registry.value(112).pings() == [":1.1"])
  }

  @Test("a ping that the bus did not deliver is no answer, and is sent again ten seconds later, also to who is paused")
  func failedPing() throws {
    var registry = try subscribed()
    var pings: [Int] = []
    for second in 1...70 {
      let effects = registry.value(Double(second))
      if !effects.pings().isEmpty { pings.append(second) }
      registry.pingFailed(":1.1")
      #expect(effects.measurements().isEmpty == (second >= 40))
    }
    #expect(pings == [10, 20, 30, 40, 50, 60, 70])
    _ = registry.answeredPing(":1.1", at: Made.at(71))
    #expect(registry.value(72).measurements().first?.missed == 31)
  }

  @Test("who calls is sent values again; if it owes an answer it owes it from then on")
  func callsPaused() throws {
    var registry = try subscribed()
    for second in 1...50 { _ = registry.value(Double(second)) }
    #expect(registry.value(51).isEmpty)
    #expect(try registry.called(":1.1", at: Made.at(52)).states() == [.measuring])
    #expect(registry.value(53).measurements().count == 1)
    #expect(registry.value(81.9).measurements().count == 1)
    #expect(registry.value(82).isEmpty)
  }

  @Test("a fast stream is asked about after 32 KiB, and what was sent before the ping counts as read by its answer")
  func volume() throws {
    var registry = try subscribed()
    var sent = 0
    while true {
      let effects = registry.value(1 + Double(sent) / 100)
      sent += effects.measurements().count
      guard effects.pings().isEmpty else { break }
      try #require(sent < 1_000)
    }
    #expect(sent == (1 << 15) / 432)
    _ = registry.answeredPing(":1.1", at: Made.at(2))
    #expect(registry.clients[":1.1"]?.reception.unread == 0)
  }

  @Test("what a connection leaves unread has an end, though it calls all the time, and no state is lost by it")
  func unread() throws {
    var limits = ClientLimits()
    limits.unreadBytes = 4_320
    var registry = try subscribed(limits: limits)
    var sent = 0
    for index in 0..<100 {
      _ = try registry.called(":1.1", at: Made.at(Double(index)))
      sent += registry.value(Double(index)).measurements().count
    }
    #expect(sent == 10)
    #expect(registry.changed(Made.strap, to: .offSkin, at: Made.at(100)).states().isEmpty)
    #expect(try registry.subscribe(":1.1", to: [], at: Made.at(100)).isEmpty, "nor does it help to subscribe again")
    _ = registry.value(111)
    #expect(registry.answeredPing(":1.1", at: Made.at(112)).states() == [.offSkin])
  }

  @Test("an application leaves so much unread over all its connections, and a user over all its applications")
  func unreadOfMany() throws {
    var limits = ClientLimits()
    limits.unreadBytesOfClient = 43_200
    limits.unreadBytesOfUser = 77_400
    var registry = try subscribed(limits: limits)
    let other = ClientIdentity(uid: Made.game.uid, application: "org.example.Other")
    let neighbour = ClientIdentity(uid: 1001, application: Made.game.application)
    _ = registry.replaceDecisions(with: [Made.game, other, neighbour].map { Made.grant(.read, "heartRate", to: $0) })
    try registry.connect(":1.2")
    try registry.connect(":1.3", as: other.application)
    try registry.connect(":1.4", uid: neighbour.uid)
    for name in [":1.2", ":1.3", ":1.4"] { _ = try registry.subscribe(name, to: [], at: Made.at(0)) }
    var sent: [String: Int] = [:]
    for index in 0..<200 {
      for case .measurement(let name, _) in registry.value(Double(index) / 20, rr: []) { sent[name, default: 0] += 1 }
    }
    // 430 bytes each.
    #expect((97...101).contains(sent[":1.1", default: 0] + sent[":1.2", default: 0]))
    #expect((175...181).contains(sent.values.reduce(0, +) - sent[":1.4", default: 0]))
    #expect((97...101).contains(sent[":1.4", default: 0]), "a neighbour has a share of its own")
  }

  @Test("values that it may be sent in a second are not more for who subscribes again")
  func thinnedAgain() throws {
    var limits = ClientLimits()
    limits.signalsPerSecond = 10
    var registry = try subscribed(limits: limits)
    var count = 0
    for _ in 0..<100 {
      _ = try registry.subscribe(":1.1", to: [], at: Made.at(1))
      count += registry.value(1).measurements().count
    }
    #expect(count == 20)
  }

  @Test("one application and one user have so many subscriptions")
  func limits() throws {
    var limits = ClientLimits()
    limits.subscriptionsOfUser = 1
    var registry = try subscribed(limits: limits)
    try registry.connect(":1.2", as: nil)
    #expect(throws: Refusal.limitsExceeded(.subscriptions)) { try registry.subscribe(":1.2", to: [], at: Made.at(0)) }
    limits.subscriptionsOfUser = 2
    limits.subscriptionsOfClient = 1
    registry = try subscribed(limits: limits)
    try registry.connect(":1.2")
    try registry.connect(":1.3", as: "org.example.Other")
    #expect(throws: Refusal.limitsExceeded(.subscriptions)) { try registry.subscribe(":1.2", to: [], at: Made.at(0)) }
    _ = try registry.subscribe(":1.3", to: [], at: Made.at(0))
    _ = try registry.subscribe(":1.1", to: [], at: Made.at(0))
    _ = try registry.subscribe(":1.0", to: [], at: Made.at(0))
    #expect(throws: Refusal.limitsExceeded(.sensors)) {
      try registry.subscribe(":1.1", to: Array(repeating: "x", count: 65), at: Made.at(0))
    }
  }

  @Test("a heart event reaches who subscribed to its sensor and may read its type, and nobody else")
  func events() throws {
    let span = TimeSpan(at: Timestamp(microseconds: 5))
    let low = HeartEvent(.low, over: span, threshold: 40, rule: HeartRateEventDetector.Side.low.rule)
    var registry = try subscribed()
    #expect(registry.found(low, of: Made.strap, at: Made.at(1)).isEmpty, "rates alone are not events")
    _ = registry.replaceDecisions(with: [Made.grant(.read, "lowHeartRateEvent")])
    #expect(registry.wantsValues)
    #expect(registry.found(low, of: Made.strap, at: Made.at(1)) == [.event(to: ":1.1", Made.strap, low)])
    #expect(registry.value(2).isEmpty, "events alone are no values")
    let high = HeartEvent(.high, over: span, threshold: 120, rule: HeartRateEventDetector.Side.high.rule)
    #expect(registry.found(high, of: Made.strap, at: Made.at(2)).isEmpty)
    _ = try registry.subscribe(":1.1", to: ["\(Made.other)"], at: Made.at(3))
    #expect(registry.found(low, of: Made.strap, at: Made.at(3)).isEmpty)
    #expect(registry.found(low, of: Made.other, at: Made.at(3)).count == 1)
    _ = registry.replaceDecisions(with: [])
    #expect(registry.found(low, of: Made.other, at: Made.at(4)).isEmpty && !registry.wantsValues)
  }
}
