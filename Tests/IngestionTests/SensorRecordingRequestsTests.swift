import Captures
import FoundationEssentials
import HeartRateRecording
import Sensors
import Testing

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

  @Test("the open session ends at the request, and the new one begins at that moment, linked, with what is known")
  mutating func splits() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    let step = begin(2, 3)
    #expect(step?.ending == SessionEnding(session: Invented.session(1), reason: .request, instant: Invented.at(3)))
    #expect(
      step?.entry
        == .beginning(
          of: Invented.session(2), linkedTo: Invented.session(1), request: Self.request,
          events: Invented.present(3) + [SensorEvent(.connected, at: Invented.at(3))]))
    #expect(recording.request == Self.request && recording.session?.id == Invented.session(2))
  }

  @Test("the values after the request belong to the requested session, until its end, and then to the next")
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
    guard case .beginning(Invented.session(3), linkedTo: Invented.session(2), request: nil, _)? = step?.entry else {
      Issue.record("\(String(describing: step))")
      return
    }
    #expect(recording.request == nil)
    #expect(
      recording.handle(Self.value, 4).entry
        == .event(SensorEvent(Self.value, at: Invented.at(4)), of: Invented.session(3)))
  }

  @Test("a session that ends before its first value is followed by a linked one, too")
  mutating func shortest() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
    _ = begin(2, 2.5)
    let step = recording.endRequested(.request, at: Invented.at(2.6), next: Invented.session(3))
    guard case .beginning(Invented.session(3), linkedTo: Invented.session(2), _, _)? = step?.entry else {
      Issue.record("\(String(describing: step))")
      return
    }
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

  @Test("where the sensor is not measuring at the end, the next session begins with its next value")
  mutating func endWithoutSensor() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 2)
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
  }

  @Test("a request never goes back behind the last event")
  mutating func order() {
    _ = recording.handle(.connected, 1)
    _ = recording.handle(Self.value, 5)
    #expect(begin(2, 4)?.ending?.instant == Invented.at(5))
    _ = recording.handle(Self.value, 7)
    let step = recording.endRequested(.request, at: Invented.at(6), next: Invented.session(3))
    #expect(step?.ending?.instant == Invented.at(7))
  }
}
