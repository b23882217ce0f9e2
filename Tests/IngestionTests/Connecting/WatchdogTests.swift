import Ingestion
import Testing
import Timeline

@Suite("Connection plan: silent links, looks, and what idling costs")
struct WatchdogTests {
  @Test("a link that goes silent is ended and made anew, each time after a longer silence")
  func endsSilentLink() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      3      value A
      20     value A
      50~50                    -> disconnect A      # 30 s after the last value
      52     down A            -> connect A
      52.5   ok A              -> follow A
      53     resolved A
      113~113                  -> disconnect A      # 60 s after the link was ready
      115    down A            -> connect A
      115.5  ok A              -> follow A
      116    resolved A
      117    value A
      140    value A
      170~170                  -> disconnect A      # 30 s again
      """)
  }

  @Test("a link whose values another program has is left to it, silent or not wanted, until they come again")
  func leavesLinkToOthers() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      3      elsewhere A
      32~32                    -> resubscribe A
      92~92                    -> resubscribe A
      100    here A
      100.1  value A
      130.1~130.1              -> disconnect A
      132    down A            -> connect A
      132.5  ok A              -> follow A
      133    resolved A
      134    elsewhere A
      140    allow             -> unfollow A
      """)
  }

  @Test("links whose services never resolve are made after growing waits, and the second in a row is told")
  func neverResolves() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      ok A              -> follow A
      22~22                    -> disconnect A
      23     down A            -> connect A         # at once, after the first
      +1     ok A              -> follow A
      +20~+20                  -> unresolved A, disconnect A
      +1     down A            -> scan
      +0.7~+1.3                -> stop, connect A   # a second, give or take
      +1     ok A              -> follow A
      +20~+20                  -> disconnect A      # told once
      +1     down A            -> scan
      +1.5~+2.5                -> stop, connect A
      +1     ok A              -> follow A
      +1     resolved A
      """)
    #expect(timeline.plan.deadline != nil)
  }

  @Test("a sensor that BlueZ has forgotten may advertise otherwise now: a look at everything comes soon")
  func forgotten() {
    var timeline = PlanTimeline()
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      ok A              -> follow A
      3      resolved A
      4      value A
      10     down A            -> connect A
      15~15                    -> scan
      32~48                    -> look
      +10~+10                  -> scan              # the next one would come after a minute
      +1     failed A unknown
      +0     forgotten A
      +20~+31                  -> look
      +1     seen A            -> stop, connect A
      """)
  }

  @Test("a sensor that vanishes holds up nobody who has to be heard first")
  func vanishesBesideOthers() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A B
      0      on                -> scan
      1      seen A            -> connect A
      2      ok A              -> follow A
      3      resolved A
      4      seen B            -> stop, connect B
      5      ok B              -> follow B
      6      resolved B
      10     down A            -> connect A         # nobody else is looked for
      11     down B            -> connect B
      11.5   failed B unknown  -> scan
      """)
  }

  @Test("a sensor that does not answer the subscription is left alone, and tried again after growing waits")
  func demandsPairing() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      22     unanswered A      -> unfollow A, disconnect A
      24     down A            -> scan
      25     seen A
      54~104                   -> stop, connect A   # a minute, give or take
      +1     ok A              -> follow A
      +1     resolved A
      +20    unanswered A      -> unfollow A, disconnect A
      +2     down A            -> scan
      """)
    let next = timeline.plan.standing(of: PlanTimeline.address("A"))?.nextTry
    #expect(next ?? timeline.now > timeline.now.advanced(by: .seconds(80)), "two minutes, give or take")
  }

  @Test("while it waits to be paired, somebody else's link is left alone; once it is paired, the link is used")
  func pairedByOthers() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      22     unanswered A      -> unfollow A, disconnect A
      24     down A            -> scan
      30     up A
      30.1   resolved A
      31     paired A          -> follow A, stop
      31     resolved A
      32     down A            -> scan
      33     seen A            -> stop, connect A
      """)
  }

  @Test("paired without a link, it is connected at once; a link of somebody else's is never ended for it")
  func pairedWithoutLink() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      22     unanswered A      -> unfollow A, disconnect A
      24     down A            -> scan
      30     paired A          -> stop, connect A
      31     failed A aborted  -> scan
      """)
    var shared = PlanTimeline(parameters: .withoutLooks)
    shared.play(
      """
      0      allow A
      0      on                -> scan
      1      up A              -> follow A, stop
      2      resolved A
      22     unanswered A
      """)
  }

  @Test("a Disconnect that has no effect is called again")
  func disconnectsAgain() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      32~32                    -> disconnect A
      62~62                    -> disconnect A
      """)
  }

  @Test("values keep the watchdog quiet, which looks once in its limit and not at every value")
  func isQuietWhileValuesCome() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      1.3    ok A              -> follow A
      2      resolved A
      """)
    for second in 3...602 { timeline.play("\(second) value A") }
    #expect(timeline.wakeups <= 21)
  }

  @Test("while a sensor is missing, everything that advertises is listened to now and then, ever more rarely")
  func looksForNameOnlySensors() {
    var timeline = PlanTimeline()
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      22~38                    -> look
      32~48                    -> scan
      77~123                   -> look
      87~133                   -> scan
      """)
  }

  @Test("a sensor that only a look has found is waited for with one pending Connect after the other")
  func keepsNameOnlySensorPending() {
    var parameters = ConnectionPlan.Parameters.standard
    parameters.look = .seconds(20)
    var timeline = PlanTimeline(parameters: parameters)
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      22~38                    -> look
      39     seen A            -> stop, connect A
      39.5   ok A              -> follow A
      40     resolved A
      55     value A
      60     down A            -> connect A
      65~65                    -> scan
      82~98                    -> look
      102~118                  -> scan
      118.2  failed A aborted  -> stop, connect A
      """)
  }

  @Test("a sensor that no discovery has heard yet, a bonded one say, is tried unheard after growing waits")
  func triesUnheardSensors() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      known A
      1      on                -> connect A
      6~6                      -> scan
      41.2   failed A aborted
      63~79                    -> stop, connect A
      68~84                    -> scan
      """)
  }

  @Test("heard at last, it is connected at once, also where the discovery that hears it has just begun")
  func endsTheUnheardWait() {
    var timeline = PlanTimeline(parameters: .withoutLooks)
    timeline.play(
      """
      0      allow A
      0      known A
      1      on                -> connect A
      6~6                      -> scan
      41.2   failed A aborted
      41.3   discovery-ended
      41.3~50                  -> scan
      51     seen A            -> stop, connect A
      """)
  }

  @Test("nothing in the air for a day costs some three hundred looks and not one Connect")
  func idlesCheaply() {
    var timeline = PlanTimeline()
    timeline.play("0 allow A B C")
    timeline.play("0 on -> scan")
    var commands = 0
    while let deadline = timeline.plan.deadline, deadline.microseconds < 86_400_000_000 {
      for command in timeline.plan.timeReached(deadline) {
        if case .connect = command { Issue.record("connects what is not there") }
        commands += 1
      }
    }
    // Four for each look: stop and start, twice.
    #expect(commands / 4 < 320)
  }

  @Test("no adapter, no allowed sensor, or everything connected: no timer but the watchdog's")
  func hasNoTimerWithoutNeed() {
    var timeline = PlanTimeline()
    timeline.play("0 on")
    #expect(timeline.plan.deadline == nil)
    timeline.play("1 gone")
    timeline.play("1 allow A")
    #expect(timeline.plan.deadline == nil)
    timeline.play(
      """
      2      on                -> scan
      3      up A              -> follow A, stop
      """)
    #expect(timeline.plan.deadline == nil)
    timeline.play("4 resolved A")
    #expect(timeline.plan.deadline == BootInstant(microseconds: 34_000_000))
  }
}
