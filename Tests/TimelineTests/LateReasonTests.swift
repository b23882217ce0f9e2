import GATTHeartRate
import HealthModel
import Testing

@testable import Timeline

/// BlueZ may report why a link was lost after the loss itself.
@Suite("A disconnect's reason that comes late")
struct LateReasonTests {
  private func measurement(_ rr: UInt16) -> SensorEvent.Kind {
    .measurement([0x10, 60, UInt8(rr & 0xFF), UInt8(rr >> 8)])
  }

  private func events(_ kinds: [(Int64, SensorEvent.Kind)]) -> [SensorEvent] {
    kinds.map { SensorEvent($0.1, at: BootInstant(microseconds: $0.0 * 1_000_000)) }
  }

  private func session(_ losses: [(Int64, SensorEvent.Kind)]) -> [SensorEvent] {
    events(
      [(0, .clock(wallMinusBootMicroseconds: 0)), (0, .connected)] + (1...10).map { ($0, measurement(1024)) } + losses
        + [(30, .connected)] + (31...40).map { ($0, measurement(1024)) })
  }

  @Test("a second event of one loss adds the reason: one loss, one gap")
  func attached() {
    let timeline = SessionTimeline(
      session([(11, .disconnected(reason: nil)), (11, .disconnected(reason: "timeout"))]))
    #expect(timeline.quality.disconnects.count == 1)
    #expect(timeline.quality.disconnects.first?.reason == "timeout")
    #expect(timeline.gaps.map(\.cause) == ["link: timeout"])
  }

  @Test("it changes no beat: the timeline is that of a reason that came at once")
  func sameAsAtOnce() {
    let late = SessionTimeline(
      session([(11, .disconnected(reason: nil)), (11, .disconnected(reason: "remote"))]))
    let atOnce = SessionTimeline(session([(11, .disconnected(reason: "remote"))]))
    #expect(late == atOnce)
  }

  @Test("a link between them makes two losses, and the first reason stays")
  func twoLosses() {
    let timeline = SessionTimeline(
      session([
        (11, .disconnected(reason: "local")), (12, .connected), (13, .disconnected(reason: nil)),
        (13, .disconnected(reason: "remote")), (14, .disconnected(reason: "other")),
      ]))
    #expect(timeline.quality.disconnects.map(\.reason) == ["local", "remote"])
  }

  @Test("the session machine counts one loss and has the reason")
  func live() {
    var machine = SessionMachine()
    for event in session([]).prefix(12) { _ = machine.handle(event) }
    for event in events([(11, .disconnected(reason: nil)), (11, .disconnected(reason: "timeout"))]) {
      _ = machine.handle(event)
    }
    #expect(machine.counts.linkLosses == 1)
    #expect(machine.lastDisconnectReason == "timeout")
    #expect(machine.phase == .linkLost)
  }
}
