import Ingestion
import Testing
import Timeline

@Suite("Connection plan: losing a link and coming back")
struct ReconnectingTests {
  private var timeline = PlanTimeline(parameters: .withoutLooks)

  @Test("after a loss Connect is called at once; a sensor that stays away is connected as soon as it is heard again")
  mutating func comesBack() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      20     value A
      20.1   down A            -> connect A
      25.1~25.1                -> scan
      60.3   failed A aborted                       # silent for 40 s: BlueZ forgets it
      60.3   forgotten A
      4000   known A           -> stop, connect A
      4000.3 seen A
      4000.5 ok A              -> follow A
      """)
  }

  @Test("a pending Connect that succeeds in time is all that a short absence takes")
  mutating func comesBackInTime() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      20     value A
      20.1   down A            -> connect A
      25.1~25.1                -> scan
      34.9   up A              -> follow A, stop
      34.9   ok A
      35     resolved A
      """)
  }

  @Test("a link that keeps breaking is made again after growing waits")
  mutating func slowsDownFlapping() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      ok A              -> follow A
      3      down A            -> connect A
      4      ok A              -> follow A
      5      down A            -> scan
      6.5~7.5                  -> stop, connect A   # 2 s
      8      ok A              -> follow A
      9      down A            -> scan
      12~14                    -> stop, connect A   # 4 s
      15     ok A              -> follow A
      15.1   resolved A
      30     value A                                # a good link at last
      31     down A            -> connect A
      """)
  }

  @Test("a link made and lost at once is made again soon, heard or not; the waits grow where that fails again")
  mutating func retriesLostInTheMaking() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.2    seen A
      1.3    down A
      1.3    failed A aborted  -> scan
      1.37~1.43                -> stop, connect A   # 0.1 s, give or take a quarter
      1.8    failed A aborted  -> scan              # it was there: to make a link it had to advertise
      1.94~2.06                -> stop, connect A
      2.4    failed A aborted  -> scan
      2.69~2.91                -> stop, connect A
      3.2    failed A aborted  -> scan
      3.79~4.21                -> stop, connect A
      4.5    failed A aborted  -> scan
      5.69~6.51                -> stop, connect A
      6.8    failed A aborted  -> scan
      9.19~10.81               -> stop, connect A
      11     failed A aborted  -> scan
      13.9~16.1                -> stop, connect A   # 4 s, the longest
      """)
  }

  @Test("a sensor that refuses three links after a loss is recorded again within five seconds")
  mutating func comesBackAfterRefusals() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      20     value A
      20.1   down A            -> connect A
      20.4   failed A aborted  -> scan
      20.54~20.66              -> stop, connect A
      21     failed A aborted  -> scan
      21.29~21.51              -> stop, connect A
      21.8   failed A aborted  -> scan
      22.39~22.81              -> stop, connect A
      23.1   ok A              -> follow A
      """)
  }

  @Test("a link that is told and lost before the services are known is one lost in the making, too")
  mutating func retriesLostAtOnce() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      20     value A
      20.1   down A            -> connect A
      20.4   failed A aborted  -> scan
      20.54~20.66              -> stop, connect A
      21     up A              -> follow A
      21.2   down A            -> scan
      21.2   failed A aborted
      21.49~21.71              -> stop, connect A
      22     up A              -> follow A
      22     ok A
      22.3   down A            -> scan
      22.89~23.31              -> stop, connect A
      """)
  }

  @Test("one value is enough: after its link the next is tried at once, however often")
  mutating func forgivesAfterValue() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      ok A              -> follow A
      3      down A            -> connect A
      4      ok A              -> follow A
      5      down A            -> scan
      6.5~7.5                  -> stop, connect A
      8      ok A              -> follow A
      8.5    resolved A
      8.6    value A
      10     down A            -> connect A
      10.3   ok A              -> follow A
      10.5   resolved A
      10.6   value A
      12     down A            -> connect A
      12.3   ok A              -> follow A
      12.5   resolved A
      12.6   value A
      14     down A            -> connect A
      """)
  }

  @Test(
    "a link that ends right after its value is not fought for: the next try begins a second after the last, not sooner")
  mutating func doesNotFight() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      10     seen A            -> stop, connect A
      10.2   ok A              -> follow A
      10.2   resolved A
      10.3   value A
      10.3   down A            -> scan
      11~11                    -> stop, connect A
      11.2   ok A              -> follow A
      11.2   resolved A
      11.3   value A
      11.4   down A            -> scan
      12~12                    -> stop, connect A
      12.2   ok A              -> follow A
      12.3   resolved A
      12.9   value A
      13     down A            -> connect A
      """)
  }

  @Test("another recorder that goes first has a second to ask for a new link's values, until it does not want them")
  mutating func givesPrecedence() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      2      value A
      10     other-there                            # it wants A, too
      11     value A
      20     down A            -> unfollow A, connect A
      20.4   ok A
      20.6   resolved A
      21.6~21.6                -> follow A
      21.7   elsewhere A
      40     down A            -> unfollow A, scan  # no value came over it
      40.4   up A              -> stop
      40.6   resolved A
      41.6~41.6                -> follow A
      41.7   here A                                 # it does not want A any more
      41.8   value A
      50     down A            -> scan              # it was another program's
      50.4   ok A              -> follow A, stop
      50.6   resolved A
      51     value A
      52     other-gone
      53     other-there                            # another one may want it again
      54     down A            -> unfollow A, connect A
      54.4   ok A
      54.6   resolved A
      54.9   other-gone        -> follow A
      """)
  }

  @Test("the waiting time is forgotten when a sensor comes back that had not been heard for a while")
  mutating func forgivesAfterAbsence() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.5    failed A authentication -> scan        # needs pairing: the next try would come after a second,
      1.6    seen A                                 # two, four … up to ten minutes
      2.2~2.8                  -> stop, connect A
      3      failed A authentication -> scan
      3      seen A
      4.5~5.5                  -> stop, connect A
      6      failed A authentication -> scan
      7      seen A
      9~11                     -> stop, connect A
      12     failed A authentication -> scan
      13     seen A
      18~22                    -> stop, connect A
      24     failed A authentication -> scan        # 16 s, give or take four
      24.5   seen A
      25     seen A
      35     seen A            -> stop, connect A   # it was away for ten seconds
      """)
  }

  @Test("when BlueZ has forgotten the sensor it is discovered again before the next try")
  mutating func discoversAgain() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.1    failed A unknown  -> scan
      60     known A           -> stop, connect A
      """)
  }

  @Test("a cancelled attempt, and one that BlueZ says is under way already, is tried again a little later")
  mutating func retriesCanceled() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.1    failed A canceled -> scan
      1.8~2.4                  -> stop, connect A
      2.5    failed A in-progress -> scan
      4~5                      -> stop, connect A
      """)
  }

  @Test("an old Connect that is answered only after the loss of its link is not taken for the new one")
  mutating func keepsAnswersApart() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    up A              -> follow A
      1.4    down A            -> scan              # no second Connect while the first is unanswered
      1.5    failed A aborted  -> stop, connect A
      2      ok A              -> follow A
      """)
  }

  @Test("a Connect that is never answered is given up, cancelled, and tried again")
  mutating func givesUpAnswer() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      6~6                      -> scan
      50     seen A
      91~91                    -> disconnect A
      91.7~92.3                -> stop, connect A
      92.4   allow             -> disconnect A      # nor is this one answered
      """)
    #expect(timeline.plan.deadline == BootInstant(microseconds: 122_400_000))
    timeline.play("130 allow A -> scan")
  }

  @Test("services that never resolve end the link and make it anew")
  mutating func endsUnresolvedLink() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1      ok A              -> follow A          # the kernel still had the link
      21~21                    -> disconnect A
      23     down A            -> connect A
      """)
  }

  @Test("adapter off and on: connected again as soon as it is powered, whatever failed before")
  mutating func survivesPowerCycle() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      10     down A            -> connect A
      10     failed A not-ready -> scan
      10.1   discovery-ended
      10.1   off
      40     on                -> connect A
      """)
  }

  @Test("an adapter that is switched off during an attempt never answers, which holds up nothing")
  mutating func forgetsAttemptsWithoutPower() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      off
      3      on                -> connect A
      """)
  }

  @Test("bluetoothd gone takes everything along; back, it starts from the beginning")
  mutating func survivesRestart() {
    timeline.play(
      """
      0      allow A B
      0      on                -> scan
      1      seen A            -> connect A
      1.3    ok A              -> follow A
      1.5    resolved A
      2      seen B            -> stop, connect B
      3      service-lost
      """)
    #expect(timeline.plan.deadline == nil)
    timeline.play(
      """
      5      off
      5      known A
      5.1    on                -> connect A, scan
      5.2    ok A              -> follow A          # a link left over from before, which breaks
      6.9    down A            -> connect A
      7.2    ok A              -> follow A
      """)
  }
}
