import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Rates of seconds")
struct RateSecondsTests {
  /// The seconds since the start at which the rates stand that were received at `times`, each with its place as its rate.
  private func seconds(_ times: [Double], gaps: [(Double, Double)] = []) -> [[Int64]] {
    let rates = times.enumerated().map { ($1, UInt16($0)) }
    let first = MadeUp.start.microseconds / 1_000_000
    return RateSeconds(MadeUp.recording(seconds: 60, rates: rates, gaps: gaps)).map {
      [$0.second - first, Int64($0.beatsPerMinute)]
    }
  }

  @Test("of two rates in a second the later takes the next, until a second is free")
  func late() {
    #expect(seconds([0.9, 1.1, 1.95, 2.9, 4.1, 5.0]) == [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]])
  }

  @Test("the last of a stretch is not behind its time")
  func stretches() {
    #expect(seconds([1.1, 1.9]) == [[1, 1]])
    #expect(seconds([1.1, 1.9, 9.2], gaps: [(2, 9)]) == [[1, 1], [9, 2]])
    // A pause that is no gap ends nothing.
    #expect(seconds([1.1, 1.9, 9.2]) == [[1, 0], [2, 1], [9, 2]])
  }

  @Test("of rates that come more often than seconds the last ones stay, at most a second from their times")
  func often() {
    let found = seconds((0..<40).map { Double($0) / 4 + 0.1 })
    #expect(found.map { $0[0] } == Array(0..<10))
    #expect(found.allSatisfy { abs(Double($0[0]) - (Double($0[1]) / 4 + 0.1)) <= 1 })
  }
}
