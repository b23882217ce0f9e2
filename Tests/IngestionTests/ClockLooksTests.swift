import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

@testable import Ingestion

@Suite("Whether a clock can be believed, as the recorder asks")
struct ClockLooksTests {
  @Test("a clock that is synchronised is asked for once, and never again until it is set")
  func once() {
    var looks = ClockLooks()
    #expect(looks.belief == .notKnown)
    #expect(looks.look() == true)
    #expect(looks.look() == false, "an answer is on its way")
    #expect(looks.answered(.synchronised, at: Invented.at(1)) == .becameSynchronised)
    #expect(looks.belief == .synchronised && looks.deadline == nil)
    #expect(looks.look() == false)
    #expect(looks.timeReached(Invented.at(100_000)) == false)
  }

  @Test("one that is not synchronised wakes nobody, and is asked for with what is to be dated")
  func waiting() {
    var looks = ClockLooks()
    for answer in [ClockBelief.notSynchronised, .notKnown] {
      #expect(looks.look() == true)
      #expect(looks.answered(answer, at: Invented.at(1)) == nil)
      #expect(looks.belief == answer && looks.deadline == nil)
    }
  }

  @Test("chrony steps first and reports later: twenty looks in ten minutes at most, then it was set by hand")
  func chrony() {
    for reportsAfter in [1, 5, 20, 21] {
      var looks = ClockLooks()
      var (asked, second) = (0, 0.0)
      var news: ClockLooks.News?
      var asks = looks.clockSet()
      while asks {
        asked += 1
        news = looks.answered(asked < reportsAfter ? .notSynchronised : .synchronised, at: Invented.at(second))
        guard let deadline = looks.deadline else { break }
        second = Double(deadline.microseconds - Invented.at(0).microseconds) / 1_000_000
        #expect(looks.timeReached(Invented.at(second - 1)) == false)
        asks = looks.timeReached(Invented.at(second))
      }
      #expect(asked == min(20, reportsAfter) && second <= 600)
      #expect(news == (reportsAfter == 21 ? .setByHand : .becameSynchronised))
      #expect(looks.deadline == nil)
    }
  }

  @Test("where nobody can say, a clock that is set was set by hand at once")
  func container() {
    var looks = ClockLooks()
    #expect(looks.clockSet() == true)
    #expect(looks.answered(.notKnown, at: Invented.at(1)) == .setByHand)
    #expect(looks.deadline == nil)
  }

  @Test("an answer that was on its way when the clock was set counts for nothing")
  func stale() {
    var looks = ClockLooks()
    #expect(looks.look() == true)
    #expect(looks.clockSet() == false)
    #expect(looks.answered(.synchronised, at: Invented.at(1)) == nil)
    #expect(looks.belief != .synchronised)
    #expect(looks.timeReached(Invented.at(1)) == true)
    #expect(looks.answered(.synchronised, at: Invented.at(2)) == .becameSynchronised)
    // A step of a synchronised clock is news, too: what was dated before may be wrong.
    #expect(looks.clockSet() == true)
    #expect(looks.belief == .notSynchronised)
    #expect(looks.answered(.synchronised, at: Invented.at(3)) == .becameSynchronised)
  }

  @Test("one dating a minute, and what had to wait comes then")
  func datings() {
    var datings = Datings()
    #expect(datings.begin(at: Invented.at(0)) == true)
    #expect(datings.begin(at: Invented.at(1)) == false, "one is under way")
    datings.ended(failed: false)
    #expect(datings.deadline == Invented.at(60))
    #expect(datings.begin(at: Invented.at(59)) == false)
    #expect(datings.timeReached(Invented.at(59)) == false)
    #expect(datings.timeReached(Invented.at(60)) == true)
    #expect(datings.begin(at: Invented.at(60)) == true)
    #expect(datings.deadline == nil)
    datings.ended(failed: true)
    #expect(datings.deadline == Invented.at(120))
  }

  @Test("what one clock dated is moved together, though it was slewed meanwhile")
  func groups() {
    let ids = (1...4).map { Invented.session(UInt8($0)) }
    let groups = Datings.groups(zip(ids, [5_000_000, 5_009_000, -7_000_000, 5_020_000]).map { ($0, $1) })
    #expect(groups.map(\.objects) == [[ids[0], ids[1]], [ids[2]], [ids[3]]])
    #expect(groups.map(\.shift) == [5_000_000, -7_000_000, 5_020_000])
  }
}

@Suite("The clock of a recording, and whether its dates are in doubt")
struct ClockJudgementTests {
  private static let other = BootIdentifier(high: 3, low: 4)
  private static let start = Timestamp(microseconds: 1_790_000_000_000_000)

  private func clock(
    _ belief: ClockBelief, of boot: BootIdentifier? = Invented.boot, lead: Int64? = 10,
    remembered: (belief: ClockBelief, lead: Int64)? = nil, newest: Timestamp? = nil,
    machine: MachineClock = MachineClock()
  ) -> RecordedClock {
    ClockJudgement(boot: Invented.boot, lead: 10, belief: belief, machine: machine)
      .clock(in: boot, at: lead, from: Self.start, remembered: remembered, newest: newest)
  }

  @Test("dates are in doubt where the clock is not synchronised, and the machine has no other or they lie in the past")
  func doubt() {
    let bare = MachineClock(goesOnWithoutPower: false)
    let later = Self.start.advanced(byMicroseconds: 1)
    for belief in [ClockBelief.notKnown, .notSynchronised] {
      #expect(!clock(belief).isDoubtful, "a desktop that is right is not nagged")
      #expect(clock(belief, machine: bare).isDoubtful)
      #expect(clock(belief, newest: later).isDoubtful && !clock(belief, newest: Self.start).isDoubtful)
      #expect(clock(belief, machine: MachineClock(programDate: later)).isDoubtful)
    }
    #expect(!clock(.synchronised, newest: later, machine: bare).isDoubtful)
  }

  @Test("what is known of a clock says nothing of the dates before it was set")
  func before() {
    #expect(clock(.synchronised, lead: 10 + 1_000_000).belief == .synchronised)
    #expect(clock(.synchronised, lead: 10 + 1_000_001).belief == .notSynchronised)
    #expect(clock(.synchronised, lead: nil).belief == .notSynchronised)
    #expect(clock(.synchronised).boot == Invented.boot.uuid && clock(.synchronised).lead == 10)
  }

  @Test("a session of an earlier boot has what was known of that boot")
  func earlier() {
    #expect(clock(.synchronised, of: Self.other).belief == .notKnown)
    #expect(clock(.notKnown, of: Self.other, remembered: (.synchronised, 12)).belief == .synchronised)
    #expect(clock(.notKnown, of: Self.other, remembered: (.synchronised, 9_000_000)).belief == .notSynchronised)
    #expect(clock(.synchronised, of: nil).belief == .notKnown)
  }

  private func write(_ text: String, _ number: Int, _ folder: TemporaryFolder) throws {
    let clock = "\(folder.path)/rtc\(number)"
    try FileManager.default.createDirectory(atPath: clock, withIntermediateDirectories: true)
    try text.write(toFile: "\(clock)/hctosys", atomically: true, encoding: .utf8)
  }

  @Test("a machine has a clock of its own where the kernel was set by it")
  func hardware() throws {
    let folder = TemporaryFolder()
    #expect(!MachineClock.hasSetClock(in: folder.path))
    try write("0\n", 0, folder)
    #expect(!MachineClock.hasSetClock(in: folder.path))
    try write("1\n", 1, folder)
    #expect(MachineClock.hasSetClock(in: folder.path))
  }
}
