import HealthModel
import Testing

@testable import Timeline

@Suite("A recorder that did not run")
struct StallTests {
  private static let boot = BootIdentifier(high: 1, low: 1)

  private static func at(_ seconds: Double, _ kind: SensorEvent.Kind) -> SensorEvent {
    SensorEvent(kind, at: BootInstant(microseconds: Int64(seconds * 1_000_000)))
  }

  private static func value(_ seconds: Double) -> SensorEvent {
    at(seconds, .measurement([0x10, 60, 0x00, 0x04]))
  }

  private static let beginning = [
    at(0, .boot(boot)), at(0, .clock(wallMinusBootMicroseconds: 1_000_000_000)), at(0, .connected),
  ]

  private static func columns(_ events: [SensorEvent]) -> TimelineCollector {
    var columns = TimelineCollector()
    for event in beginning + events { columns.append(event) }
    columns.finish()
    return columns
  }

  @Test("only values with exactly the instant of its end have no arrival of their own")
  func marked() {
    let columns = Self.columns([
      Self.value(1), Self.value(2), Self.value(9), Self.at(9, .stalled(microseconds: 6_500_000)), Self.value(9),
      Self.value(9), Self.value(9.000_001), Self.value(10),
    ])
    #expect(columns.packets.map(\.hasOwnArrival) == [true, true, true, false, false, true, true])
    #expect(columns.stalls.map(\.end) == [1_009_000_000])
    #expect(columns.stalls.map(\.microseconds) == [6_500_000])
  }

  @Test("an instant of another boot is another instant")
  func otherBoot() {
    let columns = Self.columns([
      Self.at(9, .stalled(microseconds: 6_500_000)), Self.at(1, .boot(BootIdentifier(high: 2, low: 2))), Self.value(9),
    ])
    #expect(columns.packets.map(\.hasOwnArrival) == [true])
  }

  @Test("two stalls at one instant are one, and their sum is in the quality report, whatever their lengths")
  func sum() {
    let columns = Self.columns([Self.at(9, .stalled(microseconds: 5)), Self.at(9, .stalled(microseconds: 6))])
    #expect(columns.stalls.map(\.microseconds) == [11])
    var timeline = SessionTimeline(
      Self.beginning + [Self.at(9, .stalled(microseconds: 5)), Self.at(11, .stalled(microseconds: 7))])
    #expect(timeline.quality.stalledMicroseconds == 12)
    timeline = SessionTimeline((0..<2).map { Self.at(Double($0), .stalled(microseconds: .max)) })
    #expect(timeline.quality.stalledMicroseconds == .max)
  }

  @Test("a marker is kept in wall time and changes nothing else in the session")
  func markers() {
    let values = (1...9).map { Self.value(Double($0)) }
    var marked = values
    marked.insert(Self.at(4.5, .marker("Level 2")), at: 4)
    marked.insert(Self.at(6.5, .marker("Level 1", microsecondsBefore: 4_000_000)), at: 7)
    let timeline = SessionTimeline(Self.beginning + marked)
    #expect(
      timeline.markers == [
        SessionMarker(time: Timestamp(microseconds: 1_002_500_000), text: "Level 1"),
        SessionMarker(time: Timestamp(microseconds: 1_004_500_000), text: "Level 2"),
      ])
    let without = SessionTimeline(Self.beginning + values)
    #expect(timeline.beats == without.beats && timeline.quality.notifications == without.quality.notifications)
    #expect(timeline.gaps == without.gaps && timeline.rates == without.rates)
  }

  @Test("what waited during a stall, even of hours, is handled before the session's limits apply")
  func limits() {
    for event in [Self.value(9_000), Self.at(9_000, .disconnected(reason: nil)), Self.at(9_000, .battery(percent: 50))]
    {
      var machine = SessionMachine()
      for event in Self.beginning + [Self.value(1), Self.value(2)] { _ = machine.handle(event) }
      #expect(machine.handle(Self.at(9_000, .stalled(microseconds: 8_990_000_000))).end == nil)
      #expect(machine.handle(event).end == nil)
      #expect(machine.isRecording)
      // A value shows that the sensor was there; without one the limit counts as ever.
      let isValue = if case .measurement = event.kind { true } else { false }
      let isLost = if case .disconnected = event.kind { true } else { false }
      #expect((machine.timeReached(BootInstant(microseconds: 9_000_000_001)).end == nil) == (isValue || isLost))
    }
  }

  @Test("to the session machine neither a stall nor a marker is a sign of life")
  func machine() {
    var machine = SessionMachine()
    for event in Self.beginning + [Self.value(1), Self.value(2)] { _ = machine.handle(event) }
    let deadline = machine.deadline
    let counts = machine.counts
    #expect(machine.phase == .measuring)
    for kind in [SensorEvent.Kind.stalled(microseconds: 400_000), .marker("now")] {
      let transition = machine.handle(Self.at(2.5, kind))
      #expect(transition.beginning == nil && transition.end == nil)
    }
    #expect(machine.deadline == deadline && machine.counts == counts && machine.phase == .measuring)
    var idle = SessionMachine()
    for kind in [SensorEvent.Kind.stalled(microseconds: 400_000), .marker("now")] {
      #expect(idle.handle(Self.at(2.5, kind)).beginning == nil)
    }
  }
}
