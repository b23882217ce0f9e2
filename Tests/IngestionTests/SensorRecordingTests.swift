import Captures
import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Ingestion

@Suite("The recording of a sensor")
struct SensorRecordingTests {
  private static let value = SensorEvent.Kind.measurement([0x10, 60, 0, 4])
  private var recording = Invented.recording()

  private func event(_ kind: SensorEvent.Kind, _ seconds: Double) -> SensorEvent {
    SensorEvent(kind, at: Invented.at(seconds))
  }

  @Test("a session begins with the boot, the clock and the link, and with the value that began it")
  mutating func beginning() {
    #expect(recording.handle(.connected, 1).entry == nil)
    let step = recording.handle(Self.value, 2)
    #expect(step.ending == nil)
    #expect(
      step.entry
        == .beginning(
          of: Invented.session(1), linkedTo: nil,
          events: Invented.present(2) + [event(.connected, 2), event(Self.value, 2)]))
    #expect(recording.session?.id == Invented.session(1))
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).beats == 1)
  }

  @Test("each further event is one entry, and a session's identity is made for a session only")
  mutating func goingOn() {
    _ = recording.handle(Self.value, 1)
    #expect(recording.handle(Self.value, 2, session: 2).entry == .event(event(Self.value, 2), of: Invented.session(1)))
    var asked = 0
    func identifier() -> UUID {
      asked += 1
      return Invented.session(9)
    }
    _ = recording.handle(Self.value, at: Invented.at(3), session: identifier())
    #expect(asked == 0)
  }

  @Test("an event that comes before the last one is moved to it")
  mutating func order() {
    _ = recording.handle(Self.value, 2)
    #expect(
      recording.handle(.battery(percent: 80), 1).entry
        == .event(event(.battery(percent: 80), 2), of: Invented.session(1)))
    #expect(recording.handle(Self.value, 3).entry == .event(event(Self.value, 3), of: Invented.session(1)))
  }

  @Test("it is away without a link and a session, and in an open session after a minute without an event")
  mutating func away() {
    #expect(recording.isAway(at: Invented.at(0)))
    _ = recording.linkUp(over: Invented.hci0)
    #expect(!recording.isAway(at: Invented.at(1)))
    _ = recording.handle(Self.value, 2)
    #expect(!recording.isAway(at: Invented.at(100)), "linked")
    _ = recording.linkDown(over: Invented.hci0, reason: nil)
    _ = recording.handle(.disconnected(reason: nil), 100)
    #expect(!recording.isAway(at: Invented.at(159)))
    #expect(recording.isAway(at: Invented.at(160)))
  }

  @Test("a session ends at its limit, when the time comes and not before, and is nobody's then")
  mutating func limit() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    _ = recording.handle(.disconnected(reason: nil), 3)
    #expect(recording.deadline == Invented.at(303))
    #expect(recording.timeReached(Invented.at(302)) == nil)
    let ending = recording.timeReached(Invented.at(400))
    #expect(ending == SessionEnding(session: Invented.session(1), reason: .away, instant: Invented.at(303)))
    #expect(recording.session == nil)
    #expect(recording.timeReached(Invented.at(400)) == nil)
    #expect(recording.end(.request, at: Invented.at(401)) == nil)
    #expect(recording.handle(.connected, 402).entry == nil)
  }

  @Test("whoever ends a session says why")
  mutating func end() {
    _ = recording.handle(Self.value, 2)
    #expect(
      recording.end(.shutdown, at: Invented.at(4))
        == SessionEnding(session: Invented.session(1), reason: .shutdown, instant: Invented.at(4)))
  }

  @Test("a session of the greatest length is followed by one that is linked to it, and the end comes first")
  mutating func rolled() {
    recording = Invented.recording(limits: SessionLimits(lengthMicroseconds: 10_000_000))
    _ = recording.handle(.connected, 0)
    for second in 1...10 { _ = recording.handle(Self.value, Double(second)) }
    let step = recording.handle(Self.value, 11, session: 2)
    #expect(
      step.ending == SessionEnding(session: Invented.session(1), reason: .rolled, instant: Invented.at(11)))
    #expect(
      step.entry
        == .beginning(
          of: Invented.session(2), linkedTo: Invented.session(1),
          events: Invented.present(11) + [event(.connected, 11), event(Self.value, 11)]))
    #expect(recording.session?.id == Invented.session(2))
  }

  @Test("a session that begins after one that was away is linked to none")
  mutating func notLinked() {
    _ = recording.handle(Self.value, 1)
    _ = recording.handle(.disconnected(reason: nil), 2)
    let step = recording.handle(Self.value, 400, session: 2)
    #expect(step.ending?.reason == .away)
    guard case .beginning(Invented.session(2), nil, _, _)? = step.entry else {
      Issue.record("\(String(describing: step.entry))")
      return
    }
  }

  /// What the recording gives a journal that works again in this second.
  private mutating func owed(_ second: Double) throws -> (events: [SensorEvent], written: JournalBacklog.Written?) {
    var events: [SensorEvent] = []
    let written = try recording.writeOwed(of: Invented.session(1), before: Invented.at(second)) { events += $0 }
    return (events, written)
  }

  @Test("what the journal refuses is written before the next event that it takes")
  mutating func refused() throws {
    _ = recording.handle(Self.value, 1)
    let kinds: [(SensorEvent.Kind, Double)] = [(Self.value, 2), (.battery(percent: 50), 3), (Self.value, 4)]
    for (kind, second) in kinds {
      let entry = try #require(recording.handle(kind, second).entry)
      recording.journalRefused(entry, .notWritten, room: 1000)
    }
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 0)
    let entry = try #require(recording.handle(Self.value, 5).entry)
    #expect(entry == .events([event(Self.value, 5)], of: Invented.session(1)))
    let (events, written) = try owed(5)
    #expect(events == kinds.map { event($0, $1) })
    #expect(written == JournalBacklog.Written(values: 2))
    // Once: the next one finds nothing owed.
    let next = try #require(recording.handle(Self.value, 6).entry)
    #expect(next == .event(event(Self.value, 6), of: Invented.session(1)))
    #expect(try owed(6).written == nil)
    #expect(recording.machine.counts.gaps == 0)
  }

  @Test("what there is no room for is counted, also live")
  mutating func lost() throws {
    _ = recording.handle(Self.value, 1)
    for second in [2.0, 3, 4] {
      let entry = try #require(recording.handle(Self.value, second).entry)
      recording.journalRefused(entry, .notWritten, room: second == 2 ? 1000 : 0)
    }
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 2)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostMicroseconds == 1_000_000)
    let gaps = recording.machine.counts.gaps
    _ = recording.handle(Self.value, 5)
    let (events, written) = try owed(5)
    #expect(events == [event(Self.value, 2), event(.lost(values: 2, reason: "notWritten"), 5)])
    #expect(written?.loss == JournalLoss(values: 2, microseconds: 2_000_000))
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostMicroseconds == 2_000_000)
    #expect(recording.machine.counts.lostValues == 2)
    _ = recording.handle(Self.value, 6)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 2)
    #expect(recording.machine.counts.gaps == gaps + 1)
  }

  @Test("what is refused twice is owed once, with the event that was refused with it")
  mutating func refusedAgain() throws {
    _ = recording.handle(Self.value, 1)
    for second in [2.0, 3] {
      let entry = try #require(recording.handle(.battery(percent: UInt8(second)), second).entry)
      recording.journalRefused(entry, .notWritten, room: 1000)
    }
    #expect(try owed(4).events == [event(.battery(percent: 2), 2), event(.battery(percent: 3), 3)])
  }

  @Test("a beginning that is refused is owed whole")
  mutating func beginningRefused() throws {
    let entry = try #require(recording.handle(Self.value, 1).entry)
    recording.journalRefused(entry, .notWritten, room: 1000)
    // A sensor that sends values is linked.
    #expect(try owed(1).events == Invented.present(1) + [event(.connected, 1), event(Self.value, 1)])
  }

  @Test("a session takes what is owed of it to its end; the next one begins without a loss")
  mutating func endingRefused() throws {
    _ = recording.handle(Self.value, 1)
    for second in [2.0, 3] {
      let refused = try #require(recording.handle(Self.value, second).entry)
      recording.journalRefused(refused, .notWritten, room: second == 2 ? 1000 : 0)
    }
    let last = recording.end(.request, at: Invented.at(5))
    let ending = try #require(last)
    var backlog = ending.backlog
    var events: [SensorEvent] = []
    let written = try backlog.write(before: ending.instant) { events += $0 }
    #expect(
      events == [
        event(Self.value, 2), event(.lost(values: 1, reason: "notWritten"), 3), event(.ended(.request), 5),
      ])
    #expect(written.loss == JournalLoss(values: 1, microseconds: 2_000_000))
    recording.ended(with: written.loss)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 1)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostMicroseconds == 2_000_000)
    _ = recording.handle(Self.value, 6, session: 2)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 0)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostMicroseconds == 0)
  }

  @Test("the loss of a session that ended with an event is not the one's that began with it")
  mutating func lossOfRolled() throws {
    recording = Invented.recording(limits: SessionLimits(lengthMicroseconds: 10_000_000))
    _ = recording.handle(Self.value, 1)
    let refused = try #require(recording.handle(Self.value, 2).entry)
    recording.journalRefused(refused, .notWritten, room: 0)
    let ending = try #require(recording.handle(Self.value, 11, session: 2).ending)
    #expect(ending.backlog.lostValues == 1)
    recording.ended(with: ending.backlog.loss(upTo: nil))
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 0)
    #expect(recording.machine.counts.lostValues == 0)
  }

  @Test("each kind of junk is named once in a session, and again in the next")
  mutating func defects() {
    _ = recording.handle(Self.value, 1)
    #expect(recording.handle(.measurement([]), 2).defects == [.empty])
    #expect(recording.handle(.measurement([]), 3).defects == [])
    #expect(recording.handle(.measurement([0x10, 60, 0, 4, 7]), 4).defects == [.trailingBytes])
    #expect(recording.handle(.measurement([]), 5).defects == [])
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).junk == 4)
    _ = recording.end(.request, at: Invented.at(6))
    _ = recording.handle(Self.value, 7, session: 2)
    #expect(recording.handle(.measurement([]), 8).defects == [.empty])
  }

  @Test("beats are judged when they have waited for the interval, and each judgement shows the beats until then")
  mutating func judged() {
    _ = recording.handle(Self.value, 1)
    _ = recording.handle(Self.value, 2)
    #expect(recording.judgingDue(at: Invented.at(10), every: 10_000_000) == nil)
    #expect(recording.judgingDue(at: Invented.at(11), every: 10_000_000) == Invented.at(1))
    recording.judge(at: Invented.at(11), wallMinusBoot: 0)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).provisional?.beats == 2)
    _ = recording.handle(Self.value, 12)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).provisional?.beats == 2)
    #expect(recording.judgingDue(at: Invented.at(20), every: 10_000_000) == nil)
    #expect(recording.judgingDue(at: Invented.at(21), every: 10_000_000) == Invented.at(11))
    _ = recording.end(.request, at: Invented.at(30))
    #expect(recording.judgingDue(at: Invented.at(60), every: 10_000_000) == nil)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).provisional == nil)
  }

  @Test("its state is the session's while one is open, and else the link's; it is new until it is published")
  mutating func state() {
    #expect(recording.currentState == .absent && !recording.hasNewState)
    recording.connecting(true)
    #expect(recording.currentState == .connecting && recording.hasNewState)
    recording.publishState(at: Invented.at(7))
    #expect(recording.state == .connecting && recording.stateSince == Invented.at(7) && !recording.hasNewState)
    recording.connecting(false)
    _ = recording.linkUp(over: Invented.hci0)
    _ = recording.handle(.connected, 1)
    #expect(recording.currentState == .linked)
    _ = recording.handle(Self.value, 1)
    #expect(recording.currentState == .measuring)
    _ = recording.timeReached(Invented.at(12))
    #expect(recording.currentState == .silent)
    _ = recording.handle(.measurement([0x04, 60]), 13)
    #expect(recording.currentState == .contactLost)
    _ = recording.linkDown(over: Invented.hci0, reason: nil)
    _ = recording.handle(.disconnected(reason: nil), 14)
    #expect(recording.currentState == .linkLost)
    recording.connecting(true)
    #expect(recording.currentState == .connecting)
  }
}
