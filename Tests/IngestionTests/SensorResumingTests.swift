import FoundationEssentials
import Testing
import Timeline

@testable import Ingestion

@Suite("A session that the journal holds unfinished")
struct SensorResumingTests {
  private static let value = SensorEvent.Kind.measurement([0x10, 60, 0, 4])
  private static let id = Invented.session(1)

  /// Values in these seconds, the boot and the clock before.
  private func log(_ seconds: ClosedRange<Int>, also more: [SensorEvent] = []) -> SensorEventLog {
    let values = seconds.map { SensorEvent(Self.value, at: Invented.at(Double($0))) }
    return SensorEventLog(Invented.present(Double(seconds.lowerBound)) + values + more)
  }

  @Test("it goes on with its counts, and without its link")
  func goesOn() {
    var recording = Invented.recording()
    #expect(recording.resume(Self.id, from: log(1...5), boot: Invented.boot) == true)
    #expect(recording.adopt(Invented.present(7)) == nil)
    #expect(recording.session?.id == Self.id)
    #expect(recording.currentState == .linkLost)
    let status = recording.status(wallMinusBoot: 0, nextTry: nil)
    #expect(status.notifications == 5 && status.beats == 5 && status.sessionStart == Invented.at(1).microseconds)
    let step = recording.handle(Self.value, 8, session: 2)
    #expect(step.entry == .event(SensorEvent(Self.value, at: Invented.at(8)), of: Self.id))
    recording.judge(at: Invented.at(9), wallMinusBoot: 0)
    #expect(recording.status(wallMinusBoot: 0, nextTry: nil).provisional?.beats == 6)
  }

  @Test("it ends where too much time has passed meanwhile")
  func tooLate() {
    var recording = Invented.recording()
    #expect(recording.resume(Self.id, from: log(1...5), boot: Invented.boot) == true)
    #expect(
      recording.adopt(Invented.present(500))
        == SessionEnding(session: Self.id, reason: .recovered, instant: Invented.at(500)))
    #expect(recording.session == nil)
  }

  @Test("one that ended within what the journal has does not go on, and changes nothing")
  func over() {
    var recording = Invented.recording()
    let ended = SensorEvent(.ended(.request), at: Invented.at(6))
    #expect(recording.resume(Self.id, from: log(1...5, also: [ended]), boot: Invented.boot) == false)
    #expect(recording.session == nil && recording.machine.counts.notifications == 0)
  }

  @Test("of two only one goes on")
  func second() {
    var recording = Invented.recording()
    #expect(recording.resume(Self.id, from: log(1...5), boot: Invented.boot) == true)
    #expect(recording.resume(Invented.session(2), from: log(1...9), boot: Invented.boot) == false)
    #expect(recording.session?.id == Self.id)
  }

  @Test("values that it has lost before are counted, and for how long")
  func losses() {
    var recording = Invented.recording()
    let lost = SensorEvent(.lost(values: 3, reason: "notWritten"), at: Invented.at(9))
    #expect(recording.resume(Self.id, from: log(1...5, also: [lost]), boot: Invented.boot) == true)
    let status = recording.status(wallMinusBoot: 0, nextTry: nil)
    #expect(status.lostValues == 3 && status.lostMicroseconds == 4_000_000)
  }
}
