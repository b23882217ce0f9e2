import Captures
import Testing
import Timeline

@testable import Ingestion

@Suite("What a journal is owed")
struct JournalBacklogTests {
  private func event(_ kind: SensorEvent.Kind, _ second: Int64) -> SensorEvent {
    SensorEvent(kind, at: BootInstant(microseconds: second * 1_000_000))
  }

  private func value(_ second: Int64) -> SensorEvent {
    event(.measurement([0, UInt8(truncatingIfNeeded: second)]), second)
  }

  /// What the backlog gives a journal that takes all of it.
  private func contents(of backlog: JournalBacklog, before second: Int64?) throws -> [SensorEvent] {
    var backlog = backlog
    var taken: [SensorEvent] = []
    _ = try backlog.write(before: second.map { BootInstant(microseconds: $0 * 1_000_000) }) { taken += $0 }
    #expect(backlog.isEmpty && backlog.bytes == 0 && backlog.values == 0)
    return taken
  }

  @Test("while there is room everything is kept, in order and with its own times")
  func kept() throws {
    var backlog = JournalBacklog()
    #expect(backlog.isEmpty)
    let events = [
      event(.clock(wallMinusBootMicroseconds: 7), 1), value(2), event(.disconnected(reason: "far"), 3), value(5),
    ]
    for event in events { backlog.append(event, refused: .notWritten, room: 1000) }
    #expect(backlog.values == 2 && backlog.lostValues == 0)
    #expect(try contents(of: backlog, before: 9) == events)
    #expect(backlog.lossOfAll == JournalLoss(values: 2, microseconds: 3_000_000))
  }

  @Test("without room a value is a number in its place, and all that follows is, until everything is written")
  func lost() throws {
    var backlog = JournalBacklog()
    backlog.append(value(1), refused: .notWritten, room: 1000)
    for second in [2, 3] { backlog.append(value(Int64(second)), refused: .notWritten, room: 0) }
    let away = event(.disconnected(reason: "far"), 4)
    backlog.append(away, refused: .notWritten, room: 0)
    // Room is there again, but this is not its place.
    for second in [6, 7] { backlog.append(value(Int64(second)), refused: .notWritten, room: 1000) }
    #expect(backlog.values == 1 && backlog.lostValues == 4)
    #expect(backlog.loss(upTo: nil) == JournalLoss(values: 4, microseconds: 5_000_000))
    #expect(backlog.lossOfAll == JournalLoss(values: 5, microseconds: 6_000_000))
    let lost = { (count: Int, second: Int64) in self.event(.lost(values: count, reason: "notWritten"), second) }
    #expect(try contents(of: backlog, before: 9) == [value(1), lost(2, 3), away, lost(2, 9)])
    // An end stays the last.
    let end = event(.ended(.away), 8)
    backlog.append(end, refused: .notWritten, room: .max)
    #expect(try contents(of: backlog, before: nil) == [value(1), lost(2, 3), away, lost(2, 7), end])
  }

  @Test("a journal that takes a part of it is not given that part again")
  func pieces() throws {
    var backlog = JournalBacklog()
    let events = (0..<1000).map { value(Int64($0)) }
    backlog.append(events, refused: .notWritten, room: 1 << 20)
    var taken: [SensorEvent] = []
    var calls = 0
    #expect(throws: JournalError.self) {
      try backlog.write(before: nil) { events throws(JournalError) in
        calls += 1
        guard calls < 3 else { throw JournalError(.notWritten, path: "/j") }
        taken += events
      }
    }
    // One, then two, then it refused.
    #expect(calls == 3 && taken.count == 3 && backlog.values == 997)
    backlog.append(value(1000), refused: .notWritten, room: 1 << 20)
    taken += try contents(of: backlog, before: nil)
    #expect(taken == events + [value(1000)])
  }

  @Test("a mebibyte is more than six hours of a strap")
  func memory() {
    var backlog = JournalBacklog()
    let event = SensorEvent(.measurement([0x10, 60, 0xE8, 3, 0xE8, 3]), at: BootInstant(microseconds: 0))
    while backlog.lostValues == 0 { backlog.append(event, refused: .notWritten, room: 1 << 20 - backlog.bytes) }
    #expect(backlog.values > 6 * 3600)
  }

  @Test("a link that flaps for days without room takes no more; boot, newest clock, newest link and all counts stay")
  func bounded() throws {
    var backlog = JournalBacklog()
    let boot = event(.boot(BootIdentifier(high: 1, low: 2)), 0)
    backlog.append(boot, refused: .notWritten, room: 0)
    for second in 1...Int64(10_000) {
      backlog.append(event(.connected, second), refused: .notWritten, room: 0)
      backlog.append(value(second), refused: .notWritten, room: 0)
      backlog.append(event(.clock(wallMinusBootMicroseconds: second), second), refused: .notWritten, room: 0)
      backlog.append(event(.disconnected(reason: nil), second), refused: .notWritten, room: 0)
    }
    #expect(backlog.lostValues == 10_000)
    let events = try contents(of: backlog, before: nil)
    #expect(events.count == 256)
    #expect(events.first == boot)
    #expect(events.suffix(2).map(\.kind) == [.clock(wallMinusBootMicroseconds: 10_000), .disconnected(reason: nil)])
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    #expect(events.reduce(0) { if case .lost(let values, _) = $1.kind { $0 + values } else { $0 } } == 10_000)
  }
}
