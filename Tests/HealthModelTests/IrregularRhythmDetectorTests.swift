import Foundation
import TestSupport
import Testing

@testable import HealthModel

@Suite("The detector of irregular rhythms")
struct IrregularRhythmDetectorTests {
  private static let origin = Timestamp(microseconds: 1_795_000_000_000_000)

  /// A heart of 75 a minute that is irregular in these seconds, with no beats in those.
  private func events(_ seconds: Double, irregular: [Range<Double>], without: [Range<Double>] = []) -> [HeartEvent] {
    var random = SeededGenerator(seed: 7)
    var detector = IrregularRhythmDetector(origin: Self.origin)
    var events: [HeartEvent] = []
    var time = 0.0
    while time < seconds {
      let isIrregular = irregular.contains { $0.contains(time) }
      let interval = isIrregular ? Double.random(in: 0.4...1.2, using: &random) : 0.8 + 0.02 * sin(time)
      time += interval
      guard !without.contains(where: { $0.contains(time) }) else { continue }
      let end = Self.origin.advanced(byMicroseconds: Int64(time * 1_000_000))
      if let event = detector.add(interval, endingAt: end) { events.append(event) }
    }
    return events
  }

  private func seconds(_ event: HeartEvent) -> [Int64] {
    [event.span.start, event.span.end].map { $0.microseconds(since: Self.origin) / 1_000_000 }
  }

  @Test("eleven irregular windows in a row are one event, over their half hour, however long it goes on")
  func one() {
    let found = events(10_000, irregular: [0..<10_000])
    #expect(found.map(seconds) == [[0, 1_800]])
    #expect(found.first?.kind == .irregular && found.first?.threshold == nil)
    #expect(found.first?.rule == IrregularRhythmDetector.rule)
    #expect(found.first?.metadata == [HeartEvent.ruleKey: "irregularRhythm", HeartEvent.ruleVersionKey: 2])
  }

  @Test("after a regular time there may be another; a rhythm that is regular for long is none")
  func two() {
    let found = events(12_000, irregular: [0..<3_000, 6_000..<9_000])
    #expect(found.count == 2)
    #expect(events(40_000, irregular: []).isEmpty)
  }

  @Test(
    "an episode of 25 minutes is not told, one of 32.5 is, wherever it begins",
    arguments: Trials.some(3, of: Array(stride(from: 0, to: 150, by: 10))))
  func lengths(offset: Int) {
    let start = 1_000 + Double(offset)
    #expect(events(6_000, irregular: [start..<start + 1_500]).isEmpty)
    #expect(events(6_000, irregular: [start..<start + 1_950]).count == 1)
  }

  /// A heart whose rate follows its breath, of which three in ten beats are early, from one place of the atria or from anywhere.
  private func eventsOfEarlyBeats(fromOnePlace: Bool) -> [HeartEvent] {
    var random = SeededGenerator(seed: 7)
    var detector = IrregularRhythmDetector(origin: Self.origin)
    var events: [HeartEvent] = []
    var (time, wasEarly) = (0.0, false)
    while time < 3_600 {
      let breath = 0.15 * sin(1.4 * time + 3 * sin(time / 40))
      var interval = 0.7 * (1 + breath) + Double.random(in: -0.02...0.02, using: &random)
      wasEarly = !wasEarly && Double.random(in: 0...1, using: &random) < 0.43
      if wasEarly || !fromOnePlace {
        interval *= Double.random(in: fromOnePlace ? 0.57...0.63 : 0.5...1.3, using: &random)
      }
      time += interval
      let end = Self.origin.advanced(byMicroseconds: Int64(time * 1_000_000))
      if let event = detector.add(interval, endingAt: end) { events.append(event) }
    }
    return events
  }

  @Test("early beats from one place of the atria are none, also beside a deep breath; beats without any order are")
  func earlyBeats() {
    #expect(eventsOfEarlyBeats(fromOnePlace: true).isEmpty)
    #expect(eventsOfEarlyBeats(fromOnePlace: false).count == 1)
  }

  @Test("a window with fewer than a hundred values breaks the row")
  func gaps() {
    // 300 s have about 375 beats: 280 s without any leave 25; 200 s leave 125, and of the first 29 no sample entropy.
    #expect(events(3_600, irregular: [0..<3_600]).count == 1)
    #expect(events(3_000, irregular: [0..<3_000], without: [1_355..<1_500]).count == 1)
    #expect(events(3_000, irregular: [0..<3_000], without: [1_210..<1_490]).isEmpty)
    #expect(events(9_000, irregular: [0..<9_000], without: [1_500..<6_500]).map(seconds) == [[6_450, 8_250]])
  }

  @Test("however many intervals come, and whenever, memory is bounded and nothing is told of what no heart has")
  func absurd() {
    var detector = IrregularRhythmDetector(origin: Self.origin)
    var random = SeededGenerator(seed: 3)
    for index in 0..<50_000 * Trials.factor {
      let interval = Double.random(in: 0.3...1.5, using: &random)
      let time = Self.origin.advanced(byMicroseconds: Int64(index) * 20_000)
      #expect(detector.add(interval, endingAt: time) == nil)
    }
    for interval in [0, -1, .nan, .infinity] {
      #expect(detector.add(interval, endingAt: Timestamp(microseconds: .max)) == nil)
    }
    #expect(detector.add(1, endingAt: Timestamp(microseconds: .max)) == nil)
    #expect(detector.add(1, endingAt: Timestamp(microseconds: .min)) == nil)
  }
}
