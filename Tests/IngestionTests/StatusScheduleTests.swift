import Testing
import Timeline

@testable import Ingestion

@Suite("When a status is published")
struct StatusScheduleTests {
  private var schedule = StatusSchedule()

  private func status(
    _ state: RecorderState = .recording, _ sensorState: SensorStatus.State = .measuring, beats: Int = 0,
    problem: String? = nil
  ) -> RecorderStatus {
    var sensor = SensorStatus(address: Invented.strap, name: nil, state: sensorState, since: 0)
    sensor.beats = beats
    return RecorderStatus(state: state, problem: problem, sensors: [sensor])
  }

  @Test("new values wait for the second to be over, and the timer knows when that is")
  mutating func values() {
    #expect(schedule.decide(status(), at: Invented.at(10)) == .publish)
    #expect(schedule.nextAt == Invented.at(11))
    #expect(schedule.decide(status(), at: Invented.at(10.2)) == .unchanged)
    #expect(schedule.decide(status(beats: 1), at: Invented.at(10.9)) == .wait)
    #expect(!schedule.isDue(at: Invented.at(10.9)) && schedule.isDue(at: Invented.at(11)))
    #expect(schedule.decide(status(beats: 1), at: Invented.at(11)) == .publish)
    #expect(schedule.decide(status(beats: 1), at: Invented.at(20)) == .unchanged)
  }

  @Test("a change of state is published at once: the recorder's, a sensor's, a problem, a session")
  mutating func states() {
    #expect(schedule.decide(status(), at: Invented.at(10)) == .publish)
    #expect(schedule.decide(status(.stopping), at: Invented.at(10.1)) == .publish)
    #expect(schedule.decide(status(.stopping, .silent), at: Invented.at(10.2)) == .publish)
    #expect(schedule.decide(status(.stopping, .silent, problem: "x"), at: Invented.at(10.3)) == .publish)
    var next = status(.stopping, .silent, problem: "x")
    next.sensors[0].session = "s"
    #expect(schedule.decide(next, at: Invented.at(10.4)) == .publish)
    next.sensors[0].problem = "y"
    #expect(schedule.decide(next, at: Invented.at(10.5)) == .publish)
    next.sensors = []
    #expect(schedule.decide(next, at: Invented.at(10.6)) == .publish)
  }

  @Test("whoever joins gets the present status, also where nothing has changed")
  mutating func joined() {
    #expect(schedule.decide(status(), at: Invented.at(10)) == .publish)
    schedule.forget()
    #expect(schedule.decide(status(), at: Invented.at(10.1)) == .publish)
  }

  @Test("a bus that stays away is tried after growing waits, which begin anew once it was there")
  func bus() {
    var retries = BusRetries()
    #expect(
      (0..<5).map { _ in retries.next() } == [
        .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(2),
      ])
    retries.succeeded()
    #expect(retries.next() == .milliseconds(200))
  }
}
