import Captures
import FoundationEssentials
import Testing
import Timeline

@testable import Ingestion

@Suite("The sessions that are yet to be committed")
struct CommitQueueTests {
  private var queue = CommitQueue()
  private let first = Invented.session(1)
  private let second = Invented.session(2)

  @Test("what failed is tried again a minute after the last failure, all of it, in order")
  mutating func retry() {
    #expect(queue.retryAt == nil)
    queue.failed(first, at: Invented.at(0), isLast: false)
    queue.failed(second, at: Invented.at(30), isLast: false)
    #expect(queue.retryAt == Invented.at(90))
    #expect(queue.due(at: Invented.at(89)) == [])
    #expect(queue.waiting == [first, second])
    #expect(queue.due(at: Invented.at(90)) == [first, second])
    #expect(queue.waiting.isEmpty && queue.retryAt == nil)
    #expect(queue.due(at: Invented.at(200)) == [])
  }

  @Test("at the end all are tried once more, due or not, and what fails then only waits")
  mutating func end() {
    queue.failed(first, at: Invented.at(0), isLast: false)
    #expect(queue.all() == [first])
    queue.failed(first, at: Invented.at(1), isLast: true)
    #expect(queue.retryAt == nil)
    #expect(queue.waiting == [first])
  }

  @Test("what the journal is owed of a session is written before its commit, once")
  mutating func owed() throws {
    var backlog = JournalBacklog()
    let events = [
      SensorEvent(.measurement([0, 60]), at: Invented.at(1)), SensorEvent(.measurement([0, 60]), at: Invented.at(3)),
      SensorEvent(.ended(.away), at: Invented.at(9)),
    ]
    backlog.append(events, refused: .notWritten, room: 1000)
    queue.owe(backlog, of: first)
    #expect(queue.owing == [first] && queue.unwritten.values == 2 && queue.unwritten.bytes == backlog.bytes)
    #expect(queue.losses.map(\.loss) == [JournalLoss(values: 2, microseconds: 2_000_000)])
    #expect(throws: JournalError.self) {
      try queue.writeOwed(of: first) { _, _ throws(JournalError) in throw JournalError(.notWritten, path: "/j") }
    }
    var taken: [SensorEvent] = []
    #expect(try queue.writeOwed(of: second) { events, _ in taken += events } == nil)
    #expect(try queue.writeOwed(of: first) { events, _ in taken += events } == JournalBacklog.Written(values: 2))
    #expect(taken == events)
    #expect(queue.owing.isEmpty && queue.losses.isEmpty && queue.unwritten == UnwrittenValues())
  }
}
