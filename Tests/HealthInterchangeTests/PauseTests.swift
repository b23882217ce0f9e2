import FoundationEssentials
import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Pauses of a workout in files of other programs")
struct PauseTests {
  private static let start = MadeUp.start.microseconds / 1_000_000

  private static func workout(_ seconds: Double, pauses: [(Double, Double)]) throws -> Workout {
    let events = pauses.flatMap {
      [WorkoutEvent(.pause, at: MadeUp.time($0.0)), WorkoutEvent(.resume, at: MadeUp.time($0.1))]
    }
    return Workout(
      id: MadeUp.id, WorkoutConfiguration(.running),
      over: try #require(TimeSpan(start: MadeUp.start, end: MadeUp.time(seconds))), events: events)
  }

  /// Half an hour with a rate every five seconds, and a pause of 4:30.
  private static func watched() throws -> InterchangeRecording {
    var recording = MadeUp.recording(
      seconds: 1800, rates: (0..<360).map { (Double($0) * 5, UInt16(100 + $0 % 40)) }, activity: .running)
    recording.workout = try workout(1800, pauses: [(600, 870)])
    return recording
  }

  /// As a strap sends it, with pauses of any length and where they like.
  private static func strapped(_ seed: UInt64) throws -> InterchangeRecording {
    var random = seed
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    var pauses: [(start: Double, end: Double)] = []
    var time = 10.0
    while time < 550 {
      time += Double(next(60_000)) / 1000
      let length = Double(next(3) == 0 ? next(900) : next(40_000)) / 1000
      pauses.append((time, time + length))
      time += length + 0.2
    }
    let beats = try MadeUp.series([(0.37, (0..<780).map { _ in UInt32(620 + next(300)) })])
    var recording = MadeUp.recording(
      seconds: 600.37, rates: (0..<600).map { (Double($0) + 0.1 + Double(next(300)) / 1000, UInt16(60 + next(90))) },
      beats: beats,
      activity: .running)
    recording.workout = try workout(600.37, pauses: pauses.filter { $0.end < 600 }.map { ($0.start, $0.end) })
    return recording
  }

  @Test("of rates alone the FIT timer runs for the workout's own time, and stands exactly in its pauses")
  func timer() throws {
    let recording = try Self.watched()
    let bytes = InterchangeFormat.fit.bytes(of: recording)
    let walk = FITWalk(bytes)
    let events = walk.timer(since: Self.start)
    #expect(events.map(\.second) == [0, 600, 870, 1800])
    #expect(events.map(\.isStart) == [true, false, true, false])
    for message in [FITProfile.Message.session, FITProfile.Message.lap] {
      let one = try #require(walk.all(message).first)
      #expect(one.number(7) == 1_800_000)
      #expect(one.number(8) == 1_530_000)
    }
    #expect(walk.all(FITProfile.Message.activity).first?.number(0) == 1_530_000)
    let seconds = walk.all(FITProfile.Message.record).map { FITWalk.second($0, since: Self.start) }
    let wanted = Array(stride(from: Int64(0), to: 600, by: 5)) + Array(stride(from: Int64(875), to: 1800, by: 5))
    #expect(seconds == wanted)
    let copy = try #require(Reading(bytes, .fit).sessions.first)
    #expect(copy.gaps == [RecordingGap(reason: "stopped", start: MadeUp.time(595), end: MadeUp.time(875))])
  }

  @Test("pauses between two rates are all there, and one that nobody ended lasts to the end")
  func sparse() throws {
    var recording = MadeUp.recording(seconds: 900, rates: [(0, 90), (300, 95), (880, 99)])
    recording.workout = try Self.workout(900, pauses: [(310, 350), (400, 460)])
    var walk = FITWalk(InterchangeFormat.fit.bytes(of: recording))
    #expect(walk.timer(since: Self.start).map(\.second) == [0, 310, 350, 400, 460, 900])
    #expect(walk.all(FITProfile.Message.session).first?.number(8) == 800_000)
    recording.workout = try Workout(
      WorkoutConfiguration(.running), over: #require(recording.workout).span,
      events: [WorkoutEvent(.pause, at: MadeUp.time(310))])
    walk = FITWalk(InterchangeFormat.fit.bytes(of: recording))
    #expect(walk.timer(since: Self.start).map(\.second) == [0, 310])
    #expect(walk.all(FITProfile.Message.record).count == 2)
  }

  @Test("without beats the timer stands in gaps that were recorded, and nowhere else")
  func gaps() throws {
    let rates: [(Double, UInt16)] = [(1, 60), (2, 61), (40, 62), (90, 63), (91, 64)]
    var recording = MadeUp.recording(seconds: 100, rates: rates, gaps: [(50, 80)])
    #expect(
      FITWalk(InterchangeFormat.fit.bytes(of: recording)).timer(since: Self.start).map(\.second) == [1, 40, 90, 91])
    recording.workout = try Self.workout(100, pauses: [])
    #expect(
      FITWalk(InterchangeFormat.fit.bytes(of: recording)).timer(since: Self.start).map(\.second) == [0, 40, 90, 100])
  }

  @Test("no interval spans a pause, and at each record timer and sum of intervals agree", arguments: UInt64(1)...20)
  func sums(seed: UInt64) throws {
    let recording = try Self.strapped(seed)
    let pauses = recording.pauses
    let walk = FITWalk(InterchangeFormat.fit.bytes(of: recording))
    var (running, elapsed, sum, stretch) = (Int64?.none, Int64(0), Int64(0), 0)
    var stretches: [[Int64]] = []
    for message in walk.messages {
      let second = FITWalk.second(message, since: Self.start)
      switch message.definition.message {
      case FITProfile.Message.event:
        if message.number(1) == UInt64(FITProfile.Timer.start) {
          #expect(running == nil)
          running = second
          stretches.append([])
        } else {
          elapsed += second - (running ?? second)
          running = nil
          #expect(abs(elapsed * 1000 - sum) <= 500)
        }
      case FITProfile.Message.variability:
        #expect(running != nil, "an interval while the timer stands")
        for interval in message.numbers(0).map(Int64.init) where !stretches.isEmpty {
          stretches[stretches.count - 1].append(interval)
          sum += interval
        }
      case FITProfile.Message.record:
        stretch = stretches.count
        let timer = elapsed + (running.map { second - $0 } ?? 0)
        // The longest interval has 920 ticks.
        #expect(abs(timer * 1000 - sum) <= 1000 + 900, "stretch \(stretch)")
        let whole = MadeUp.time(Double(second)).microseconds
        #expect(!pauses.stretches.contains { $0.lowerBound < whole && $0.upperBound > whole + 1_000_000 })
      default: break
      }
    }
    // Each stretch is what was measured between two pauses.
    let wanted = MeasuredBeats(recording, followsClock: true, withoutPauses: true).reduce(into: [[Int64]]()) {
      parts, beat in
      if let interval = beat.interval { parts[parts.count - 1].append(interval) } else { parts.append([]) }
    }
    #expect(stretches == wanted)
    #expect(wanted.count > 3)
    let located = Array(recording.heartbeats.locatedBeats)
    let free = zip(located, located.dropFirst()).count { before, after in
      !pauses.stretches.contains {
        $0.lowerBound <= after.time.microseconds && $0.upperBound >= before.time.microseconds
      }
    }
    #expect(wanted.reduce(0) { $0 + $1.count } == free)
  }

  @Test("no lap's timer is longer than the lap, and all together are the session's", arguments: UInt64(1)...20)
  func laps(seed: UInt64) throws {
    var recording = try Self.strapped(seed)
    let ends = [0, 99.9, 100.45, 300.61, 600.37].map { $0 + 0.004 * Double(seed % 3) }.map { min($0, 600.37) }
    recording.laps = try zip([0] + ends.dropFirst().dropLast(), ends.dropFirst()).map { start, end in
      InterchangeRecording.Lap(try #require(TimeSpan(start: MadeUp.time(start), end: MadeUp.time(end))))
    }
    recording.laps[3].span = try #require(TimeSpan(start: recording.laps[3].span.start, end: recording.span.end))
    for hasBeats in [true, false] {
      if !hasBeats { recording.heartbeats = HeartbeatSeries() }
      let walk = FITWalk(InterchangeFormat.fit.bytes(of: recording))
      let laps = walk.all(FITProfile.Message.lap)
      #expect(laps.count == 4)
      for lap in laps {
        let (elapsed, timer) = (try #require(lap.number(7)), try #require(lap.number(8)))
        #expect(timer <= elapsed)
      }
      let session = try #require(walk.all(FITProfile.Message.session).first)
      let (elapsed, timer) = (try #require(session.number(7)), try #require(session.number(8)))
      #expect(timer <= elapsed)
      #expect(laps.compactMap { $0.number(8) }.reduce(0, +) == timer)
      #expect(laps.compactMap { $0.number(7) }.reduce(0, +) == elapsed)
    }
  }

  @Test("a session of ten minutes and a second of the timer is ten minutes")
  func clamped() throws {
    let recording = MadeUp.recording(seconds: 600, rates: [(0, 60), (600, 60)])
    let lap = try #require(FITWalk(InterchangeFormat.fit.bytes(of: recording)).all(FITProfile.Message.lap).first)
    #expect(lap.number(7) == 600_000)
    #expect(lap.number(8) == 600_000)
  }

  @Test("TCX has the time without pauses, a track on each side of one, and nothing in it")
  func tracks() throws {
    let text = InterchangeFormat.tcx.text(of: try Self.watched())
    #expect(text.contains("<TotalTimeSeconds>1530.000</TotalTimeSeconds>"))
    #expect(text.components(separatedBy: "<Track>").count == 1 + 2)
    #expect(text.components(separatedBy: "<Trackpoint>").count == 1 + 305)
    let copy = try #require(Reading(Array(text.utf8), .tcx).sessions.first)
    #expect(copy.gaps == [RecordingGap(reason: "stopped", start: MadeUp.time(595), end: MadeUp.time(875))])
  }

  @Test("FHIR has the duration of the exercise without pauses, and all rates")
  func duration() throws {
    let text = InterchangeFormat.fhir.text(of: try Self.watched())
    #expect(text.contains(#""valueQuantity":{"value":25.5,"unit":"min""#))
    #expect(text.components(separatedBy: " E E E E ").count == 360)
  }

  @Test("a workout that was paused whenever something was measured is refused where pauses are left out")
  func paused() throws {
    var recording = try MadeUp.recording(
      seconds: 60, rates: [(20, 60), (21, 61)], beats: MadeUp.series([(20, [1024])]))
    recording.workout = try Self.workout(60, pauses: [(10, 30)])
    for format in [InterchangeFormat.fit, .tcx] {
      #expect(format.refusal(recording) == "the workout was paused whenever something was measured")
    }
    #expect(InterchangeFormat.fhir.refusal(recording) == nil)
  }

  @Test("rates that a format has no place for are counted, with the reason")
  func missing() throws {
    func told(_ format: InterchangeFormat, _ recording: InterchangeRecording) -> [String] {
      format.missingRates(recording).map { "\($0.count): \($0.reason)" }
    }
    let burst = MadeUp.recording(seconds: 9, rates: [(0, 60), (0.2, 61), (0.4, 255), (0.6, 254), (1.5, 300)])
    #expect(told(.fit, burst) == ["3: fit has one a second", "1: fit has none above 254"])
    for format in [InterchangeFormat.tcx, .edf, .fhir, .apple] {
      #expect(told(format, burst) == ["3: \(format.rawValue) has one a second"])
    }
    for format in [InterchangeFormat.omh, .rr, .hrvlogger, .wfdb] { #expect(told(format, burst) == []) }
    let watched = try Self.watched()
    #expect(told(.fit, watched) == ["55: fit has none of a pause"])
    #expect(told(.tcx, watched) == ["55: tcx has none of a pause"])
    #expect(told(.fhir, watched) == [])
    for format in InterchangeFormat.allCases { #expect(try told(format, MadeUp.withGap()) == []) }
  }
}
