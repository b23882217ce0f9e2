import GATTHeartRate
import HealthModel
import TestSupport
import Testing
import Timeline

@Suite("SessionTimeline")
struct SessionTimelineTests {
  /// What holds for every session, whatever its events.
  static func check(_ timeline: SessionTimeline, sourceLocation: SourceLocation = #_sourceLocation) {
    let beats = timeline.beats
    for index in beats.wallMicroseconds.indices.dropFirst() {
      #expect(beats.wallMicroseconds[index - 1] < beats.wallMicroseconds[index], sourceLocation: sourceLocation)
    }
    #expect(
      timeline.beatsAfterGaps.compactMap { $0 }
        == beats.precededByGap.indices.dropFirst().filter { beats.precededByGap[$0] },
      sourceLocation: sourceLocation)
    #expect(timeline.gaps.allSatisfy { $0.startMicroseconds <= $0.endMicroseconds }, sourceLocation: sourceLocation)
    #expect(
      zip(timeline.gaps, timeline.gaps.dropFirst()).allSatisfy { $0.endMicroseconds <= $1.startMicroseconds },
      sourceLocation: sourceLocation)
    let times =
      beats.wallMicroseconds + timeline.rates.map(\.time.microseconds)
      + timeline.gaps.flatMap { [$0.startMicroseconds, $0.endMicroseconds] }
    #expect(
      times.allSatisfy { timeline.startMicroseconds <= $0 && $0 <= timeline.endMicroseconds },
      sourceLocation: sourceLocation)
    #expect(timeline.runs.map(\.beats.lowerBound) == timeline.runs.indices.map { timeline.runs[$0].beats.lowerBound })
    #expect(timeline.runs.first?.beats.lowerBound ?? 0 == 0, sourceLocation: sourceLocation)
    #expect(timeline.runs.last?.beats.upperBound ?? 0 == beats.count, sourceLocation: sourceLocation)
    for run in timeline.runs {
      #expect(!run.beats.isEmpty, sourceLocation: sourceLocation)
      #expect(beats.precededByGap[run.beats.lowerBound], sourceLocation: sourceLocation)
      #expect(beats.flags[run.beats.lowerBound].contains(.firstOfRun), sourceLocation: sourceLocation)
      var ticks: Int64 = 0
      var previous = Int64.min
      for beat in run.beats {
        if beat > run.beats.lowerBound { ticks += Int64(beats.rrTicks[beat]) }
        let time = max(run.map.time(atTicks: ticks, timescale: 1024).microseconds, previous &+ 1)
        #expect(beats.wallMicroseconds[beat] == time, "times follow from ticks and map", sourceLocation: sourceLocation)
        previous = time
      }
    }
    if let coverage = timeline.coverage {
      #expect(0 <= coverage.floor && coverage.floor <= coverage.ceiling && coverage.ceiling <= 1)
    }
    #expect(timeline.startMicroseconds <= timeline.endMicroseconds, sourceLocation: sourceLocation)
  }

  private func timeline(_ script: Script) -> SessionTimeline {
    let timeline = SessionTimeline(script.events)
    Self.check(timeline)
    return timeline
  }

  @Test("no events make an empty session")
  func emptySession() {
    let timeline = SessionTimeline([])
    #expect(timeline.beats.isEmpty)
    #expect(timeline.rates.isEmpty)
    #expect(timeline.coverage == nil)
    #expect(timeline.endReason == nil)
  }

  @Test("each interval received is one beat, unchanged, in one run")
  func everyIntervalIsABeat() {
    var script = Script()
    let intervals = restingIntervals(400, seed: 7)
    script.beat(intervals, from: 10)
    let timeline = timeline(script)
    #expect(timeline.beats.rrTicks == intervals)
    #expect(timeline.runs.count == 1)
    #expect(timeline.gaps.isEmpty)
    #expect(timeline.beats.flags[0] == .firstOfRun)
    #expect(timeline.beats.flags.dropFirst().allSatisfy { $0 == [] })
  }

  @Test("the first interval makes no beat before the connection: the first beat is the one that ended it")
  func firstIntervalMakesNoBeatBefore() throws {
    var script = Script()
    script.beat([3000] + restingIntervals(30, seed: 8), from: 10)
    let timeline = timeline(script)
    let arrival = Script.offset + script.events[3].instant.microseconds
    #expect(timeline.beats.count == 31)
    #expect(timeline.startMicroseconds == timeline.beats.wallMicroseconds[0])
    #expect(arrival - timeline.beats.wallMicroseconds[0] < 1_000_000)
    #expect(!timeline.beats.flags[0].contains(.missed))
  }

  @Test("beat times are those of the heart, up to one constant latency")
  func timesFollowTheHeart() {
    var script = Script()
    let intervals = restingIntervals(600, seed: 9)
    script.beat(intervals, from: 10, latency: 0.25)
    let timeline = timeline(script)
    var truth = 10.0
    var worst = 0.0
    for (index, interval) in intervals.enumerated() {
      truth += Double(interval) / 1024
      let error = Double(timeline.beats.wallMicroseconds[index] - Script.offset) / 1e6 - truth
      worst = max(worst, abs(error - 0.25))
    }
    #expect(worst < 0.006)
  }

  @Test("a lost link ends the run, and the gap has its reason and length")
  func lostLinkEndsTheRun() throws {
    var script = Script()
    let end = script.beat(restingIntervals(100, seed: 10), from: 10)
    script.add(.disconnected(reason: "org.bluez.Reason.Timeout"), at: end + 1)
    script.add(.connected, at: end + 19)
    script.beat(restingIntervals(100, seed: 11), from: end + 20)
    let timeline = timeline(script)
    #expect(timeline.runs.map(\.beats) == [0..<100, 100..<200])
    let gap = try #require(timeline.gaps.first)
    #expect(timeline.gaps.count == 1)
    #expect(gap.cause == "link: org.bluez.Reason.Timeout")
    #expect(timeline.beatsAfterGaps == [100])
    #expect(abs(Double(gap.endMicroseconds - gap.startMicroseconds) / 1e6 - 20.9) < 0.2)
    #expect((21...24).contains(gap.estimatedLostBeats ?? -1))
    #expect(timeline.quality.disconnects.map(\.reason) == ["org.bluez.Reason.Timeout"])
  }

  @Test("a link that was lost before any value makes no gap; between a rate and the first beat it is a gap of rates")
  func lossBeforeTheFirstBeat() {
    for hasRate in [false, true] {
      var script = Script()
      if hasRate { script.notify(at: 5) }
      script.add(.disconnected(reason: nil), at: 6)
      script.add(.connected, at: 7)
      script.beat(restingIntervals(20, seed: 12), from: 10)
      let timeline = timeline(script)
      #expect(timeline.runs.count == 1)
      #expect(timeline.gaps.map(\.cause) == (hasRate ? ["link"] : []))
      #expect(timeline.gaps.first?.endMicroseconds == (hasRate ? timeline.beats.wallMicroseconds[0] : nil))
      #expect(timeline.beats.precededByGap[0])
    }
  }

  @Test("contact lost and regained is a gap if intervals stopped meanwhile, else none")
  func contactLoss() {
    var script = Script()
    var time = script.beat(restingIntervals(100, seed: 13), from: 10)
    for _ in 0..<10 {
      time += 1
      script.notify(at: time, contact: .notDetected)
    }
    script.beat(restingIntervals(100, seed: 14), from: time)
    var timeline = timeline(script)
    #expect(timeline.gaps.map(\.cause) == ["contact"])
    #expect(timeline.beatsAfterGaps == [100])

    script = Script()
    time = 10
    for (index, interval) in restingIntervals(100, seed: 15).enumerated() {
      time += Double(interval) / 1024
      script.notify([interval], at: time, contact: (40..<60).contains(index) ? .notDetected : .detected)
    }
    timeline = self.timeline(script)
    #expect(timeline.gaps.isEmpty)
  }

  @Test("silence that the next interval accounts for is no gap of time: the H10's seven seconds stay in the run")
  func lateLongIntervalAccountsForSilence() {
    var script = Script()
    var time = script.beat(restingIntervals(200, seed: 16), from: 10)
    for second in 1...10 { script.notify(at: time + Double(second)) }
    // Seven seconds of missed beats, delivered four seconds late, and what happened meanwhile with it.
    time += 7
    let held = time + 4
    script.notify([7168], at: held)
    for interval in restingIntervals(200, seed: 17) {
      time += Double(interval) / 1024
      script.notify([interval], at: max(held, time + 0.1))
    }
    let timeline = timeline(script)
    #expect(timeline.runs.count == 1)
    #expect(timeline.beats.flags[200].contains(.missed))
    #expect(timeline.beatsAfterGaps == [200])
  }

  @Test("silently lost beats are found where the sensor's time falls behind permanently")
  func silentLossIsAStep() throws {
    var script = Script()
    let end = script.beat(restingIntervals(300, seed: 18), from: 10)
    script.beat(restingIntervals(300, seed: 19), from: end + 4)
    let timeline = timeline(script)
    #expect(timeline.gaps.map(\.cause) == ["step"])
    #expect(timeline.beatsAfterGaps == [300])
    let gap = try #require(timeline.gaps.first)
    #expect((3...6).contains(gap.estimatedLostBeats ?? -1))
  }

  @Test(
    "surplus intervals show where the sensor's time runs ahead permanently: they are counted, and a run begins there")
  func surplusIntervals() {
    var script = Script()
    var time = script.beat(restingIntervals(300, seed: 18), from: 10, latency: 3)
    script.notify([900, 900, 900], at: time + 3)
    time = script.beat(restingIntervals(300, seed: 19), from: time, latency: 3)
    let surplus = timeline(script)
    #expect(surplus.quality.surplusSteps == 1)
    #expect(surplus.gaps.map(\.cause) == ["surplus"])
    // Nothing tells which of the beats around it were too many.
    #expect(surplus.beatsAfterGaps.allSatisfy { (300...303).contains($0 ?? 0) })

    script = Script()
    time = script.beat(restingIntervals(300, seed: 18), from: 10, latency: 3)
    script.beat(restingIntervals(300, seed: 19), from: time, latency: 3)
    #expect(timeline(script).quality.surplusSteps == 0)
  }

  @Test("a short run lies where the long ones do: runs are moved together where a beat would be later than its arrival")
  func shortRunsLieWhereLongOnesDo() {
    var script = Script()
    var generator = SeededGenerator(seed: 42)
    var truth: [Double] = []
    var time = 10.0
    var sent = 10.0
    for (count, seed) in [(900, 43), (60, 44), (60, 45), (60, 46), (900, 47)] as [(Int, UInt64)] {
      // One notification a second with whatever has come since, up to 100 ms late.
      var waiting: [UInt16] = []
      for interval in restingIntervals(count, seed: seed) {
        time += Double(interval) / 1024
        while sent < time {
          if !waiting.isEmpty { script.notify(waiting, at: sent + Double.random(in: 0...0.1, using: &generator)) }
          waiting = []
          sent += 1
        }
        waiting.append(interval)
        truth.append(time)
      }
      script.notify(waiting, at: sent + Double.random(in: 0...0.1, using: &generator))
      script.add(.disconnected(reason: nil), at: sent + 0.2)
      time += 20
      sent = time + Double.random(in: 0...1, using: &generator)
      script.add(.connected, at: time)
    }
    let timeline = timeline(script)
    #expect(timeline.runs.count == 5)
    let errors = zip(timeline.beats.wallMicroseconds, truth).map { Double($0 - Script.offset) / 1e6 - $1 }
    let latency = errors.sorted()[errors.count / 2]
    for (index, run) in timeline.runs.enumerated() {
      let error = abs(errors[run.beats.lowerBound] - latency)
      #expect(error * 1e6 <= Double(run.map.uncertaintyMicroseconds), "run \(index)")
      #expect(error < 0.06, "run \(index)")
    }
  }

  @Test("latency that is undone within two minutes is no loss")
  func latencyIsNoLoss() {
    var script = Script()
    var time = script.beat(restingIntervals(300, seed: 20), from: 10)
    time = script.beat(restingIntervals(80, seed: 21), from: time, latency: 3)
    let last = script.events[script.events.count - 1].instant.microseconds
    for interval in restingIntervals(300, seed: 22) {
      time += Double(interval) / 1024
      script.notify([interval], at: max(time + 0.1, Double(last) / 1e6))
    }
    #expect(timeline(script).gaps.isEmpty)
  }

  @Test("four intervals of 512 ticks are fillers with runs of their own, two are beats at 120 a minute")
  func fillers() {
    var script = Script()
    var time = script.beat(restingIntervals(50, seed: 23), from: 10)
    time = script.beat([512, 512], from: time)
    time = script.beat(restingIntervals(50, seed: 24), from: time)
    time = script.beat(Array(repeating: 512, count: 9), from: time)
    script.beat(restingIntervals(50, seed: 25), from: time + 1)
    let timeline = timeline(script)
    #expect(timeline.runs.map(\.beats) == [0..<102, 102..<111, 111..<161])
    #expect(timeline.gaps.map(\.cause) == ["filler", "filler"])
    #expect((102..<111).allSatisfy { timeline.beats.flags[$0].contains(.filler) })
    #expect(timeline.beats.flags.count { $0.contains(.filler) } == 9)
  }

  @Test("fillers that come together with beats before and after them still lie between those", arguments: 0..<20)
  func fillersWithoutRoom(seed: UInt64) {
    var script = Script()
    var generator = SeededGenerator(seed: seed)
    var time = script.beat(restingIntervals(300, seed: seed), from: 10, latency: 0.05)
    for _ in 0..<6 {
      let fillers = [UInt16](repeating: 512, count: Int.random(in: 4...8, using: &generator))
      // All in one notification, or half of them in each of two, with no time for them in between.
      let (first, second) = ([900] + Array(fillers.dropLast(2)), Array(fillers.suffix(2)) + [900])
      time += 0.9
      script.notify(Bool.random(using: &generator) ? first + second : first, at: time)
      script.notify(second, at: time + Double.random(in: 0...0.2, using: &generator))
      time = script.beat(restingIntervals(80, seed: seed + 50), from: time, latency: 0.2)
    }
    _ = timeline(script)
  }

  @Test("an interval of more than 2.5 medians is missed or a pause: a gap, but no new run")
  func longIntervalIsMissedOrPause() {
    var script = Script()
    let time = script.beat(restingIntervals(50, seed: 26), from: 10)
    script.beat([2700] + restingIntervals(50, seed: 27), from: time)
    let timeline = timeline(script)
    #expect(timeline.runs.count == 1)
    #expect(timeline.gaps.map(\.cause) == ["missedOrPause"])
    #expect(timeline.gaps.map(\.estimatedLostBeats) == [2])
    #expect(timeline.beats.flags[50] == .missed)
    #expect(timeline.beats.rrTicks[50] == 2700)
  }

  @Test("a rate that contradicts the intervals grossly is flagged on the beats, one that lags is not")
  func rateConflict() {
    var script = Script()
    var time = script.beat(restingIntervals(50, seed: 28), from: 10)
    time = script.beat([900], from: time, rate: 150)
    script.beat(restingIntervals(50, seed: 29), from: time, rate: 80)
    let timeline = timeline(script)
    #expect(timeline.beats.flags.indices.filter { timeline.beats.flags[$0].contains(.rateConflict) } == [50])
  }

  @Test("intervals of 0 and 65535 ticks are kept, flagged, and break nothing", arguments: [0, 1, 65535] as [UInt16])
  func extremeIntervals(interval: UInt16) {
    var script = Script()
    let time = script.beat(restingIntervals(50, seed: 30), from: 10)
    script.beat([interval, interval] + restingIntervals(50, seed: 31), from: time)
    let timeline = timeline(script)
    #expect(timeline.beats.rrTicks[50] == interval)
    #expect(!timeline.beats.flags[50].isEmpty)
    #expect(timeline.beats.count == 102)
    for value: UInt16 in [interval] {
      var only = Script()
      for second in 0..<100 { only.notify([value, value], at: Double(second)) }
      let timeline = self.timeline(only)
      #expect(timeline.beats.count == 200)
    }
  }

  @Test("a rate of 0 is no heart rate, but its notification and its beats count")
  func zeroRate() {
    var script = Script()
    script.notify([900], at: 10, rate: 0)
    script.notify([900], at: 11, rate: 65)
    let timeline = timeline(script)
    #expect(timeline.quality.notifications == 2)
    #expect(timeline.quality.zeroRates == 1)
    #expect(timeline.rates.map(\.beatsPerMinute) == [65])
    #expect(timeline.beats.count == 2)
  }

  @Test("rates keep their arrival, contact and energy")
  func ratesKeepWhatCameWithThem() {
    var script = Script()
    script.notify(at: 10, rate: 60, contact: .detected, energy: 12)
    script.notify(at: 11, rate: 300, contact: .notDetected)
    script.notify(at: 12, rate: 61, energy: 0xFFFF)
    let expected = [
      HeartRateValue(
        time: Timestamp(microseconds: Script.offset + 10_000_000), beatsPerMinute: 60, contact: .detected,
        energyKilojoules: 12),
      HeartRateValue(
        time: Timestamp(microseconds: Script.offset + 11_000_000), beatsPerMinute: 300, contact: .notDetected,
        energyKilojoules: nil),
      HeartRateValue(
        time: Timestamp(microseconds: Script.offset + 12_000_000), beatsPerMinute: 61, contact: .notSupported,
        energyKilojoules: 0xFFFF),
    ]
    #expect(Array(timeline(script).rates) == expected)
  }

  @Test("junk is counted by kind and costs nothing else")
  func junk() {
    var script = Script()
    let intervals = restingIntervals(20, seed: 32)
    script.beat(intervals, from: 10)
    script.add(.measurement([]), at: 60)
    script.add(.measurement([0x01, 0x40]), at: 61)
    script.add(.measurement([0x08, 0x40]), at: 62)
    script.add(.measurement([0x80, 71]), at: 63)
    script.add(.measurement([0x10, 72, 0x84, 0x03, 0x01]), at: 64)
    let timeline = timeline(script)
    #expect(timeline.quality.notifications == 25)
    #expect(timeline.rates.count == 22)
    #expect(timeline.beats.rrTicks == intervals + [900])
    #expect(PayloadDefect.allCases.map { timeline.quality.payloadDefects[$0] } == [1, 1, 1, 1, 1])
  }

  @Test("the wall clock's offset at the end of the session counts, and steps are kept")
  func clockAtTheEndCounts() {
    var script = Script()
    let time = script.beat(restingIntervals(30, seed: 33), from: 10)
    script.add(.clock(wallMinusBootMicroseconds: Script.offset - 3_600_000_000), at: time + 0.2)
    let end = script.beat(restingIntervals(30, seed: 34), from: time + 0.2)
    script.add(.clock(wallMinusBootMicroseconds: Script.offset + 7_000_000), at: end + 0.2)
    let timeline = timeline(script)
    #expect(timeline.rates[0].time.microseconds == Script.offset + 7_000_000 + script.events[3].instant.microseconds)
    #expect(timeline.quality.clockSteps.map(\.microseconds) == [-3_600_000_000, 3_607_000_000])
    #expect(timeline.runs.count == 1)
  }

  @Test("instants of a capture continue after a jump back of the clock, and are put in order if slightly out of it")
  func instantsThatGoBack() {
    var script = Script()
    let intervals = restingIntervals(60, seed: 41)
    script.beat(Array(intervals[..<30]), from: 5000)
    script.beat(Array(intervals[30...]), from: 1400)
    script.notify([900], at: 1390 + 0.5)
    let timeline = timeline(script)
    #expect(timeline.beats.count == 61)
    #expect(timeline.runs.count == 1)
    #expect(timeline.endMicroseconds - timeline.startMicroseconds < 80_000_000)
  }

  @Test("another boot is a new run, mapped by its own clock")
  func rebootIsANewRun() {
    var script = Script()
    let time = script.beat(restingIntervals(30, seed: 35), from: 1000)
    let next = BootIdentifier(high: 7, low: 7)
    script.add(.boot(next), at: 3)
    let offset = Script.offset + Int64((time + 40) * 1e6)
    script.add(.clock(wallMinusBootMicroseconds: offset), at: 3)
    script.add(.connected, at: 4)
    script.beat(restingIntervals(30, seed: 36), from: 5)
    let timeline = timeline(script)
    #expect(timeline.runs.map(\.beats) == [0..<30, 30..<60])
    #expect(timeline.gaps.map(\.cause) == ["boot"])
    #expect(abs(timeline.microseconds(fromRun: 0, toRun: 1) - 46_000_000) < 1_000_000)
    // The same boot again, as a new start of the recorder writes it, is none.
    script = Script()
    let end = script.beat(restingIntervals(30, seed: 35), from: 10)
    script.add(.boot(Script.boot), at: end + 0.2)
    script.beat(restingIntervals(30, seed: 36), from: end + 0.2)
    #expect(SessionTimeline(script.events).runs.count == 1)
  }

  @Test("a boot whose clock is not known follows the one before it, or precedes the one after it", arguments: 0..<8)
  func bootWithoutClock(known: Int) {
    var script = Script()
    script.events = []
    for boot in 0..<3 {
      script.add(.boot(BootIdentifier(high: 9, low: UInt64(boot))), at: 3)
      if known & 1 << boot != 0 {
        script.add(.clock(wallMinusBootMicroseconds: Script.offset + Int64(boot) * 60_000_000), at: 3)
      }
      script.beat(restingIntervals(30, seed: 50 + UInt64(boot)), from: 5 - Double(boot))
    }
    let timeline = timeline(script)
    #expect(timeline.rates.count == 90)
    #expect(zip(timeline.rates, timeline.rates.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(timeline.endMicroseconds - timeline.startMicroseconds < 200_000_000)
    #expect(known == 0 || timeline.startMicroseconds > Script.offset - 200_000_000)
  }

  /// Three boots whose clocks are right but for these days, each with thirty beats, a minute after the one before.
  private static func boots(_ days: [Double]) -> Script {
    var script = Script()
    script.events = []
    for (boot, error) in days.enumerated() {
      script.add(.boot(BootIdentifier(high: 9, low: UInt64(boot))), at: 3)
      let offset = Script.offset + Int64((Double(boot) * 60 + error * 86_400) * 1e6)
      script.add(.clock(wallMinusBootMicroseconds: offset), at: 3)
      script.beat(restingIntervals(30, seed: 50 + UInt64(boot)), from: 5)
    }
    return script
  }

  /// Runs are placed together, so that another gap moves beats by less than a millisecond.
  private func isNear(_ one: Timestamp, _ other: Timestamp) -> Bool { abs(one.microseconds(since: other)) < 1_000 }

  @Test("each boot has its own clock; one that is behind stands right behind the boot before it")
  func bootBehind() {
    let right = timeline(Self.boots([0, 0, 0]))
    #expect(right.gaps.map(\.cause) == ["boot", "boot"] && right.gaps.allSatisfy { $0.estimatedLostBeats != nil })
    let behind = timeline(Self.boots([0, -31, 0]))
    #expect(isNear(behind.start, right.start) && behind.end == right.end)
    #expect(behind.gaps.map(\.cause) == ["boot: length unknown", "boot"])
    #expect(behind.gaps.map { $0.estimatedLostBeats != nil } == [false, true])
    #expect(behind.gaps[0].end.microseconds(since: behind.gaps[0].start) < 5_000_000)
    let last = timeline(Self.boots([0, 0, -31]))
    #expect(isNear(last.start, right.start) && last.gaps.map(\.cause) == ["boot", "boot: length unknown"])
    #expect(last.end.microseconds(since: right.end) < -20_000_000)
  }

  @Test("a clock that was more than a day behind before a reboot is not believed, and the later boots are")
  func bootOfThePast() {
    let right = timeline(Self.boots([0, 0, 0]))
    let past = timeline(Self.boots([-31, 0, 0]))
    #expect(past.end == right.end && past.gaps.map(\.cause) == ["boot: length unknown", "boot"])
    #expect(past.start.microseconds(since: right.start) > 20_000_000)
    // Less than a day may have passed.
    let hours = timeline(Self.boots([-0.5, 0, 0]))
    #expect(hours.end == right.end && isNear(hours.start, right.start.advanced(byMicroseconds: -43_200_000_000)))
  }

  @Test("a recorder that was away, or lost values, leaves a gap with its own reason")
  func recorderGaps() {
    var script = Script()
    var time = script.beat(restingIntervals(30, seed: 37), from: 10)
    script.add(.lost(values: 3, reason: "disk full"), at: time + 1)
    time = script.beat(restingIntervals(30, seed: 38), from: time + 4)
    script.add(.boot(Script.boot), at: time + 5)
    script.add(.connected, at: time + 6)
    script.beat(restingIntervals(30, seed: 39), from: time + 6)
    let timeline = timeline(script)
    #expect(timeline.gaps.map(\.cause) == ["recorder: disk full", "recorder"])
    #expect(timeline.quality.lostValues == 3)
  }

  @Test("what the sensor reported is kept: battery at both ends, location, information, signal")
  func sensorFacts() {
    var script = Script()
    script.add(.battery(percent: 90), at: 1)
    script.add(.information(.modelNumber, "H10"), at: 1)
    script.add(.location(1), at: 1)
    script.add(.signal(dBm: -60), at: 2)
    script.notify([900], at: 3)
    script.add(.signal(dBm: -80), at: 4)
    script.add(.battery(percent: 88), at: 5)
    script.add(.ended(.request), at: 6)
    let timeline = timeline(script)
    #expect(timeline.quality.batteryStartPercent == 90)
    #expect(timeline.quality.batteryEndPercent == 88)
    #expect(timeline.quality.bodySensorLocation == 1)
    #expect(timeline.information == [.modelNumber: "H10"])
    #expect(timeline.quality.signalWeakestDBm == -80)
    #expect(timeline.quality.signalStrongestDBm == -60)
    #expect(timeline.endReason == .request)
    #expect(timeline.endMicroseconds == Script.offset + 6_000_000)
  }

  @Test("a session that ended because the sensor was away ends with its last notification")
  func awayEndsWithTheLastNotification() {
    var script = Script()
    script.notify([900], at: 10)
    script.notify([900], at: 11)
    script.add(.disconnected(reason: nil), at: 12)
    script.add(.ended(.away), at: 312)
    #expect(timeline(script).endMicroseconds == Script.offset + 11_000_000)
  }

  @Test("the same events give the same timeline")
  func isAFunction() {
    var script = Script()
    script.beat(restingIntervals(500, seed: 40), from: 10)
    #expect(SessionTimeline(script.events) == SessionTimeline(script.events))
  }
}
