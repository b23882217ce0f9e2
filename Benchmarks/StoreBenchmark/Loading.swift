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
          id: UUID(), syncVersion: Int64(rates.count), device: Device(name: "strap \(number % 3)"), source: source,
          start: session.start, end: end, endReason: "request", rates: rates, heartbeats: try series(of: session)))
    }
    await store.close()
  }

  static func categories(count: Int, into path: String) async throws {
    let store = try HealthStore.open(path, for: .writing)
    var samples: [NewSample] = []
    for index in 0..<Int64(count) {
      let start = Timestamp(milliseconds: (1_700_000_000 + index * 600) * 1000)
      guard let span = TimeSpan(start: start, end: start.advanced(byMicroseconds: 599_000_000)) else { continue }
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
  private static func peakMemory() -> Int {
    guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let line = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
