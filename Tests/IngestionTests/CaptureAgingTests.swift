import HealthModel
import Testing

@testable import Ingestion

@Suite("The age of kept captures")
struct CaptureAgingTests {
  private static let day: Int64 = 86_400
  private static let start: Int64 = 1_790_000_000
  private var aging = CaptureAging(keep: 30 * Self.day)

  /// The time by which captures age, so many days after the first commit by the boot clock and by the wall clock.
  private mutating func now(_ days: Int64, wall: Int64? = nil, newest: Int64? = Self.start) -> Int64 {
    let boot = 100 + days * Self.day
    return (aging.now(wall: Self.start + (wall ?? days) * Self.day + 100, boot: boot, newest: newest) - Self.start)
      .flooredQuotient(by: Self.day)
  }

  @Test("it is the wall clock's while nobody sets that")
  mutating func undisturbed() {
    for days: Int64 in [0, 1, 29, 31, 400] { #expect(now(days) == days) }
  }

  @Test("a clock that is a month ahead for one session ages nothing, neither then nor when it is right again")
  mutating func oneSession() {
    #expect(now(0) == 0)
    #expect(now(1, wall: 32) == 1)
    #expect(now(2, wall: 33) == 2)
    #expect(now(3) == 3)
  }

  @Test("a clock that was decades behind is set: the years in between did not pass")
  mutating func clockOf1970() {
    #expect(now(0, wall: -20_000, newest: Self.start) == -20_000)
    #expect(now(1, wall: 1) == 1)
  }

  @Test("a machine without captures begins with the clock that it has; what is set later is a jump")
  mutating func first() {
    #expect(now(0, wall: -20_000, newest: nil) == -20_000)
    #expect(now(1, wall: 1) == -19_999)
  }

  @Test("time made by a jump counts once the clock has stood for as long as captures are kept")
  mutating func stood() {
    #expect(now(0) == 0)
    #expect(now(1, wall: 32) == 1)
    #expect(now(20, wall: 91) == 20)
    #expect(now(31, wall: 102) == 31)
    #expect(now(50, wall: 121) == 121)
    #expect(now(51, wall: 122) == 122)
  }

  @Test("a month between two boots may be one in which the machine was off: it counts when the clock has stood")
  mutating func switchedOff() {
    #expect(now(0, wall: 31) == 0)
    #expect(now(29, wall: 60) == 29)
    #expect(now(30, wall: 61) == 61)
  }

  @Test("clocks and files of any time are no trouble")
  mutating func extremes() {
    for wall: Int64 in [.min, 0, .max] {
      for newest: Int64? in [nil, .min, .max] {
        var aging = CaptureAging(keep: 1)
        for boot: Int64 in [0, .max] { #expect(aging.now(wall: wall, boot: boot, newest: newest) <= wall) }
      }
    }
  }
}
