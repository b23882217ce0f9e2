import Sensors
import Testing

@testable import Ingestion

@Suite("What a journal is owed")
struct JournalBacklogTests {
  private func event(_ kind: SensorEvent.Kind, _ second: Int64) -> SensorEvent {
    SensorEvent(kind, at: BootInstant(microseconds: second * 1_000_000))
  }

  @Test("values are a number and a length of time, everything else is kept in order, the loss behind it")
  func order() {
    var backlog = JournalBacklog()
    #expect(backlog.isEmpty)
    let clock = event(.clock(wallMinusBootMicroseconds: 7), 1)
    let lost = event(.disconnected(reason: "far"), 3)
    for event in [clock, event(.measurement([0, 60]), 2), lost, event(.measurement([0, 61]), 5)] { backlog.take(event) }
    #expect(backlog.values == 2)
    #expect(backlog.microseconds(upTo: nil) == 3_000_000)
    #expect(backlog.microseconds(upTo: BootInstant(microseconds: 9_000_000)) == 7_000_000)
    #expect(
      backlog.owed(reason: "full", before: BootInstant(microseconds: 9_000_000))
        == [clock, lost, event(.lost(values: 2, reason: "full"), 9)])
  }

  @Test("an end stays the last")
  func end() {
    var backlog = JournalBacklog()
    backlog.take(event(.measurement([0, 60]), 2))
    backlog.take(event(.ended(.away), 4))
    #expect(
      backlog.owed(reason: "full", before: BootInstant(microseconds: 9_000_000))
        == [event(.lost(values: 1, reason: "full"), 4), event(.ended(.away), 4)])
  }

  @Test("a link that flaps for days takes no more room, and boot, newest clock and newest link stay")
  func bounded() {
    var backlog = JournalBacklog()
    let boot = event(.boot(BootIdentifier(high: 1, low: 2)), 0)
    backlog.take(boot)
    for second in 1...10_000 {
      backlog.take(event(.connected, Int64(second)))
      backlog.take(event(.clock(wallMinusBootMicroseconds: Int64(second)), Int64(second)))
      backlog.take(event(.disconnected(reason: nil), Int64(second)))
    }
    #expect(backlog.events.count == 256)
    #expect(backlog.events.first == boot)
    #expect(
      backlog.events.suffix(2).map(\.kind) == [.clock(wallMinusBootMicroseconds: 10_000), .disconnected(reason: nil)])
  }
}
