import Ingestion
import Testing
import Timeline

@Suite("Connection plan: adapters and their limits")
struct AdapterLimitTests {
  private var timeline = PlanTimeline(parameters: .withoutLooks)

  @Test(
    "a sensor that is heard but not connected after 4 s is tried once more with discovery stopped, which is learned")
  mutating func connectsWithoutScanning() {
    timeline.play(
      """
      0      allow A B C
      0      on                -> scan
      1      seen A            -> connect A         # B and C are missing: discovery goes on
      1.5    seen A
      5.1    failed A aborted
      5.8~6.4                  -> stop, connect A
      6.5    ok A              -> follow A, scan
      6.6    resolved A
      9      seen B            -> stop, connect B   # quiet from the first try on
      9.3    ok B              -> follow B, scan
      """)
  }

  @Test("an adapter that holds no more links is left alone until one of them ends")
  mutating func queuesAtFullAdapter() {
    timeline.play(
      """
      0      allow A B C
      0      on                -> scan
      1      seen A            -> connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      2      seen B            -> connect B
      2.5    ok B              -> follow B
      2.6    resolved B
      3      seen C            -> stop, connect C   # the only one missing: quiet by itself
      7.1    failed C aborted                       # after 4 s: full
      7.1    forgotten C
      20     value A
      20     value B
      45     value A
      45     value B
      45.1   down A            -> connect A, scan   # a link is free: A comes back, C is looked for
      45.5   ok A              -> follow A
      45.6   resolved A
      46     seen C            -> stop, connect C
      50.1   failed C aborted
      """)
    #expect(timeline.plan.isFull(AdapterIndex(0)))
  }

  @Test("a full adapter is tried again after a minute, then after two")
  mutating func triesFullAdapterAgain() {
    var parameters = ConnectionPlan.Parameters.withoutLooks
    parameters.silence = .seconds(100_000)
    timeline = PlanTimeline(parameters: parameters)
    timeline.play(
      """
      0      allow A B
      0      on                -> scan
      1      seen A            -> connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      3      seen B            -> stop, connect B
      4      seen B
      7.1    failed B aborted
      52~82.2                  -> connect B
      +1     seen B
      +3.1   failed B aborted
      +90~+151                 -> connect B
      """)
  }

  @Test("a link that cannot be made is no sign of a full adapter where it holds none")
  mutating func isNotFullWithoutLinks() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      seen A
      5.1    failed A aborted  -> scan
      5.8~6.4                  -> stop, connect A
      """)
    #expect(!timeline.plan.isFull(AdapterIndex(0)))
  }

  @Test("a second adapter takes what the first has no room for")
  mutating func usesSecondAdapter() {
    timeline.play(
      """
      0      allow A B
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      1      seen A hci0       -> connect A
      1.3    ok A              -> follow A
      1.4    resolved A
      2      seen B hci0       -> stop, stop hci1, connect B
      6.1    seen B hci1
      6.1    failed B aborted  -> connect B hci1
      """)
  }

  @Test("the adapter with the stronger signal is chosen")
  mutating func choosesNearerAdapter() {
    timeline.play(
      """
      0      allow A
      0      on hci0           -> scan
      0      seen A hci0 -80   -> stop, connect A
      0.1    seen A hci0 -80
      0.2    on hci1
      0.3    seen A hci1 -50
      0.5    failed A canceled -> scan, scan hci1
      1.2~1.8                  -> stop, stop hci1, connect A hci1
      """)
  }

  @Test("where one adapter waits in vain for a sensor that another one hears, the other one gets it")
  mutating func movesToAdapterThatHears() {
    timeline.play(
      """
      0      allow A
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      1      seen A hci0       -> stop, stop hci1, connect A
      2      ok A              -> follow A
      3      resolved A
      20     value A
      21     down A            -> connect A
      26~26                    -> scan, scan hci1
      27     seen A hci1       -> disconnect A, stop, stop hci1, connect A hci1
      27.1   failed A canceled
      28     ok A hci1         -> unfollow A, follow A hci1
      29     resolved A hci1
      30     up A              -> refuse A for hci1  # its values are not asked for: each would count twice
      31     down A
      """)
  }

  @Test("a link that takes over is the only one whose values are asked for, also after an adapter has come back")
  mutating func followsOneAdapter() {
    timeline.play(
      """
      0      allow A
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      1      seen A hci0       -> stop, stop hci1, connect A
      2      ok A              -> follow A
      3      resolved A
      20     value A
      20     gone hci0         -> scan hci1
      21     seen A hci1       -> stop hci1, connect A hci1
      22     ok A hci1         -> unfollow A, follow A hci1
      23     resolved A hci1
      30     on hci0
      31     up A              -> refuse A for hci1
      40     value A
      41     down A hci1       -> unfollow A hci1, follow A
      """)
  }

  @Test("an adapter that is pulled out leaves its sensors to the other one")
  mutating func survivesUnplugging() {
    timeline.play(
      """
      0      allow A
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      1      seen A hci0       -> stop, stop hci1, connect A
      2      ok A              -> follow A
      3      resolved A
      20     value A
      20     gone hci0         -> scan hci1
      21     seen A hci1       -> stop hci1, connect A hci1
      """)
  }

  @Test("a second link of a sensor is refused and reported, never disconnected, and takes over when the first one ends")
  mutating func refusesSecondIdentity() {
    timeline.play(
      """
      0      allow A
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      1      seen A hci0       -> stop, stop hci1, connect A
      2      ok A              -> follow A
      3      resolved A
      4      up A hci1         -> refuse A hci1 for hci0
      4.1    up A hci1
      4.1    resolved A hci1
      20     value A
      21     down A            -> unfollow A, follow A hci1
      """)
    #expect(timeline.plan.standing(of: PlanTimeline.address("A"))?.state == .resolving(on: AdapterIndex(1)))
  }

  @Test("a link that somebody else makes during an attempt is used, and the attempt cancelled")
  mutating func prefersForeignLink() {
    timeline.play(
      """
      0      allow A
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      1      seen A hci0       -> stop, stop hci1, connect A
      2      up A hci1         -> disconnect A, follow A hci1
      2.1    up A hci0
      2.2    failed A canceled
      2.3    down A hci0
      """)
    #expect(timeline.plan.standing(of: PlanTimeline.address("A"))?.state == .resolving(on: AdapterIndex(1)))
  }

  @Test("a discovery that does not start is tried again, and known sensors are tried unheard meanwhile")
  mutating func survivesStuckDiscovery() {
    timeline.play(
      """
      0      allow A B
      0      on                -> scan
      0      known A           -> connect A
      0.3    ok A              -> follow A
      0.4    resolved A
      1      discovery-ended
      2.5~3.5                  -> scan
      3.6    discovery-ended
      6.6~8.6                  -> scan
      20     value A
      21     down A            -> connect A
      """)
  }
}
