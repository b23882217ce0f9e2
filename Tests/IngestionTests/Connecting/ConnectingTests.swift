import Ingestion
import Testing
import Timeline

@Suite("Connection plan: connecting")
struct ConnectingTests {
  /// Without looks, which other suites test.
  private var timeline = PlanTimeline(parameters: .withoutLooks)

  @Test("a sensor that advertises is connected, and discovery stops while nothing else is missing")
  mutating func connectsAdvertiser() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      5      seen A            -> stop, connect A
      5.1    seen A
      5.3    up A              -> follow A
      5.9    resolved A
      6.0    ok A
      6.1    value A
      """)
  }

  @Test("the answer to Connect may come after the services are resolved, or before the link is reported")
  mutating func acceptsEveryOrder() {
    timeline.play(
      """
      0      allow A B
      0      on                -> scan
      5      seen A            -> connect A
      5.3    resolved A        -> follow A
      5.4    ok A
      5.5    up A
      6      seen B            -> stop, connect B
      6.3    ok B              -> follow B
      6.4    resolved B
      6.5    up B
      """)
  }

  @Test("a sensor that is not allowed is left alone, however loud it is")
  mutating func ignoresNeighbours() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      5      seen X -30
      6      known X
      7      up X
      8      resolved X
      9      down X
      """)
    #expect(timeline.plan.standing(of: PlanTimeline.address("X")) == nil)
  }

  @Test("any sensor with a strong enough signal is connected where that is the setting")
  mutating func allowsAnyBySetting() {
    timeline.play(
      """
      0      allow -70
      0      on                -> scan
      5      seen X -71
      6      seen X -70        -> connect X
      7      ok X              -> follow X
      7.1    resolved X
      8      down X            -> connect X
      8.3    failed X aborted
      8.35   forgotten X       -> unfollow X
      """)
    #expect(timeline.plan.standing(of: PlanTimeline.address("X")) == nil)
  }

  @Test("a stranger that BlueZ forgets while it is being connected takes no place afterwards")
  mutating func forgetsStranger() {
    timeline.play(
      """
      0      allow -70
      0      on                -> scan
      1      seen X -60        -> connect X
      2      forgotten X
      2      failed X unknown
      """)
    #expect(timeline.plan.standing(of: PlanTimeline.address("X")) == nil)
  }

  @Test("nothing happens before the adapter is powered; then known sensors are tried at once")
  mutating func waitsForPower() {
    timeline.play(
      """
      0      allow A
      0      off
      1      known A
      2      seen A
      3      on                -> connect A
      """)
  }

  @Test("a sensor that BlueZ knows is tried once without having been heard, and then waited for")
  mutating func triesKnownSensorOnce() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.5    ok A              -> follow A
      2      resolved A
      30     value A
      30.1   down A            -> connect A
      35~36                    -> scan              # it may not answer: listen meanwhile
      70.2   failed A aborted
      700    forgotten A
      """)
    #expect(timeline.wakeups == 1)
  }

  @Test("four attempts are under way on one adapter, the next ones as these are answered or turn out silent")
  mutating func limitsAttempts() {
    timeline.play(
      """
      0      allow A B C D E F
      0      known A
      0      known B
      0      known C
      0      known D
      0      known E
      0      known F
      1      on                -> connect A, connect B, connect C, connect D, scan
      2      up A              -> follow A, connect E
      6~6                      -> connect F         # B, C and D are silent: the adapter goes on listening
      """)
  }

  @Test("a sensor that others share is followed when it is connected, but never connected or disconnected")
  mutating func leavesSharedAlone() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      known A shared    -> stop
      2      seen A
      3      up A              -> follow A
      4      resolved A
      34~34                    -> resubscribe A
      40     allow             -> unfollow A
      """)
  }

  @Test("a link that somebody else made is used, and stays when its sensor is no longer allowed")
  mutating func usesForeignLink() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      up A              -> follow A, stop
      2      resolved A
      3      finish            -> unfollow A
      """)
  }

  @Test("a recorder that stops ends what it began: links, attempts, discovery")
  mutating func finishes() {
    timeline.play(
      """
      0      allow A B C
      0      on                -> scan
      1      seen A            -> connect A
      2      ok A              -> follow A
      3      seen B            -> connect B
      4      finish            -> disconnect B, disconnect A, unfollow A, stop
      4.1    failed B canceled
      6      down A
      """)
    #expect(timeline.plan.deadline == nil)
  }

  @Test(
    "a sensor that is removed is not followed any more, whatever it was doing: another program's link to it is not touched"
  )
  mutating func unfollowsRemoved() {
    timeline.play(
      """
      0      allow A B
      0      on                -> scan
      1      seen A            -> connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      20     value A
      20.1   down A            -> connect A
      60.3   failed A aborted
      61     allow B           -> unfollow A
      62     allow A B
      63     seen A            -> connect A
      63.3   ok A              -> follow A
      64     down A            -> connect A
      65     allow B           -> disconnect A, unfollow A
      65.1   failed A canceled
      66     up A
      """)
  }

  @Test("a sensor that is allowed again while its link is being ended is connected again")
  mutating func allowedAgain() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      up A              -> follow A
      3      ok A
      20     allow             -> disconnect A, unfollow A
      21     allow A
      22     down A            -> connect A
      """)
  }
}

extension ConnectionPlan.Parameters {
  /// For tables that are about something else.
  static var withoutLooks: Self {
    var parameters = Self.standard
    parameters.firstLook = .seconds(1_000_000)
    parameters.longestLookInterval = .seconds(1_000_000)
    parameters.longestUnheardLookInterval = .seconds(1_000_000)
    return parameters
  }
}
