import Ingestion
import Testing
import Timeline

@Suite("Connection plan: how a sensor stands")
struct StandingTests {
  private var timeline = PlanTimeline(parameters: .withoutLooks)
  private let hci0 = AdapterIndex(0)

  private var standing: ConnectionPlan.Standing? { timeline.plan.standing(of: PlanTimeline.address("A")) }

  @Test("each step from silence to a recorded link has its state, and the time since when")
  mutating func namesEveryStep() {
    timeline.play("0 on")
    #expect(standing == nil)
    timeline.play("1 allow A -> scan")
    #expect(standing?.state == .searching)
    #expect(standing?.since == BootInstant(microseconds: 1_000_000))
    timeline.play("2 seen A -> stop, connect A")
    #expect(standing?.state == .connecting(on: hci0))
    #expect(standing?.since == BootInstant(microseconds: 2_000_000))
    timeline.play("3 ok A -> follow A")
    #expect(standing?.state == .resolving(on: hci0))
    timeline.play("4 resolved A")
    #expect(standing?.state == .linked(on: hci0, isOurs: true))
    timeline.play("34~34 -> disconnect A")
    #expect(standing?.state == .leaving(on: hci0))
    timeline.play("35 allow -> unfollow A")
    #expect(standing == nil)
  }

  @Test("a sensor that waits for its next try says when that is; one that is away does not")
  mutating func saysWhenItTriesAgain() throws {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      seen A            -> stop, connect A
      2      failed A other    -> scan
      """)
    #expect(standing?.state == .searching)
    #expect(standing?.nextTry == nil)
    timeline.play("2.1 seen A")
    #expect(standing?.state == .waiting)
    let nextTry = try #require(standing?.nextTry)
    #expect((2_750_000...3_250_000).contains(nextTry.microseconds))
    #expect(timeline.plan.deadline == nextTry)
    timeline.play("2.2 forgotten A")
    #expect(standing?.state == .searching)
    #expect(standing?.nextTry == nil)
  }

  @Test("a link that somebody else made is told as such")
  mutating func tellsForeignLink() {
    timeline.play(
      """
      0      allow A
      0      on                -> scan
      1      up A              -> follow A, stop
      2      resolved A
      """)
    #expect(standing?.state == .linked(on: hci0, isOurs: false))
  }
}
