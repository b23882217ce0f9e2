import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// Filling stores, and what that costs.
enum Loading {
  private static let source = SourceRevision(identifier: "benchmark", name: "benchmark")

  static func rates(years: [String], into path: String) async throws {
    let years = try years.map(MadeUpYear.init(path:))
    let store = try HealthStore.open(path, for: .writing)
    let clock = ContinuousClock()
    let start = clock.now
    var count = 0
    var samples: [NewSample] = []
    for (number, year) in years.enumerated() {
      for session in year.sessions {
        var builder = QuantitySeriesBuilder(
          type: .heartRate, start: session.start, device: Device(name: "strap \(number)"))
        for (stamp, rate) in zip(session.stamps, session.rates) {
          let time = Timestamp(milliseconds: stamp)
          try builder.insert(Double(rate), from: time, to: time)
        }
        samples.append(try builder.finish())
        count += session.rates.count
      }
    }
    let packed = clock.now
    try await store.save(samples, as: source)
    let saved = clock.now
    StoreBenchmark.show("samples", count)
    StoreBenchmark.show("pack-seconds", (packed - start) / .seconds(1))
    StoreBenchmark.show("insert-seconds", (saved - start) / .seconds(1))
    await store.close()
  }

  static func beats(year: String, into path: String) async throws {
    let year = try MadeUpYear(path: year)
    let store = try HealthStore.open(path, for: .writing)
    let clock = ContinuousClock()
    let start = clock.now
    var count = 0
    var samples: [NewSample] = []
    for session in year.sessions {
      let series = try series(of: session)
      count += series.beats.count
      if let sample = NewSample(heartbeats: series) { samples.append(sample) }
    }
    try await store.save(samples, as: source)
    StoreBenchmark.show("beats", count)
    StoreBenchmark.show("insert-seconds", (clock.now - start) / .seconds(1))
    await store.close()
  }

  static func sessions(year: String, into path: String, count: Int) async throws {
    let year = try MadeUpYear(path: year)
    let store = try HealthStore.open(path, for: .writing)
    for (number, session) in year.sessions.prefix(count).enumerated() {
      let rates = zip(session.stamps, session.rates).map { stamp, rate in
        HeartRateValue(time: Timestamp(milliseconds: stamp), beatsPerMinute: UInt16(rate), contact: .detected)
      }
      let end = rates.last?.time ?? session.start
      _ = try await store.commit(
        RecordedSession(
          id: UUID(), syncVersion: Int64(rates.count), device: device(number % 3), source: source, start: session.start,
          end: end, endReason: "request", rates: rates, heartbeats: try series(of: session),
          gaps: gaps(in: session.start, end), coverage: Coverage(floor: 0.99, ceiling: 0.995),
          variability: HeartRateVariabilitySummary(
            sdnnMilliseconds: 41.5 + Double(number) / 7, rmssdMilliseconds: 23.25 + Double(number) / 9,
            pnn50: 4.125 + Double(number) / 11), quality: QualityReport(quality)))
    }
    await store.close()
  }

  private static func device(_ number: Int) -> Device {
    Device(
      name: "strap \(number)", manufacturer: "A maker of straps", model: "H10", hardwareVersion: "00760690.03",
      firmwareVersion: "3.1.1", localIdentifier: "C0:FF:EE:00:00:0\(number)")
  }

  /// As a link that was lost twice leaves them.
  private static func gaps(in start: Timestamp, _ end: Timestamp) -> [RecordingGap] {
    [600, 1800 as Int64].map { second in
      let begin = start.advanced(byMicroseconds: second * 1_000_000)
      return RecordingGap(
        reason: "link", detail: "connection timeout", start: begin, end: begin.advanced(byMicroseconds: 12_345_678),
        estimatedLostBeats: 14.25)
    }
  }

  /// What a recorder usually has to say of an hour.
  private static let quality: Metadata = [
    "algorithmVersion": 5, "notifications": 3600, "linkLosses": 2, "releaseDepthBeats": 1.25,
    "releaseDepthErrorBeats": 0.125, "driftPartsPerMillion": -11.734375, "driftErrorPartsPerMillion": 3.21875,
    "latencyMedianMicroseconds": 224_117, "latency95Microseconds": 487_342, "latencyGreatestMicroseconds": 1_873_211,
    "earlyPackets": 12, "batteryStartPercent": 80, "batteryEndPercent": 78, "bodySensorLocation": "chest",
    "signalWeakestDBm": -71, "signalStrongestDBm": -58,
  ]

  /// The first night begins at 22:13 UTC; each has 27 stages of a thousand seconds.
  static let (firstNight, stagesOfNight) = (1_400_105_580 as Int64, 27 as Int64)

  static func categories(count: Int, into path: String) async throws {
    let store = try HealthStore.open(path, for: .writing)
    var samples: [NewSample] = []
    for index in 0..<Int64(count) {
      let (night, stage) = index.quotientAndRemainder(dividingBy: stagesOfNight)
      let start = Timestamp(milliseconds: (firstNight + night * 86_400 + stage * 1_000) * 1000)
      guard let span = TimeSpan(start: start, end: start.advanced(byMicroseconds: 1_000_000_000)) else { continue }
      samples.append(NewSample(.sleepAnalysis, CategoryValue(rawValue: index % 6), over: span))
    }
    let clock = ContinuousClock()
    let start = clock.now
    try await store.save(samples, as: source)
    StoreBenchmark.show("insert-seconds", (clock.now - start) / .seconds(1))
    await store.close()
  }

  private static func series(of session: MadeUpYear.Session) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: 1024)
    builder.reserveCapacity(session.intervals.count)
    try builder.beginRun(AffineTimeMap(anchor: session.start))
    for interval in session.intervals { try builder.add(rrTicks: UInt32(interval)) }
    return try builder.finish()
  }

  /// One value a second, in order or each of them somewhere else; what the process needed at most, before and after.
  static func builder(seconds: Int, mixed: Bool) throws {
    let before = peakMemory()
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Timestamp(milliseconds: 1_704_067_200_000))
    // Coprime to all numbers of seconds that are tried, so that it reaches every second once.
    let stride = mixed ? 7_368_787 : 1
    for number in 0..<seconds {
      let second = Int64(number * stride % seconds)
      let time = Timestamp(milliseconds: 1_704_067_200_000 + second * 1000 + second % 47)
      try builder.insert(Double(60 + second % 61 + second / 3600 % 24), from: time, to: time)
    }
    StoreBenchmark.show("peak-while-inserting-kb", peakMemory() - before)
    _ = try builder.finish()
    StoreBenchmark.show("peak-after-finish-kb", peakMemory() - before)
  }

  /// The most that this program has had resident, in kilobytes; `getrusage` would count what started it, too.
  static func peakMemory() -> Int {
    guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let line = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
