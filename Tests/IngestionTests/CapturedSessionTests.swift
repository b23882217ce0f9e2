import Captures
import FoundationEssentials
import HealthModel
import Ingestion
import Testing
import Timeline

@Suite("The final pass")
struct CapturedSessionTests {
  private static let start: Int64 = 1_795_000_000_000_000
  private static let session = UUID(uuidString: "00000000-0000-4000-8000-000000000001")!

  /// Intervals as breathing makes them, in 1/1024 s.
  private static let intervals = [1000, 1010, 1024, 1041, 1048, 1039, 1026, 1008]

  /// A strap that sends one beat a second for `seconds`.
  private func capture(seconds: Int, losses: Set<Int> = [], ended: SessionEndReason? = .shutdown) -> Capture {
    var events = [
      SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: BootInstant(microseconds: 0)),
      SensorEvent(.clock(wallMinusBootMicroseconds: Self.start), at: BootInstant(microseconds: 0)),
      SensorEvent(.connected, at: BootInstant(microseconds: 0)),
      SensorEvent(.information(.manufacturerName, "Maker"), at: BootInstant(microseconds: 0)),
      SensorEvent(.information(.serialNumber, "0001"), at: BootInstant(microseconds: 0)),
      SensorEvent(.location(1), at: BootInstant(microseconds: 0)),
      SensorEvent(.battery(percent: 80), at: BootInstant(microseconds: 0)),
    ]
    for second in 1...seconds {
      let instant = BootInstant(microseconds: Int64(second) * 1_000_000)
      if losses.contains(second) {
        events.append(SensorEvent(.disconnected(reason: "timeout"), at: instant))
        events.append(SensorEvent(.connected, at: instant.advanced(byMicroseconds: 400_000)))
        continue
      }
      let ticks = Self.intervals[second % Self.intervals.count]
      events.append(
        SensorEvent(.measurement([0x16, 60, UInt8(ticks & 0xFF), UInt8(ticks >> 8)]), at: instant))
    }
    if let ended {
      events.append(SensorEvent(.ended(ended), at: BootInstant(microseconds: Int64(seconds) * 1_000_000 + 500_000)))
    }
    return Capture(
      header: CaptureHeader(
        session: Self.session, sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Strap"),
        source: "sensord 0.1.0", metadata: ["game": "Tetris"]),
      events: events)
  }

  @Test("a capture becomes one session with its rates, its beats, and what the sensor told about itself")
  func wholeSession() throws {
    let session = try RecordedSession(of: capture(seconds: 60), version: "0.1.0")
    #expect(session.id == Self.session)
    #expect(session.syncVersion == 60)
    #expect(session.endReason == "shutdown")
    #expect(session.rates.count == 60)
    #expect(session.rates.allSatisfy { $0.beatsPerMinute == 60 && $0.contact == .detected })
    #expect(session.rates.first?.time == Timestamp(microseconds: Self.start + 1_000_000))
    #expect(session.heartbeats.beats.count == 60)
    #expect(session.heartbeats.runs.count == 1)
    #expect(session.heartbeats.gapCount == 0)
    #expect(session.device.localIdentifier == "C0:FF:EE:00:00:01")
    #expect(session.device.manufacturer == "Maker")
    #expect(session.device.uniqueDeviceIdentifier == "0001")
    #expect(session.metadata["game"] == .text("Tetris"))
    #expect(session.quality.batteryStartPercent == 80)
    #expect(session.quality.notifications == 60)
  }

  @Test("what was said of a session keeps its type, and the time without a recorder is in the quality report")
  func typedMetadata() throws {
    var capture = capture(seconds: 60)
    capture.header.metadata = [
      "game": "Tetris", "level": .integer(-3), "speed": .real(1.25), "ranked": .flag(true),
      "began": .time(Timestamp(microseconds: 5)),
    ]
    var session = try RecordedSession(of: capture, version: "0.1.0")
    #expect(session.metadata["game"] == .text("Tetris"))
    #expect(session.metadata["level"] == .integer(-3))
    #expect(session.metadata["speed"] == .real(1.25))
    #expect(session.metadata["ranked"] == .flag(true))
    #expect(session.metadata["began"] == .time(Timestamp(microseconds: 5)))
    #expect(session.quality.stalledMicroseconds == nil)
    let instant = try #require(capture.log.last?.instant)
    capture.log.append(SensorEvent(.stalled(microseconds: 2_500_000), at: instant))
    session = try RecordedSession(of: capture, version: "0.1.0")
    #expect(session.quality.stalledMicroseconds == 2_500_000)
  }

  @Test("a lost link is a gap with BlueZ's reason, and no interval is formed across it")
  func lostLink() throws {
    let session = try RecordedSession(of: capture(seconds: 60, losses: [30]), version: "0.1.0")
    #expect(session.heartbeats.gapCount == 1)
    #expect(session.heartbeats.runs.count == 2)
    #expect(session.gaps.map(\.reason) == ["link"])
    #expect(session.gaps.map(\.detail) == ["timeout"])
    #expect(session.quality.linkLosses == 1)
  }

  @Test("variability is that of the intervals after the first, whose beginning nobody saw")
  func variability() throws {
    let session = try RecordedSession(of: capture(seconds: 90), version: "0.1.0")
    let milliseconds = (2...90).map { Double(Self.intervals[$0 % Self.intervals.count]) / 1.024 }
    let mean = milliseconds.reduce(0, +) / 89
    let deviations = milliseconds.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
    let steps = zip(milliseconds, milliseconds.dropFirst()).map { ($1 - $0) * ($1 - $0) }.reduce(0, +)
    let sdnn = try #require(session.variability.sdnnMilliseconds)
    let rmssd = try #require(session.variability.rmssdMilliseconds)
    #expect(abs(sdnn - (deviations / 88).squareRoot()) < 1e-9)
    #expect(abs(rmssd - (steps / 88).squareRoot()) < 1e-9)
    #expect(session.variability.pnn50 == 0)
  }

  @Test("a figure that a report of the whole session refuses is not stored either, all others are equal")
  func oneTruth() throws {
    // A minute is needed, and intervals in half of it: too short, long enough, and with too many holes.
    let holes = Set((1...120).filter { $0 % 8 != 0 })
    for (seconds, losses, isGiven) in [(8, [], false), (90, [], true), (120, holes, false)] as [(Int, Set<Int>, Bool)] {
      let session = try RecordedSession(of: capture(seconds: seconds, losses: losses), version: "0.1.0")
      let span = try #require(TimeSpan(start: session.start, end: session.end))
      let report = VariabilityReport(NNIntervals(session.heartbeats), in: span)
      let figures = session.variability
      #expect(figures.sdnnMilliseconds == (try? report.figure(.sdnn))?.value)
      #expect(figures.rmssdMilliseconds == (try? report.figure(.rmssd))?.value)
      #expect(figures.pnn50 == (try? report.figure(.pnn50))?.value)
      #expect((figures.sdnnMilliseconds != nil) == isGiven, "\(seconds) s")
    }
  }

  @Test("intervals that the sensor computed from its rate are counted in the quality report, and are no beats")
  func inventedIntervals() throws {
    var session = try RecordedSession(of: capture(seconds: 60), version: "0.1.0")
    #expect(session.quality.intervalHabit == nil)
    var invented = capture(seconds: 1, ended: nil)
    for second in 2...200 {
      let rate = UInt8(60 + second / 20)
      let ticks = 61_440 / Int(rate)
      invented.log.append(
        SensorEvent(
          .measurement([0x10, rate, UInt8(ticks & 0xFF), UInt8(ticks >> 8)]),
          at: BootInstant(microseconds: Int64(second) * 1_000_000)))
    }
    session = try RecordedSession(of: invented, version: "0.1.0")
    #expect(session.quality.leftOutIntervals == 200 && session.quality.intervalHabit == .invented)
    #expect(session.heartbeats.beats.isEmpty && session.rates.count == 200)
    #expect(session.variability == HeartRateVariabilitySummary())
  }

  @Test("packets that came before their beats were due are counted in the quality report")
  func earlyPackets() throws {
    var capture = capture(seconds: 1, losses: [1], ended: nil)
    let ticks = (0..<900).map { 850 + $0 * 97 % 301 }
    var beats: [Int64] = []
    for interval in ticks { beats.append((beats.last ?? 2_000_000) + Int64(interval) * 1_000_000 / 1024) }
    // Each interval is handed on two beats later, in six packets by mistake half a second before that.
    for (index, interval) in ticks.dropLast(2).enumerated() {
      let arrival = beats[index + 2] + Int64(index % 7) * 5_000 - (index % 150 == 75 ? 500_000 : 0)
      capture.log.append(
        SensorEvent(
          .measurement([0x16, 60, UInt8(interval & 0xFF), UInt8(interval >> 8)]),
          at: BootInstant(microseconds: arrival)))
    }
    let session = try RecordedSession(of: capture, version: "0.1.0")
    #expect(session.quality.releaseDepthBeats == 2)
    #expect(session.quality.earlyPackets == 6)
    #expect(
      try RecordedSession(of: self.capture(seconds: 60), version: "0.1.0").quality.earlyPackets == nil)
  }

  @Test("surplus beats keep their flag and bound no interval, and their gap keeps its reason")
  func surplus() throws {
    var capture = capture(seconds: 100)
    var log = SensorEventLog()
    for event in capture.events {
      log.append(event)
      // One value that is no interval: it says "none".
      if event.instant == BootInstant(microseconds: 50_000_000) {
        log.append(SensorEvent(.measurement([0x16, 60, 0xFF, 0xFF]), at: event.instant))
      }
    }
    capture.log = log
    let session = try RecordedSession(of: capture, version: "0.1.0")
    let flagged = session.heartbeats.beats.indices.filter { session.heartbeats.beats[$0].flags.contains(.surplus) }
    #expect(flagged == [50])
    #expect(session.gaps.contains { $0.reason == "surplus" })
    let intervals = NNIntervals(session.heartbeats)
    #expect(intervals.count == 98)
    #expect(intervals.seconds.allSatisfy { $0 < 1.1 })
    #expect(intervals.exclusions.map(\.reason) == [.firstOfRun, .surplus, .firstOfRun])
  }

  @Test("a capture without an end is said to end with it")
  func openEnd() throws {
    let session = try RecordedSession(of: capture(seconds: 10, ended: nil), version: "0.1.0")
    #expect(session.endReason == "captureEnd")
  }

  @Test("a capture that was written to a file and read again gives the same session, to the last bit")
  func deterministic() throws {
    let capture = capture(seconds: 300, losses: [50, 51, 200])
    let read = try #require(CaptureReader.read(CaptureEncoder.encode(capture)).captures.first)
    #expect(try RecordedSession(of: read, version: "0.1.0") == RecordedSession(of: capture, version: "0.1.0"))
  }
}
