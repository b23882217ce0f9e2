import Captures
import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Ingestion

@Suite("Sessions of a sensor on request")
struct SensorRecordingRequestsTests {
  private static let value = SensorEvent.Kind.measurement([0x10, 60, 0, 4])
  private var recording = Invented.recording()

  private static let request = OpenRequest(
    request: SessionRequest(
      identifier: Invented.session(2), uid: 1000, application: "org.example.Game", endsWithClient: true),
    metadata: ["title": .text("Hot dogs")])

  private mutating func begin(_ number: UInt8, _ seconds: Double) -> SensorRecording.Step? {
    recording.begin(Invented.session(number), Self.request, at: Invented.at(seconds))
  }

  @Test("the open session pauses at the request, and the new one begins at that moment, linked, with what is known")
  mutating func pauses() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    let step = begin(2, 3)
    #expect(step?.ending == nil)
    #expect(step?.aside == .event(SensorEvent(.paused, at: Invented.at(3)), of: Invented.session(1)))
    #expect(
      step?.entry
        == .beginning(
          of: Invented.session(2), linkedTo: Invented.session(1), request: Self.request,
          events: Invented.present(3) + [SensorEvent(.connected, at: Invented.at(3))]))
    #expect(recording.request == Self.request && recording.session?.id == Invented.session(2))
  }

  @Test(
    "the values after the request belong to the requested session until its end, and then to the session that it has paused"
  )
  mutating func values() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    _ = begin(2, 2.5)
    #expect(
      recording.handle(Self.value, 3).entry
        == .event(SensorEvent(Self.value, at: Invented.at(3)), of: Invented.session(2)))
    let step = recording.endRequested(.clientGone, at: Invented.at(3.5), next: Invented.session(3))
    #expect(
      step?.ending == SessionEnding(session: Invented.session(2), reason: .clientGone, instant: Invented.at(3.5)))
    #expect(step?.entry == .event(SensorEvent(.continued, at: Invented.at(3.5)), of: Invented.session(1)))
    #expect(recording.request == nil && recording.paused == nil)
    #expect(
      recording.handle(Self.value, 4).entry
        == .event(SensorEvent(Self.value, at: Invented.at(4)), of: Invented.session(1)))
    #expect(recording.machine.counts.notifications == 2 && recording.machine.counts.gaps == 1)
  }

  @Test(
    "the first session of a sensor, if it is requested, is followed by a linked one, also where it ends before its first value"
  )
  mutating func shortest() {
    _ = recording.handle(.connected, 1)
    _ = begin(2, 2.5)
    let step = recording.endRequested(.request, at: Invented.at(2.6), next: Invented.session(3))
    guard case .beginning(Invented.session(3), linkedTo: Invented.session(2), _, _)? = step?.entry else {
      Issue.record("\(String(describing: step))")
      return
    }
  }

  @Test("a workout ends the open session, since it collects what is stored")
  mutating func splits() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    let step = recording.begin(Invented.session(2), Self.request, at: Invented.at(3), pauses: false)
    #expect(step?.ending == SessionEnding(session: Invented.session(1), reason: .request, instant: Invented.at(3)))
    #expect(recording.paused == nil)
  }

  @Test("a paused session learns of the link, and waits however long the other lasts")
  mutating func learns() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    _ = begin(2, 3)
    #expect(recording.handle(Self.value, 4).aside == nil)
    let lost = recording.handle(.disconnected(reason: nil), 5)
    #expect(lost.aside == .event(SensorEvent(.disconnected(reason: nil), at: Invented.at(5)), of: Invented.session(1)))
    _ = recording.handle(.connected, 6)
    for second in stride(from: 7.0, to: 900, by: 1) { _ = recording.handle(Self.value, second) }
    _ = recording.handle(.disconnected(reason: nil), 900)
    let step = recording.endRequested(.request, at: Invented.at(1000), next: Invented.session(3))
    #expect(step?.ending?.session == Invented.session(2))
    #expect(recording.session?.id == Invented.session(1) && recording.currentState == .linkLost)
    // From the end of the other it has the full time.
    #expect(recording.deadline == Invented.at(1300))
  }

  @Test(
    "where the requested session ends by itself, or the recorder stops, the paused one ends with it",
    arguments: [true, false])
  mutating func endTogether(byItself: Bool) {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    _ = begin(2, 3)
    _ = recording.handle(Self.value, 4)
    let ending: SessionEnding?
    if byItself {
      _ = recording.handle(.disconnected(reason: nil), 5)
      ending = recording.timeReached(Invented.at(306))
    } else {
      ending = recording.end(.shutdown, at: Invented.at(305))
    }
    #expect(ending?.session == Invented.session(2))
    #expect(
      recording.endedPaused
        == SessionEnding(
          session: Invented.session(1), reason: byItself ? .away : .shutdown, instant: Invented.at(305)))
    #expect(recording.session == nil && recording.paused == nil)
  }

  /// What the recording gives a journal that works again in this second.
  private mutating func owed(of number: UInt8, _ second: Double) throws -> [SensorEvent] {
    var events: [SensorEvent] = []
    _ = try recording.writeOwed(of: Invented.session(number), before: Invented.at(second)) { events += $0 }
    return events
  }

  @Test(
    "what the journal refuses of the paused session stays with it, is counted, and is written before its next event")
  mutating func refusedOfPaused() throws {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    let lost = try #require(recording.handle(Self.value, 2.5).entry)
    recording.journalRefused(lost, .notWritten, room: 0)
    let step = begin(2, 3)
    let aside = try #require(step?.aside)
    #expect(aside == .events([SensorEvent(.paused, at: Invented.at(3))], of: Invented.session(1)))
    let beginning = try #require(step?.entry)
    for entry in [aside, beginning] { recording.journalRefused(entry, .notWritten, room: 1000) }
    let value = try #require(recording.handle(Self.value, 4).entry)
    recording.journalRefused(value, .notWritten, room: 1000)
    var recordings = SensorRecordings()
    _ = recordings.insert(recording)
    #expect(recordings.unwritten.values == 1 && recordings.unwritten.lost == 1)
    #expect(recording.owing == [Invented.session(1), Invented.session(2)])
    let begun = Invented.present(3) + [SensorEvent(.connected, at: Invented.at(3))]
    #expect(try owed(of: 2, 5) == begun + [SensorEvent(Self.value, at: Invented.at(4))])
    let battery = SensorEvent(.battery(percent: 50), at: Invented.at(5))
    let told = recording.handle(battery.kind, 5)
    #expect(told.entry == .event(battery, of: Invented.session(2)))
    #expect(told.aside == .events([battery], of: Invented.session(1)))
    #expect(
      try owed(of: 1, 5) == [
        SensorEvent(.lost(values: 1, reason: "notWritten"), at: Invented.at(2.5)),
        SensorEvent(.paused, at: Invented.at(3)),
      ])
    #expect(recording.owing.isEmpty)
    // The loss is not that of the program's session.
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 0)
    _ = recording.endRequested(.request, at: Invented.at(6), next: Invented.session(3))
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).lostValues == 1)
    #expect(recording.machine.counts.lostValues == 1)
  }

  @Test("a paused session that ends with the other has what the journal has refused of it")
  mutating func refusedUpToTheEnd() throws {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    let step = begin(2, 3)
    let aside = try #require(step?.aside)
    recording.journalRefused(aside, .notWritten, room: 1000)
    _ = recording.end(.shutdown, at: Invented.at(4))
    var backlog = try #require(recording.endedPaused).backlog
    var events: [SensorEvent] = []
    _ = try backlog.write(before: nil) { events += $0 }
    #expect(events.map(\.kind) == [.paused, .ended(.shutdown)])
  }

  @Test("there is one requested session at a time")
  mutating func busy() {
    #expect(begin(1, 1) != nil)
    #expect(begin(2, 2) == nil)
    #expect(recording.session?.id == Invented.session(1))
  }

  @Test("a session may be asked for before the sensor is there; it ends as any session does that has lost its sensor")
  mutating func absent() {
    let step = begin(1, 1)
    #expect(step?.ending == nil)
    guard case .beginning(_, linkedTo: nil, _, _)? = step?.entry else {
      Issue.record("\(String(describing: step))")
      return
    }
    #expect(recording.deadline == Invented.at(301))
    #expect(recording.timeReached(Invented.at(302))?.reason == .away)
    #expect(recording.endRequested(.request, at: Invented.at(303), next: Invented.session(2)) == nil)
  }

  @Test(
    "where the sensor is not measuring at the end and no session was paused, the next one begins with its next value")
  mutating func endWithoutSensor() {
    _ = recording.handle(.connected, 1)
    _ = begin(2, 3)
    _ = recording.handle(Self.value, 4)
    _ = recording.handle(.disconnected(reason: nil), 5)
    let step = recording.endRequested(.request, at: Invented.at(6), next: Invented.session(3))
    #expect(step?.ending?.session == Invented.session(2))
    #expect(step?.entry == nil)
    #expect(recording.session == nil)
  }

  @Test("a session that began by itself is not ended as a requested one")
  mutating func unrequested() {
    _ = recording.handle(Self.value, 1)
    #expect(recording.endRequested(.request, at: Invented.at(2), next: Invented.session(2)) == nil)
    #expect(recording.session?.id == Invented.session(1))
  }

  @Test("after the greatest length a session goes on in one that is asked for, too, with all that was said of it")
  mutating func rolled() {
    recording = Invented.recording(limits: SessionLimits(lengthMicroseconds: 10_000_000))
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    _ = begin(2, 3)
    recording.request?.metadata["level"] = .integer(4)
    let step = recording.handle(Self.value, 14, session: 3)
    #expect(step.ending?.session == Invented.session(2) && step.ending?.reason == .rolled)
    guard case .beginning(Invented.session(3), linkedTo: Invented.session(2), let request?, _)? = step.entry else {
      Issue.record("\(step)")
      return
    }
    #expect(request.request == Self.request.request)
    #expect(request.metadata == ["title": .text("Hot dogs"), "level": .integer(4)])
    #expect(recording.request == request)
    #expect(recording.endRequested(.request, at: Invented.at(15), next: Invented.session(4))?.ending != nil)
    #expect(recording.session?.id == Invented.session(1))
  }

  @Test("a request never goes back behind the last event")
  mutating func order() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 5)
    #expect(begin(2, 4)?.aside == .event(SensorEvent(.paused, at: Invented.at(5)), of: Invented.session(1)))
    _ = recording.handle(Self.value, 7)
    let step = recording.endRequested(.request, at: Invented.at(6), next: Invented.session(3))
    #expect(step?.ending?.instant == Invented.at(7))
  }
}
