import Captures
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
    for event in [clock, event(.measurement([0, 60]), 2), lost, event(.measurement([0, 61]), 5)] {
      backlog.append(event, refused: .notWritten)
    }
    #expect(backlog.values == 2)
    #expect(backlog.loss(upTo: nil) == JournalLoss(values: 2, microseconds: 3_000_000))
    #expect(
      backlog.loss(upTo: BootInstant(microseconds: 9_000_000)) == JournalLoss(values: 2, microseconds: 7_000_000))
    #expect(
      backlog.owed(before: BootInstant(microseconds: 9_000_000))
        == [clock, lost, event(.lost(values: 2, reason: "notWritten"), 9)])
  }

  @Test("a loss stands behind what was refused after its values, also where that is later than what follows")
  func lateEvents() {
    var backlog = JournalBacklog()
    backlog.append(event(.measurement([0, 60]), 2), refused: .notWritten)
    backlog.append(event(.connected, 9), refused: .notWritten)
    #expect(
      backlog.owed(before: BootInstant(microseconds: 5_000_000))
        == [event(.connected, 9), event(.lost(values: 1, reason: "notWritten"), 9)])
  }

  @Test("an end stays the last")
  func end() {
    var backlog = JournalBacklog()
    backlog.append(event(.measurement([0, 60]), 2), refused: .notWritten)
    backlog.append(event(.ended(.away), 4), refused: .notWritten)
    #expect(
      backlog.owed(before: BootInstant(microseconds: 9_000_000))
        == [event(.lost(values: 1, reason: "notWritten"), 4), event(.ended(.away), 4)])
  }

  @Test("a link that flaps for days takes no more room, and boot, newest clock and newest link stay")
  func bounded() {
    var backlog = JournalBacklog()
    let boot = event(.boot(BootIdentifier(high: 1, low: 2)), 0)
    backlog.append(boot, refused: .notWritten)
    for second in 1...10_000 {
      backlog.append(event(.connected, Int64(second)), refused: .notWritten)
      backlog.append(event(.clock(wallMinusBootMicroseconds: Int64(second)), Int64(second)), refused: .notWritten)
      backlog.append(event(.disconnected(reason: nil), Int64(second)), refused: .notWritten)
    }
    #expect(backlog.events.count == 256)
    #expect(backlog.events.first == boot)
    #expect(
      backlog.events.suffix(2).map(\.kind) == [.clock(wallMinusBootMicroseconds: 10_000), .disconnected(reason: nil)])
  }
}
