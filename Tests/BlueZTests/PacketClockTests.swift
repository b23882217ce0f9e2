import Testing

@testable import BlueZ

@Suite("The arrival of a packet by the kernel's clock")
struct PacketClockTests {
  private static let lead: Int64 = 1_790_000_000_000_000

  private static func reading(_ boot: Int64, lead: Int64 = lead) -> PacketClock.Reading {
    PacketClock.Reading(boot: boot, lead: lead)
  }

  @Test("is when it was sent, in boot time, a minute ago too")
  func waited() {
    var clock = PacketClock(Self.reading(1_000_000))
    #expect(clock.arrival(sent: Self.lead + 2_000_000, at: Self.reading(2_000_050)) == 2_000_000)
    #expect(clock.arrival(sent: Self.lead + 3_000_000, at: Self.reading(63_000_000)) == 3_000_000)
    #expect(clock.arrival(sent: Self.lead + 4_000_000, at: Self.reading(63_000_001)) == 4_000_000)
  }

  @Test("is not believed where the kernel says none, or one before the packet before it, or one to come")
  func unbelievable() {
    var clock = PacketClock(Self.reading(1_000_000))
    #expect(clock.arrival(sent: nil, at: Self.reading(2_000_000)) == nil)
    #expect(clock.arrival(sent: Self.lead + 1_900_000, at: Self.reading(2_100_000)) == nil)
    #expect(clock.arrival(sent: Self.lead + 2_500_000, at: Self.reading(2_200_000)) == nil)
    #expect(clock.arrival(sent: .max, at: Self.reading(2_300_000)) == nil)
    #expect(clock.arrival(sent: .min, at: Self.reading(2_400_000)) == nil)
    #expect(clock.arrival(sent: Self.lead + 2_450_000, at: Self.reading(2_500_000)) == 2_450_000)
  }

  @Test("is not believed of a packet over which the wall clock was set, and is of the next one", arguments: [-1, 1])
  func clockSet(sign: Int64) {
    for step in [5_000, 500_000, 3_600_000_000] as [Int64] {
      var clock = PacketClock(Self.reading(10_000_000))
      let after = Self.lead + sign * step
      #expect(clock.arrival(sent: Self.lead + 10_900_000, at: Self.reading(11_000_000, lead: after)) == nil)
      #expect(clock.arrival(sent: after + 11_900_000, at: Self.reading(12_000_000, lead: after)) == 11_900_000)
    }
  }

  @Test("is believed where NTP slews the clock while it waits")
  func slewed() {
    var clock = PacketClock(Self.reading(0))
    #expect(clock.arrival(sent: Self.lead + 1_000_000, at: Self.reading(60_000_000, lead: Self.lead + 30_000)) != nil)
  }

  @Test("never goes back, and is never to come, by the little that two readings differ")
  func bounded() {
    var clock = PacketClock(Self.reading(1_000_000))
    #expect(clock.arrival(sent: Self.lead + 2_000_000, at: Self.reading(2_000_010)) == 2_000_000)
    #expect(clock.arrival(sent: Self.lead + 1_999_990, at: Self.reading(2_000_020)) == 2_000_000)
    #expect(clock.arrival(sent: Self.lead + 2_000_400, at: Self.reading(2_000_030)) == 2_000_030)
  }
}
