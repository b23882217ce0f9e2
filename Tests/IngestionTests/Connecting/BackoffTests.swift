import Support
import Testing

@testable import Ingestion
@testable import Timeline

@Suite("Backoff")
struct BackoffTests {
  @Test("waits double up to the longest, give or take a quarter, and start anew after a success", arguments: 1...20)
  func doubles(_ seed: UInt64) {
    var backoff = Backoff()
    var random = SplitMix64(seed: seed)
    for expected in [1.0, 2, 4, 8, 16, 30, 30, 30] {
      let wait = backoff.next(first: .seconds(1), longest: .seconds(30), using: &random) / .seconds(1)
      #expect((expected * 0.75...expected * 1.25).contains(wait))
    }
    #expect(backoff.failures == 8)
    backoff.reset()
    let wait = backoff.next(first: .seconds(1), longest: .seconds(30), using: &random)
    #expect(wait <= .milliseconds(1250))
  }

  @Test("a thousand failures do not overflow, and waits differ from sensor to sensor")
  func isBoundedAndSpread() {
    var backoff = Backoff()
    var random = SplitMix64(seed: 1)
    let waits = (0..<1000).map { _ in backoff.next(first: .seconds(1), longest: .seconds(30), using: &random) }
    #expect(waits.max()! <= .milliseconds(37_500))
    #expect(Set(waits.suffix(900)).count > 890)
  }
}
