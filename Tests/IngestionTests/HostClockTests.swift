import Synchronization
import Testing
import Timeline

@testable import Ingestion

@Suite("The clocks of the machine")
struct HostClockTests {
  /// A boot clock that goes on by a microsecond with each reading, and by more where the thread is put aside.
  private final class Readings: Sendable {
    private let state: Mutex<(microseconds: Int64, pauses: [Int64])>

    /// `pauses`: for how long the thread is put aside before its first, second … reading of either clock.
    init(pauses: [Int64]) {
      state = Mutex((5_000_000, pauses))
    }

    func next() -> Int64 {
      state.withLock { state in
        state.microseconds += 1 + (state.pauses.isEmpty ? 0 : state.pauses.removeFirst())
        return state.microseconds
      }
    }
  }

  private func lead(pauses: [Int64]) -> Int64 {
    let readings = Readings(pauses: pauses)
    let clock = HostClock(
      now: { BootInstant(microseconds: readings.next()) },
      wallMicroseconds: { readings.next() + 1_790_000_000_000_000 }, boot: BootIdentifier(high: 1, low: 2))
    return clock.wallMinusBoot()
  }

  @Test("a thread that is put aside between two readings takes that for no step of the wall clock", arguments: 0..<12)
  func preemption(place: Int) {
    var pauses = [Int64](repeating: 0, count: 12)
    pauses[place] = 4_000
    #expect(lead(pauses: pauses) == 1_790_000_000_000_000)
  }

  @Test("where no reading is quick the closest of five counts")
  func slow() {
    let pauses: [Int64] = [0, 3000, 3000] + [0, 0, 900] + [0, 200, 0] + [0, 900, 0] + [0, 900, 0]
    #expect(abs(lead(pauses: pauses) - 1_790_000_000_000_000) <= 101)
  }
}
