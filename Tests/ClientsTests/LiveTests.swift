import HealthModel
import Sensors
import Testing

@testable import Clients

@Suite("Live values for clients")
struct LiveTests {
  /// A registry whose game may read rates and beats, and has subscribed at 0 s.
  private func subscribed(_ sensors: [String] = [], limits: ClientLimits = ClientLimits()) throws -> ClientRegistry {
    var registry = try Made.registry(limits: limits)
    _ = registry.replaceDecisions(with: Made.reading)
    _ = try registry.subscribe(":1.1", to: sensors, at: Made.at(0))
    return registry
  }

  @Test("a subscriber gets each value with a number of its own, without holes")
  func sequence() throws {
    var registry = try subscribed()
    var values: [LiveMeasurement] = []
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
    #expect(registry.changed(Made.strap, to: .linkLost).states() == [.linkLost])
    #expect(registry.timeReached(Made.at(60)).isEmpty, "lost is not stale, too")
    #expect(registry.changed(Made.strap, to: .linkLost).isEmpty)
    #expect(registry.changed(Made.strap, to: .offSkin).states() == [.offSkin])
  }

  @Test("who subscribes is told what the sensors do")
  func states() throws {
    var registry = try subscribed()
    _ = registry.changed(Made.other, to: .silent)
    _ = registry.changed(Made.strap, to: .measuring)
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
    var values: [LiveMeasurement] = []
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
        #expect(registry.value(Double(second) + Double(index) / 96, of: sensor).measurements().count == 1)
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
    _ = registry.changed(Made.strap, to: .offSkin)
    #expect(registry.heard(from: ":1.1", at: Made.at(100)).states() == [.offSkin], "what it is now")
    let value = registry.value(101).measurements().first
    #expect(value?.sequence == 101 && value?.missed == 61)
    #expect(registry.heard(from: ":1.1", at: Made.at(101)).isEmpty)
  }

  @Test("what the bus does not take is left out, not kept")
  func congested() throws {
    var registry = try subscribed()
    func value(unsent: Int) -> LiveMeasurement? {
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
    _ = registry.changed(Made.strap, to: .linkLost)
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

  @Test("one user has so many subscriptions")
  func limits() throws {
    var limits = ClientLimits()
    limits.subscriptionsOfUser = 1
    var registry = try subscribed(limits: limits)
    try registry.connected(":1.2", uid: Made.game.uid, groups: [])
    #expect(throws: Refusal.limitsExceeded(.subscriptions)) { try registry.subscribe(":1.2", to: [], at: Made.at(0)) }
    _ = try registry.subscribe(":1.1", to: [], at: Made.at(0))
    _ = try registry.subscribe(":1.0", to: [], at: Made.at(0))
    #expect(throws: Refusal.limitsExceeded(.sensors)) {
      try registry.subscribe(":1.1", to: Array(repeating: "x", count: 65), at: Made.at(0))
    }
  }
}
