import Testing

@testable import LiveHub

@Suite("What is shown")
struct PulseWatchTests {
  private static let strap = "C0:FF:EE:00:00:01"
  private static let other = "C0:FF:EE:00:00:02"

  private func measurement(
    _ rate: UInt16? = 60, of sensor: String = strap, rr: [UInt16] = [1024], isOnSkin: Bool? = true, missed: UInt64 = 0
  ) -> RecorderEvent {
    .measurement(
      of: sensor, microseconds: 1_000_000, beatsPerMinute: rate, rrTicks: rr, isOnSkin: isOnSkin, missed: missed)
  }

  private func reading(_ rate: UInt16 = 60, of sensor: String = strap, rr: [UInt16] = [1024], gap: Bool) -> Pulse {
    .value(
      Reading(sensor: sensor, microseconds: 1_000_000, beatsPerMinute: rate, rrTicks: rr, precededByGap: gap))
  }

  /// One that shows a value since 0 s; the next beat is due at 1 s.
  private func measuring(showing sensor: String? = nil) -> PulseWatch {
    var watch = PulseWatch(showing: sensor)
    _ = watch.subscribed()
    _ = watch.handle(measurement(), at: .zero)
    return watch
  }

  @Test("before a recorder answers there is none, and whatever comes changes nothing")
  func beginning() {
    var watch = PulseWatch()
    #expect(watch.pulse == .none(.noRecorder))
    #expect(watch.handle(measurement(), at: .zero) == nil)
    #expect(watch.changed(Self.strap, to: .offSkin) == nil)
    #expect(watch.passed(to: .seconds(100)) == nil)
    #expect(watch.pulse == .none(.noRecorder))
    #expect(watch.deadline == nil)
  }

  @Test("a recorder without a sensor has no link")
  func noSensor() {
    var watch = PulseWatch()
    #expect(watch.subscribed() == .none(.linkLost))
  }

  @Test("every value is news, also one that equals the last, and only the first follows a gap")
  func values() {
    var watch = PulseWatch()
    _ = watch.subscribed()
    #expect(watch.handle(measurement(), at: .zero) == reading(gap: true))
    #expect(watch.handle(measurement(), at: .seconds(1)) == reading(gap: false))
    #expect(watch.handle(measurement(), at: .seconds(2)) == reading(gap: false))
    #expect(watch.handle(measurement(missed: 1), at: .seconds(3)) == reading(gap: true))
  }

  @Test(
    "a value holds until 2.9 s after the beat that was due, by its last interval or else by its rate",
    arguments: [
      (60, [1024], 3900), (60, [2048, 512], 3400), (60, [512, 2048], 4900), (120, [], 3400), (40, [], 4400),
      (60, [65_535], 66_899),
    ] as [(UInt16, [UInt16], Int)])
  func overdue(rate: UInt16, rr: [UInt16], milliseconds: Int) {
    var watch = PulseWatch()
    _ = watch.subscribed()
    _ = watch.handle(measurement(rate, rr: rr), at: .seconds(10))
    let end = Duration.seconds(10) + .milliseconds(milliseconds)
    #expect(watch.passed(to: end - .milliseconds(1)) == nil)
    #expect(watch.passed(to: end + .milliseconds(1)) == Pulse.none(.silent))
    #expect(watch.passed(to: end + .seconds(9)) == nil)
    #expect(watch.deadline == nil)
  }

  @Test("the deadline is that moment, and moves on with every value")
  func deadline() {
    var watch = measuring()
    #expect(watch.deadline == .milliseconds(3900))
    _ = watch.handle(measurement(), at: .seconds(1))
    #expect(watch.deadline == .milliseconds(4900))
    #expect(watch.passed(to: .milliseconds(3900)) == nil)
    #expect(watch.pulse == reading(gap: false))
  }

  /// What can end a value, and what is shown then.
  private enum Cause: CaseIterable {
    case overdue, silent, offSkin, offSkinValue, noRate, rateZero, linkLost, recorderGone

    var absence: Absence {
      switch self {
      case .overdue, .silent, .noRate, .rateZero: .silent
      case .offSkin, .offSkinValue: .offSkin
      case .linkLost: .linkLost
      case .recorderGone: .noRecorder
      }
    }
  }

  private func befall(_ cause: Cause, _ watch: inout PulseWatch) -> Pulse? {
    switch cause {
    case .overdue: watch.passed(to: .seconds(4))
    case .silent: watch.changed(Self.strap, to: .silent)
    case .offSkin: watch.changed(Self.strap, to: .offSkin)
    case .offSkinValue: watch.handle(measurement(isOnSkin: false), at: .seconds(1))
    case .noRate: watch.handle(measurement(nil, rr: []), at: .seconds(1))
    case .rateZero: watch.handle(measurement(0), at: .seconds(1))
    case .linkLost: watch.changed(Self.strap, to: .linkLost)
    case .recorderGone: watch.lostRecorder()
    }
  }

