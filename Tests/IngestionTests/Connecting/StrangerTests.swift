import Ingestion
import Testing
import Timeline

@Suite("Connection plan: sensors that are not in the list")
struct StrangerTests {
  private var timeline = PlanTimeline(parameters: .withoutLooks)

  private func isKept(_ letter: Substring) -> Bool {
    timeline.plan.standing(of: PlanTimeline.address(letter)) != nil
  }

  @Test("one whose adapter is pulled out is forgotten")
  mutating func adapterGone() {
    timeline.play(
      """
      0      allow -70
      0      on                -> scan
      5      seen X            -> connect X
      6      ok X              -> follow X
      6.1    resolved X
      20     value X
      20     gone              -> unfollow X
      """)
    #expect(!isKept("X"))
  }

  @Test("with bluetoothd they are all forgotten, linked or not; those in the list are not")
  mutating func serviceLost() {
    timeline.play(
      """
      0      allow A -70
      0      on                -> scan
      5      seen X            -> connect X
      6      ok X              -> follow X
      6.1    resolved X
      7      seen Y            -> connect Y
      8      seen A            -> connect A
      9      ok A              -> follow A
      20     service-lost      -> unfollow X
      """)
    #expect(!isKept("X") && !isKept("Y") && isKept("A"))
  }

  @Test("one that could not be connected, and whose object went before the error came, is forgotten")
  mutating func removedBeforeError() {
    timeline.play(
      """
      0      allow -70
      0      on                -> scan
      5      seen X            -> connect X
      9.1    forgotten X
      """)
    #expect(isKept("X"), "its answer is still to come")
    timeline.play("9.1 failed X aborted")
    #expect(!isKept("X"))
  }

  @Test("one that BlueZ does not know any more at the Connect is forgotten")
  mutating func unknownAtConnect() {
    timeline.play(
      """
      0      allow -70
      0      on                -> scan
      5      seen X            -> connect X
      5.1    failed X unknown
      """)
    #expect(!isKept("X"))
  }

  @Test("one that another adapter still knows is kept")
  mutating func knownElsewhere() {
    timeline.play(
      """
      0      allow -70
      0      on hci0           -> scan
      0      on hci1           -> scan hci1
      5      seen X hci0       -> connect X
      6      seen X hci1
      7      failed X authentication
      7      forgotten X hci0
      """)
    #expect(isKept("X"))
    timeline.play("7.1 forgotten X hci1")
    #expect(!isKept("X"))
  }

  @Test("one that is taken out of the list while it is away is forgotten, however near it was")
  mutating func removedFromList() {
    timeline.play(
      """
      0      allow A -70
      0      on                -> scan
      5      seen A -50        -> connect A
      5.3    failed A authentication
      5.5    forgotten A
      7      allow -70
      """)
    #expect(!isKept("A"))
  }

  @Test("a full house that has left leaves room for the next ones")
  mutating func leavesRoom() {
    let hci0 = AdapterIndex(0)
    let guests = (1...UInt64(AllowList.capacity)).map { SensorAddress(bits: $0)! }
    timeline.play("0 allow -70")
    timeline.play("0 on -> scan")
    for guest in guests { _ = timeline.plan.deviceSeen(guest, on: hci0, rssi: -60, at: timeline.now) }
    timeline.play("1 seen X")
    #expect(!isKept("X"), "there is no room")
    timeline.play("2 gone")
    #expect(guests.allSatisfy { timeline.plan.standing(of: $0) == nil })
    timeline.play(
      """
      3      on                -> scan
      4      seen X            -> connect X
      """)
  }
}
