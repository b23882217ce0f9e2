import Testing

@testable import Ingestion

@Suite("What waits for an observer")
struct EventBufferTests {
  private func event(_ number: Int) -> RecorderEvent {
    RecorderEvent(.gap(count: number), at: Int64(number))
  }

  private func all(_ buffer: inout EventBuffer) -> [RecorderEvent] {
    var events: [RecorderEvent] = []
    while let event = buffer.next() { events.append(event) }
    return events
  }

  @Test("events come out in the order in which they went in")
  func order() {
    var buffer = EventBuffer(capacity: 3)
    #expect(buffer.next() == nil)
    for round in 0..<5 {
      buffer.append(event(2 * round))
      buffer.append(event(2 * round + 1))
      #expect(all(&buffer) == [event(2 * round), event(2 * round + 1)])
    }
  }

  @Test("of more than there is room for the newest are left, behind the number of those that are gone")
  func bounded() {
    var buffer = EventBuffer(capacity: 3)
    for number in 1...10 { buffer.append(event(number)) }
    #expect(all(&buffer) == [RecorderEvent(.missed(7), at: 7), event(8), event(9), event(10)])
    buffer.append(event(11))
    #expect(all(&buffer) == [event(11)], "told once")
  }

  @Test("what is lost after some were read is told before those that are left")
  func lostBetween() {
    var buffer = EventBuffer(capacity: 2)
    for number in 1...2 { buffer.append(event(number)) }
    #expect(buffer.next() == event(1))
    for number in 3...4 { buffer.append(event(number)) }
    #expect(all(&buffer) == [RecorderEvent(.missed(1), at: 2), event(3), event(4)])
  }

  @Test("there is room for one event at least")
  func least() {
    var buffer = EventBuffer(capacity: 0)
    buffer.append(event(1))
    #expect(all(&buffer) == [event(1)])
  }
}
