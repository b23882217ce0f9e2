import GATTHeartRate
import HealthModel
import Testing
import Timeline

@Suite("SessionMachine")
struct SessionMachineTests {
  /// Feeds the events and returns what they did, `none` left out.
  private func feed(_ events: [SensorEvent], to machine: inout SessionMachine) -> [SessionTransition] {
    events.map { machine.handle($0) }.filter { $0 != .none }
  }

  private func started(_ script: Script = Script()) -> SessionMachine {
    var machine = SessionMachine()
    var script = script
    script.notify([900], at: 10)
    _ = feed(script.events, to: &machine)
    return machine
  }

  @Test("is idle until the first measurement, which begins the session")
  func beginsWithTheFirstMeasurement() {
    var machine = SessionMachine()
    var script = Script()
    script.add(.battery(percent: 80), at: 5)
    #expect(feed(script.events, to: &machine).isEmpty)
    #expect(machine.phase == .idle)
    #expect(machine.deadline == nil)
    script = Script()
    script.notify([900], at: 10)
    let transitions = feed(script.events, to: &machine)
    #expect(transitions == [SessionTransition(beginning: .init(instant: .seconds(10), isLinked: false))])
    #expect(machine.phase == .measuring)
    #expect(machine.counts.notifications == 1)
    #expect(machine.beatsPerMinute == 70)
  }

