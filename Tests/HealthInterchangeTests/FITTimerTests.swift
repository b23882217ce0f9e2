import Testing

@testable import HealthInterchange

@Suite("The timer of a FIT file")
struct FITTimerTests {
  @Test("over a thousand stretches it never leaves the sum of intervals by more than a second, nor the clock by one")
  func agrees() {
    var timer = FITTimer()
    var random: UInt64 = 1
    func next(_ bound: Int64) -> Int64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(random >> 33) % bound
    }
    var clock: Int64 = 1_795_226_888_000_000
    var sum: Int64 = 0
    var last = Int64.min
    for _ in 0..<1000 {
      clock += 300_000 + next(3_000_000)
      let beats = next(6)
      let start = timer.start(at: clock)
      #expect(start >= last)
      #expect(abs(start * 1_000_000 - clock) < 1_000_000)
      for _ in 0..<beats {
        let milliseconds = 300 + next(1500)
        timer.add(milliseconds: milliseconds)
        clock += milliseconds * 1000
        sum += milliseconds
      }
      last = timer.stop(at: clock, isSingle: beats == 0, countsSums: true)
      #expect(last >= start)
      #expect(abs(last * 1_000_000 - clock) <= 1_000_000)
      #expect(abs(timer.seconds * 1000 - sum) <= 500)
    }
  }

  @Test("a single beat stops where it started")
  func single() {
    var timer = FITTimer()
    let start = timer.start(at: 10_600_000)
    #expect(start == 11)
    #expect(timer.stop(at: 10_600_000, isSingle: true, countsSums: true) == 11)
    #expect(timer.seconds == 0)
  }
}
