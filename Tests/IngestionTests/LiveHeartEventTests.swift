import HealthModel
import Testing
import Timeline

@testable import Ingestion

@Suite("Heart events of open sessions")
struct LiveHeartEventTests {
  private static let slow = SensorEvent.Kind.measurement([0x06, 35])
  private static let offSkin = SensorEvent.Kind.measurement([0x04, 35])

  @Test("ten minutes of a low rate are told once, when they are over, in wall time")
  func low() throws {
    var recording = Invented.recording()
    var news: [RecorderEvent] = []
    for second in 100...900 {
      let step = recording.handle(Self.slow, Double(second))
      news += recording.news(of: step, wallMinusBoot: Invented.wallMinusBoot).filter {
        if case .heartEvent = $0.kind { true } else { false }
      }
    }
    func wall(_ second: Double) -> Timestamp {
      Timestamp(microseconds: Invented.at(second).microseconds + Invented.wallMinusBoot)
    }
    let span = try #require(TimeSpan(start: wall(100), end: wall(700)))
    let event = HeartEvent(.low, over: span, threshold: 40, rule: HeartRateEventDetector.Side.low.rule)
    #expect(
      news == [
        RecorderEvent(
          .heartEvent(event), of: Invented.strap, session: Invented.session(1), at: wall(700).microseconds)
      ])
  }

  @Test("high rates are told where they are looked for; rates from off the skin, and a new session, begin anew")
  func others() {
    var recording = Invented.recording()
    recording.eventRules = HeartEventRules(low: nil, high: 30)
    #expect((100...700).map { recording.handle(Self.slow, Double($0)).heartEvents.count }.reduce(0, +) == 1)
    var off = Invented.recording()
    let contacts = (100...800).map { off.handle((300...331).contains($0) ? Self.offSkin : Self.slow, Double($0)) }
    #expect(contacts.allSatisfy { $0.heartEvents.isEmpty })
    var ended = Invented.recording()
    for second in 100...500 { _ = ended.handle(Self.slow, Double(second)) }
    _ = ended.end(.request, at: Invented.at(500))
    let next = (501...1_101).map { ended.handle(Self.slow, Double($0), session: 2).heartEvents.count }
    #expect(next.dropLast().allSatisfy { $0 == 0 } && next.last == 1)
  }

  @Test("while a workout is under way nothing is found, and what follows begins anew")
  func exercise() {
    var recording = Invented.recording()
    var found: [Int] = []
    for second in 100...1_400 {
      recording.isExercising = (500...699).contains(second)
      if !recording.handle(Self.slow, Double(second)).heartEvents.isEmpty { found.append(second) }
    }
    #expect(found == [1_300])
  }
}