  @Test("each cause ends a value at once with its own state, once, and the next value comes back after a gap")
  func causes() {
    for cause in Cause.allCases {
      var watch = measuring()
      #expect(befall(cause, &watch) == Pulse.none(cause.absence), "\(cause)")
      #expect(befall(cause, &watch) == nil, "\(cause) twice")
      #expect(watch.deadline == nil, "\(cause)")
      if cause == .recorderGone { #expect(watch.subscribed() == Pulse.none(.linkLost)) }
      #expect(watch.handle(measurement(70), at: .seconds(20)) == reading(70, gap: true), "\(cause)")
    }
  }

  @Test("after each cause every other one is told, but a value that never was does not become overdue")
  func causesInRow() {
    for first in Cause.allCases {
      for second in Cause.allCases where second.absence != first.absence && first != .recorderGone && second != .overdue
      {
        var watch = measuring()
        _ = befall(first, &watch)
        #expect(befall(second, &watch) == Pulse.none(second.absence), "\(first), then \(second)")
      }
    }
  }

  @Test("that a sensor measures is no value yet, and ends none")
  func measuringWithoutValue() {
    var watch = PulseWatch()
    _ = watch.subscribed()
    #expect(watch.changed(Self.strap, to: .measuring) == Pulse.none(.silent))
    #expect(watch.handle(measurement(), at: .zero) == reading(gap: true))
    #expect(watch.changed(Self.strap, to: .measuring) == nil)
    #expect(watch.pulse == reading(gap: true))
  }

  @Test("of two sensors the first that measures is shown, until it no longer does")
  func twoSensors() {
    var watch = measuring()
    #expect(watch.handle(measurement(90, of: Self.other), at: .milliseconds(500)) == nil)
    #expect(watch.pulse == reading(gap: true))
    #expect(watch.handle(measurement(), at: .seconds(1)) == reading(gap: false))
    #expect(watch.changed(Self.strap, to: .linkLost) == reading(90, of: Self.other, gap: true))
    #expect(watch.handle(measurement(), at: .seconds(2)) == nil)
    // The other one, whose last value came at half a second, is overdue first.
    #expect(watch.passed(to: .milliseconds(4500)) == reading(gap: true))
  }

  @Test(
    "the news are of each sensor whose own pulse changes, whichever is shown, and the first value of each follows a gap"
  )
  func news() {
    var watch = measuring()
    #expect(watch.news == [Self.strap] && watch.pulse(of: Self.strap) == reading(gap: true))
    _ = watch.handle(measurement(90, of: Self.other), at: .milliseconds(500))
    #expect(watch.news == [Self.other] && watch.pulse(of: Self.other) == reading(90, of: Self.other, gap: true))
    _ = watch.handle(measurement(91, of: Self.other), at: .seconds(1))
    #expect(watch.news == [Self.other] && watch.pulse(of: Self.other) == reading(91, of: Self.other, gap: false))
    _ = watch.passed(to: .seconds(2))
    #expect(watch.news.isEmpty)
    _ = watch.passed(to: .seconds(10))
    #expect(Set(watch.news) == [Self.strap, Self.other] && watch.pulse(of: Self.other) == Pulse.none(.silent))
    _ = watch.handle(.changed(sensor: Self.strap, .silent), at: .seconds(11))
    #expect(watch.news.isEmpty, "nothing has changed")
    #expect(watch.addresses == [Self.strap, Self.other])
    var chosen = measuring(showing: Self.other)
    #expect(chosen.news.isEmpty && chosen.addresses.isEmpty)
    _ = chosen.handle(measurement(90, of: Self.other), at: .seconds(1))
    #expect(chosen.news == [Self.other])
  }

  @Test("with a chosen sensor no other is shown")
  func chosen() {
    var watch = PulseWatch(showing: Self.other)
    #expect(watch.subscribed() == Pulse.none(.linkLost))
    #expect(watch.handle(measurement(), at: .zero) == nil)
    #expect(watch.handle(measurement(90, of: Self.other), at: .zero) == reading(90, of: Self.other, gap: true))
    #expect(watch.changed(Self.other, to: .offSkin) == Pulse.none(.offSkin))
    #expect(watch.handle(measurement(), at: .seconds(1)) == nil)
  }

  @Test("of sensors without a value one that is linked says why")
  func reasons() {
    var watch = PulseWatch()
    _ = watch.subscribed()
    #expect(watch.changed(Self.strap, to: .linkLost) == nil)
    #expect(watch.pulse == .none(.linkLost))
    var fresh = PulseWatch()
    _ = fresh.subscribed()
    #expect(fresh.changed(Self.other, to: .offSkin) == Pulse.none(.offSkin))
    #expect(fresh.changed(Self.strap, to: .linkLost) == nil)
  }
}
