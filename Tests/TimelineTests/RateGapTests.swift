import GATTHeartRate
import HealthModel
import Testing
import Timeline

/// Sensors that send rates without intervals: armbands, watches, game controllers.
@Suite("Gaps of rates")
struct RateGapTests {
  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    SessionTimelineTests.check(timeline)
    return timeline
  }

  /// A gap without what the script decides, times in seconds of the boot clock.
  private func gaps(_ timeline: SessionTimeline) -> [String] {
    timeline.gaps.map { gap in
      let start = Double(gap.startMicroseconds - Script.offset) / 1e6
      let end = Double(gap.endMicroseconds - Script.offset) / 1e6
      return "\(gap.reason) \(gap.detail ?? "-") \(start)-\(end) \(Int(gap.estimatedLostBeats ?? -1))"
    }
  }

  /// A rate each second.
  private func notify(
    _ seconds: ClosedRange<Int>, contact: HeartRateMeasurement.Contact = .notSupported, rate: UInt16 = 60,
    _ script: inout Script
  ) {
    for second in seconds { script.notify(at: Double(second), rate: rate, contact: contact) }
  }

  @Test("values off the skin are counted if the sensor reports contact, and unknown if it does not")
  func offSkinRates() {
    var told = Script()
    notify(10...40, contact: .detected, &told)
    notify(41...47, contact: .notDetected, &told)
    #expect(timeline(told).quality.offSkinRates == 7)
    var untold = Script()
    notify(10...47, &untold)
    #expect(timeline(untold).quality.offSkinRates == nil)
  }

  @Test("a link lost for a minute is a gap with reason and instants, whether the reason came at once or late")
  func link() {
    for isLate in [false, true] {
      var script = Script()
      notify(10...40, &script)
      script.add(.disconnected(reason: isLate ? nil : "timeout"), at: 42)
      if isLate { script.add(.disconnected(reason: "timeout"), at: 42.5) }
      script.add(.connected, at: 99)
      notify(100...130, rate: 80, &script)
      #expect(gaps(timeline(script)) == ["link timeout 40.0-100.0 70"])
    }
  }

  @Test("off the skin for twenty seconds is a gap, by the contact bits or by rates of 0; for five seconds it is none")
  func contact() {
    for seconds in [5, 20] {
      for hasBits in [false, true] {
        for rate in hasBits ? [0, 60] : [0] as [UInt16] {
          var script = Script()
          let on: HeartRateMeasurement.Contact = hasBits ? .detected : .notSupported
          notify(10...40, contact: on, &script)
          notify(41...40 + seconds, contact: hasBits ? .notDetected : .notSupported, rate: rate, &script)
          notify(41 + seconds...100, contact: on, &script)
          let timeline = timeline(script)
          #expect(gaps(timeline) == (seconds == 20 ? ["contact - 40.0-61.0 21"] : []))
          let uncovered = Double(seconds) / 90
          #expect(abs((timeline.coverage?.floor ?? 0) - (1 - uncovered)) < 1e-9)
        }
      }
    }
  }

  @Test("a recorder that was away, or lost values, and another boot are gaps, however short")
  func knownLosses() {
    var script = Script()
    notify(10...20, &script)
    script.add(.boot(Script.boot), at: 20.5)
    script.add(.connected, at: 20.6)
    notify(21...30, &script)
    script.add(.lost(values: 1, reason: "disk full"), at: 31.5)
    notify(32...40, &script)
    let next = BootIdentifier(high: 7, low: 7)
    script.add(.boot(next), at: 3)
    script.add(.clock(wallMinusBootMicroseconds: Script.offset + 60_000_000), at: 3)
    script.add(.connected, at: 4)
    notify(5...9, &script)
    #expect(
      gaps(timeline(script)) == ["recorder - 20.0-21.0 1", "recorder disk full 30.0-32.0 2", "boot - 40.0-65.0 25"])
  }

  @Test("silence on a link that is up is a gap beyond ten seconds")
  func silence() {
    var script = Script()
    notify(10...20, &script)
    notify(30...40, &script)
    notify(51...60, &script)
    let timeline = timeline(script)
    #expect(gaps(timeline) == ["silence - 40.0-51.0 11"])
    #expect(timeline.coverage == Coverage(floor: 49.0 / 50, ceiling: 49.0 / 50))
  }

  @Test("two losses in one silence are one gap, of the first reason; the next silence has its own")
  func severalLosses() {
    var script = Script()
    notify(10...20, &script)
    script.add(.disconnected(reason: nil), at: 21)
    script.add(.connected, at: 25)
    script.notify(at: 26, contact: .notDetected)
    script.add(.disconnected(reason: "remote"), at: 27)
    script.add(.connected, at: 29)
    notify(30...40, &script)
    script.add(.disconnected(reason: "local"), at: 41)
    script.add(.connected, at: 42)
    notify(43...50, &script)
    #expect(gaps(timeline(script)) == ["link remote 20.0-30.0 10", "link local 40.0-43.0 3"])
  }

  @Test("between the last rate and the session's end there is no gap, nor before the first rate")
  func edges() {
    var script = Script()
    script.notify(at: 5, rate: 0)
    script.add(.disconnected(reason: nil), at: 6)
    script.add(.connected, at: 29)
    notify(30...40, &script)
    script.add(.disconnected(reason: nil), at: 42)
    script.add(.ended(.request), at: 80)
    let timeline = timeline(script)
    #expect(gaps(timeline) == [])
    #expect(timeline.coverage == Coverage(floor: 12.0 / 75, ceiling: 12.0 / 75))
  }

  @Test("losses in a session with beats are gaps of beats; before the first and after the last, gaps of rates")
  func besideBeats() {
    var script = Script()
    func lose(at time: Double) {
      script.add(.disconnected(reason: "timeout"), at: time)
      script.add(.connected, at: time + 3)
    }
    notify(10...20, &script)
    lose(at: 21)
    notify(25...30, &script)
    var time = script.beat(restingIntervals(100, seed: 1), from: 30)
    lose(at: time + 1)
    // A rate alone between two packets, with losses on both sides, is inside the gap of the beats.
    script.notify(at: time + 5)
    lose(at: time + 6)
    time = script.beat(restingIntervals(100, seed: 2), from: time + 10)
    let tail = (time + 1).rounded(.up)
    for second in 0..<10 { script.notify(at: tail + Double(second)) }
    lose(at: tail + 10)
    for second in 20..<30 { script.notify(at: tail + Double(second)) }
    let timeline = timeline(script)
    #expect(timeline.beatsAfterGaps == [nil, 100, nil])
    #expect(timeline.gaps.map(\.cause) == ["link: timeout", "link: timeout", "link: timeout"])
    let told = gaps(timeline)
    #expect(told.first == "link timeout 20.0-25.0 5")
    #expect(told.last == "link timeout \(tail + 9)-\(tail + 20) 13")
    #expect(timeline.coverage?.floor != timeline.coverage?.ceiling, "that of beats")
  }

  @Test("a packet with a rate of 0 separates losses before it from losses after it")
  func packetWithoutRate() {
    var script = Script()
    script.beat(restingIntervals(30, seed: 3), from: 10)
    script.add(.disconnected(reason: nil), at: 50)
    script.add(.connected, at: 55)
    script.notify([900], at: 60, rate: 0)
    notify(61...70, &script)
    #expect(timeline(script).beatsAfterGaps == [30])
  }

  @Test("intervals that come with a report of no contact do not count as off the skin")
  func intervalsWithoutContact() {
    var script = Script()
    var time = 10.0
    for interval in restingIntervals(100, seed: 15) {
      time += Double(interval) / 1024
      script.notify([interval], at: time, contact: .notDetected)
    }
    #expect(timeline(script).gaps.isEmpty)
  }

  @Test("a session all off the skin is covered by nothing; one without rates and beats has no coverage")
  func nothingCovered() {
    var script = Script()
    notify(10...40, contact: .notDetected, &script)
    #expect(timeline(script).coverage == Coverage(floor: 0, ceiling: 0))
    script = Script()
    notify(10...40, rate: 0, &script)
    #expect(timeline(script).coverage == nil)
  }
}