  @Test("opens a session with what it knows: boot, clock, link, information, location and battery")
  func preambleSaysWhatIsKnown() {
    var script = Script()
    script.add(.battery(percent: 80), at: 1)
    script.add(.information(.modelNumber, "Strap 1"), at: 2)
    script.add(.location(1), at: 3)
    let machine = started(script)
    #expect(
      machine.preamble.map(\.kind) == [
        .boot(Script.boot), .clock(wallMinusBootMicroseconds: Script.offset), .connected,
        .information(.modelNumber, "Strap 1"), .location(1), .battery(percent: 80),
      ])
    #expect(machine.preamble.allSatisfy { $0.instant == .seconds(10) })
  }

  @Test("says of a rate only once that it is new, also where the next event has its instant")
  func newRate() {
    var machine = started()
    #expect(machine.bringsRate && machine.rateInstant == .seconds(10))
    for kind: SensorEvent.Kind in [.battery(percent: 80), .measurement([]), .measurement([0, 0])] {
      _ = machine.handle(SensorEvent(kind, at: .seconds(10)))
      #expect(!machine.bringsRate && machine.beatsPerMinute == 70)
    }
    _ = machine.handle(SensorEvent(.measurement([0, 71]), at: .seconds(10)))
    #expect(machine.bringsRate && machine.beatsPerMinute == 71)
    _ = machine.end(.request, at: .seconds(10))
    #expect(!machine.bringsRate)
  }

  @Test("begins on request, silent while the link is up and away while it is not")
  func beginsOnRequest() {
    var machine = SessionMachine()
    #expect(machine.begin(at: .seconds(3)).beginning == .init(instant: .seconds(3), isLinked: false))
    #expect(machine.phase == .linkLost)
    #expect(machine.begin(at: .seconds(4)) == .none)
    machine = SessionMachine()
    _ = feed(Script().events, to: &machine)
    _ = machine.begin(at: .seconds(3))
    #expect(machine.phase == .silent)
  }

  @Test("is silent after ten seconds without a measurement, and ends off the skin after five minutes")
  func silenceEnds() {
    var machine = started()
    #expect(machine.deadline == .seconds(20))
    #expect(machine.timeReached(.seconds(19)) == .none)
    #expect(machine.phase == .measuring)
    #expect(machine.timeReached(.seconds(20)) == .none)
    #expect(machine.phase == .silent)
    #expect(machine.phaseSince == .seconds(10))
    #expect(machine.deadline == .seconds(310))
    #expect(machine.timeReached(.seconds(309)) == .none)
    #expect(machine.timeReached(.seconds(310)).end == .init(reason: .offSkin, instant: .seconds(310)))
    #expect(machine.phase == .idle)
    #expect(machine.deadline == nil)
  }

  @Test("ends as away when the link has been down for five minutes, at that moment even if the timer came later")
  func awayEnds() {
    var machine = started()
    #expect(machine.handle(SensorEvent(.disconnected(reason: "timeout"), at: .seconds(12))) == .none)
    #expect(machine.phase == .linkLost)
    #expect(machine.lastDisconnectReason == "timeout")
    #expect(machine.deadline == .seconds(312))
    // The machine slept: the next thing it hears is the sensor, ten minutes later.
    var script = Script()
    script.notify([900], at: 700)
    let transition = machine.handle(script.events[3])
    #expect(transition.end == .init(reason: .away, instant: .seconds(312)))
    #expect(transition.beginning == .init(instant: .seconds(700), isLinked: false))
    #expect(machine.counts.notifications == 1)
  }

  @Test("goes on when the sensor is back within the limit")
  func shortAbsenceIsNoEnd() {
    var machine = started()
    var script = Script()
    script.events = []
    script.add(.disconnected(reason: nil), at: 20)
    script.add(.connected, at: 200)
    script.notify([900], at: 201)
    #expect(feed(script.events, to: &machine).isEmpty)
    #expect(machine.phase == .measuring)
    #expect(machine.counts.linkLosses == 1)
    #expect(machine.counts.runs == 2)
    #expect(machine.beats.first?.precededByGap == true)
  }

  @Test("a link that comes and goes without a measurement does not put off the end")
  func flappingLinkIsStillAway() {
    var machine = started()
    var ended: [SessionTransition.End] = []
    for step in 0..<30 {
      let time = 20 + Double(step) * 20
      for event in [
        SensorEvent(.disconnected(reason: nil), at: .seconds(time)), SensorEvent(.connected, at: .seconds(time + 10)),
      ] {
        if let end = machine.handle(event).end { ended.append(end) }
      }
    }
    #expect(ended.count == 1)
    #expect(ended.first?.reason == .away)
    #expect(ended.first.map { $0.instant <= .seconds(345) } == true)
  }

  @Test("off the skin is when contact is lost and no intervals come; it ends after five minutes")
  func contactLossEnds() {
    var machine = started()
    var script = Script()
    script.events = []
    script.notify([900], at: 11, contact: .notDetected)
    _ = feed(script.events, to: &machine)
    #expect(machine.phase == .measuring)
    script.events = []
    for second in 12..<400 { script.notify(at: Double(second), contact: .notDetected) }
    let transitions = feed(script.events, to: &machine)
    #expect(transitions == [SessionTransition(end: .init(reason: .offSkin, instant: .seconds(312)))])
    // It lies on the table: no new session until it is worn.
    #expect(machine.phase == .idle)
    script.events = []
    script.notify(at: 500, contact: .detected)
    #expect(feed(script.events, to: &machine).first?.beginning?.instant == .seconds(500))
  }

  @Test("a rate of 0 from a sensor without contact detection is off the skin too, and no rate")
  func zeroRateIsOffSkin() {
    var machine = started()
    var script = Script()
    script.events = []
    script.notify(at: 11, rate: 0)
    _ = feed(script.events, to: &machine)
    #expect(machine.phase == .contactLost)
    #expect(machine.beatsPerMinute == 70)
    #expect(machine.rateInstant == .seconds(10))
  }

  @Test("rolls over with the first measurement after 24 hours: one ends, a linked one begins")
  func rollsOver() {
    var machine = started()
    var script = Script()
    script.events = []
    var transitions: [SessionTransition] = []
    for minute in 1...1450 {
      // Every five seconds would be too many here; a measurement each minute is a silent sensor that comes back.
      script.notify([900], at: 10 + Double(minute) * 60)
    }
    transitions = feed(script.events, to: &machine)
    let at = BootInstant.seconds(10 + 86_400)
    #expect(
      transitions == [
        SessionTransition(end: .init(reason: .rolled, instant: at), beginning: .init(instant: at, isLinked: true))
      ])
    #expect(machine.counts.notifications == 11)
    #expect(machine.preamble.map(\.kind).contains(.connected))
  }

  @Test("rolls over with the first measurement after so many events, those that it opened with included")
  func rollsOverFlood() {
    var machine = SessionMachine(limits: SessionLimits(eventCount: 100))
    var script = Script()
    for second in 1...150 {
      script.notify([900], at: Double(second))
      if second % 10 == 0 { script.add(.battery(percent: 80), at: Double(second)) }
    }
    let transitions = feed(script.events, to: &machine)
    // Boot, clock and link, 89 measurements and 8 times the battery are a hundred events.
    let at = BootInstant.seconds(90)
    #expect(
      transitions == [
        SessionTransition(beginning: .init(instant: .seconds(1), isLinked: false)),
        SessionTransition(end: .init(reason: .rolled, instant: at), beginning: .init(instant: at, isLinked: true)),
      ])
    #expect(machine.counts.notifications == 61)
  }

  @Test("a strap that sends five values a second does not reach the limit of events in a day")
  func limitIsFarAway() {
    #expect(SessionLimits.standard.eventCount > 5 * 86_400)
  }

  @Test("ends on request and at shutdown, and only once")
  func endsWhenTold() {
    var machine = started()
    #expect(machine.end(.request, at: .seconds(30)).end == .init(reason: .request, instant: .seconds(30)))
    #expect(machine.end(.shutdown, at: .seconds(31)) == .none)
    #expect(machine.timeReached(.seconds(10_000)) == .none)
  }

  @Test("junk is counted by kind, begins no session and ends none")
  func junkIsCounted() {
    var machine = SessionMachine()
    #expect(machine.handle(SensorEvent(.measurement([]), at: .seconds(1))) == .none)
    machine = started()
    let junk: [[UInt8]] = [
      [], [0x10], [0x01, 0x40], [0x08, 0x40, 1], [0xE0, 70], [0x00, 70, 1, 2, 3], [0x10, 70, 9],
    ]
    for bytes in junk { #expect(machine.handle(SensorEvent(.measurement(bytes), at: .seconds(11))) == .none) }
    #expect(machine.counts.notifications == 8)
    #expect(machine.counts.defects[.empty] == 1)
    #expect(machine.counts.defects[.truncatedRate] == 2)
    #expect(machine.counts.defects[.truncatedEnergy] == 1)
    #expect(machine.counts.defects[.reservedFlags] == 1)
    #expect(machine.counts.defects[.trailingBytes] == 2)
    #expect(machine.phase == .measuring)
  }

  @Test("recovers from the journalled events of the open session, and goes on when the sensor is back in time")
  func recovers() {
    var script = Script()
    script.beat(restingIntervals(100, seed: 1), from: 10)
    var live = SessionMachine()
    _ = feed(script.events, to: &live)
    // The journal holds the session from its preamble on.
    let first = script.events[3]
    let journal = [SensorEvent(.boot(Script.boot), at: first.instant)] + live.preamble.dropFirst() + script.events[3...]
    var machine = SessionMachine()
    _ = machine.begin(at: first.instant)
    #expect(feed(journal, to: &machine).isEmpty)
    #expect(machine.counts.notifications == live.counts.notifications)
    #expect(machine.counts.beats == 100)
    let last = script.events[script.events.count - 1].instant
    // A new start of the recorder within the same boot.
    let now = last.advanced(byMicroseconds: 60_000_000)
    #expect(machine.handle(SensorEvent(.boot(Script.boot), at: now)) == .none)
    #expect(machine.handle(SensorEvent(.clock(wallMinusBootMicroseconds: Script.offset), at: now)) == .none)
    #expect(machine.phase == .linkLost)
    #expect(machine.deadline == last.advanced(byMicroseconds: 300_000_000))
    _ = machine.handle(SensorEvent(.connected, at: now))
    var more = Script()
    more.notify([900], at: Double(now.microseconds) / 1e6 + 1)
    #expect(machine.handle(more.events[3]) == .none)
    #expect(machine.phase == .measuring)
    #expect(machine.counts.beats == 101)
    #expect(machine.beats.first?.flags.contains(.firstOfRun) == true)
  }

  @Test("another boot starts the away clock by wall time", arguments: [(250.0, false), (301.0, true)])
  func rebootCountsByTheWallClock(away: Double, isTooLate: Bool) {
    var machine = started()
    let next = BootIdentifier(high: 9, low: 9)
    // Up for 5 s when the recorder starts; the last event was at 10 s of the boot before.
    let offset = Script.offset + Int64((10 + away - 5) * 1e6)
    #expect(machine.handle(SensorEvent(.boot(next), at: .seconds(5))) == .none)
    let transition = machine.handle(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: .seconds(5)))
    if isTooLate {
      #expect(transition.end == .init(reason: .recovered, instant: .seconds(5)))
    } else {
      #expect(transition == .none)
      #expect(machine.phase == .linkLost)
      #expect(machine.deadline == .seconds(5 + 300 - away))
    }
  }

  @Test("a machine that wakes up in 1970 does not end its session for it")
  func wrongClockAfterRebootEndsNothing() {
    var machine = started()
    _ = machine.handle(SensorEvent(.boot(BootIdentifier(high: 9, low: 9)), at: .seconds(5)))
    #expect(machine.handle(SensorEvent(.clock(wallMinusBootMicroseconds: 0), at: .seconds(5))) == .none)
    #expect(machine.deadline == .seconds(305))
  }

  @Test("values that the recorder lost are counted, and break the run")
  func lostValuesBreakTheRun() {
    var machine = started()
    #expect(machine.handle(SensorEvent(.lost(values: 7, reason: "disk full"), at: .seconds(11))) == .none)
    #expect(machine.counts.lostValues == 7)
    var script = Script()
    script.notify([900], at: 12)
    _ = machine.handle(script.events[3])
    #expect(machine.beats.first?.precededByGap == true)
  }
}
