import Ingestion
import Testing
import Timeline

@Suite("Connection plan: where BlueZ must not be asked to filter")
struct UnfilteredDiscoveryTests {
  private var timeline = PlanTimeline()

  @Test("a sensor that BlueZ does not know is looked for at once, and then 10 s a minute, until it is heard")
  mutating func looks() {
    timeline.play(
      """
      0      allow A
      0      on unfiltered     -> look
      10~10                    -> stop
      60~60                    -> look
      70~70                    -> stop
      120~120                  -> look
      123    seen A            -> stop, connect A
      123.4  ok A              -> follow A
      123.6  resolved A
      """)
  }

  @Test("one that BlueZ knows is waited for by one pending Connect after the other, without discovery")
  mutating func vigil() {
    timeline.play(
      """
      0      allow A
      0      known A
      0      on unfiltered     -> connect A
      40.2   failed A aborted  -> connect A
      80.4   failed A aborted  -> connect A
      100    up A              -> follow A
      100    ok A
      100.2  resolved A
      120    value A
      120.1  down A            -> connect A
      160.3  failed A aborted  -> connect A
      200    finish            -> disconnect A, unfollow A
      """)
    #expect(timeline.wakeups == 2, "that an attempt is no longer young, after the start and after the loss")
  }

  @Test("a Connect that waits in place of a discovery stands as a search, the first one behind a loss as an attempt")
  mutating func standing() {
    let state = { (timeline: PlanTimeline) in timeline.plan.standing(of: PlanTimeline.address("A"))?.state }
    timeline.play(
      """
      0      allow A
      0      known A
      0      on unfiltered     -> connect A
      """)
    #expect(state(timeline) == .connecting(on: AdapterIndex(0)))
    timeline.play("40.2 failed A aborted -> connect A")
    #expect(state(timeline) == .searching)
  }

  @Test("an object that goes is replaced by a look at once; a sensor that is known stays with its Connect meanwhile")
  mutating func forgotten() {
    timeline.play(
      """
      0      allow A B
      0      known A
      0      known B
      0      on unfiltered     -> connect A, connect B
      40.2   failed A aborted  -> connect A
      41     forgotten A       -> look
      41     failed A unknown
      41.3   seen A            -> stop
      41.7~42.3                -> connect A
      """)
  }

  @Test("what could not be connected is tried again after growing waits, unheard")
  mutating func retries() {
    timeline.play(
      """
      0      allow A
      0      known A
      0      on unfiltered     -> connect A
      0.3    failed A other
      1~1.6                    -> connect A
      1.8    failed A other
      3.3~4.5                  -> connect A
      """)
  }

  @Test("one that refuses for want of keys is not called at once again, known or not")
  mutating func authentication() {
    timeline.play(
      """
      0      allow A
      0      known A
      0      on unfiltered     -> connect A
      1      failed A authentication
      1.7~2.3                  -> connect A
      """)
  }

  @Test("sensors that nobody listed are looked for 10 s a minute while there is room")
  mutating func strangers() {
    timeline.play(
      """
      0      allow -70
      0      on unfiltered     -> look
      5      seen X            -> connect X
      6      ok X              -> follow X
      6.1    resolved X
      10~10                    -> stop
      35     value X
      60~60                    -> look
      61     value X
      70~70                    -> stop
      """)
  }

  @Test("nothing is looked for before BlueZ has said what it filters; sensors that it knows are connected")
  mutating func unasked() {
    timeline.play(
      """
      0      allow A B
      0      known A
      0      on unasked        -> connect A
      3      on                -> scan
      33     finish            -> disconnect A, stop
      """)
  }

  @Test("said to be unfiltered after the adapter was there, the first look is not waited for either")
  mutating func unaskedUnfiltered() {
    timeline.play(
      """
      0      allow A
      0      on unasked
      3      on unfiltered     -> look
      """)
  }

  @Test("a bluetoothd that died of the filter is looked at without it from then on; known sensors by pending Connects")
  mutating func diedOfFilter() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      0.2    died              -> blame scan for good
      2      on                -> look
      2.3    seen A            -> stop, connect A
      2.6    ok A              -> follow A
      2.7    resolved A
      30     value A
      30.1   down A            -> connect A
      70.3   failed A aborted  -> connect A
      """)
  }

  @Test("an orderly end of bluetoothd blames nobody")
  mutating func orderlyEnd() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      0.2    service-lost
      2      on                -> scan
      """)
  }

  @Test("a bluetoothd that dies twice of a look is not asked to look any more: only what it knows is connected")
  mutating func diedOfLooks() {
    timeline.play(
      """
      0      allow A
      0      on unfiltered     -> look
      0.2    died              -> blame look
      2      on unfiltered     -> look
      2.2    died              -> blame look for good
      4      on unfiltered
      500    known A           -> connect A
      """)
  }

  @Test("a bluetoothd that dies twice as it connects a sensor connects that one no more, and others as before")
  mutating func diedOfConnect() {
    timeline.play(
      """
      0      allow A
      0      known A
      0      on unfiltered     -> connect A
      0.3    died              -> blame connect
      2      known A
      2      on unfiltered     -> connect A
      2.3    died              -> blame connect for good
      4      known A
      4      on unfiltered
      100    forgotten A                            # and it is not looked for
      200    allow A B         -> look
      201    known B           -> stop, connect B
      202    ok B              -> follow B
      """)
  }
}
