import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// Asking stores.
enum Querying {
  private static func collection(
    _ count: Int, _ unit: CalendarInterval.Unit, _ zone: String
  ) throws -> StatisticsCollectionQuery {
    guard let interval = CalendarInterval(count, unit) else { throw BenchmarkError.usage }
    return try StatisticsCollectionQuery(
      .heartRate, [.average, .minimum, .maximum],
      buckets: .natural(interval, zone: try TimeZoneRules.named(zone)))
  }

  /// One night in the middle of all, as `sensord health sleep DAY` asks for it: with three days before and two after.
  static func nights(of path: String) async throws {
    let store = try HealthStore.open(path, for: .reading)
    let day: Int64 = 86_400_000_000
    let middle = (Loading.firstNight + 1_800 * 86_400) * 1_000_000
    let (from, to) = (Timestamp(microseconds: middle - 3 * day), Timestamp(microseconds: middle + 3 * day))
    let query = SampleQuery(
      .and([
        .type(.category(.sleepAnalysis)),
        .time(from: from, to: to, strictness: .start),
      ]))
    let nights = try await StoreBenchmark.time("night", times: 101) {
      SleepNight.nights(of: try await query.result(for: store).value.compactMap(SleepInterval.init), in: .utc)
    }
    StoreBenchmark.show("nights-read", nights.count)
  }

  static func hourly(of path: String, times: Int) async throws {
    let store = try HealthStore.open(path, for: .reading)
    let query = try collection(1, .hour, "UTC")
    for _ in 0..<times { _ = try await query.result(for: store) }
  }

  static func statistics(of path: String, answers: String) async throws {
    let store = try HealthStore.open(path, for: .reading)
    let queries = [
      ("hourly", try collection(1, .hour, "UTC")), ("daily", try collection(1, .day, "UTC")),
      ("kolkata", try collection(1, .hour, "Asia/Kolkata")), ("quarter", try collection(15, .minute, "UTC")),
    ]
    for (name, query) in queries {
      let answer = try await StoreBenchmark.time(name, times: 41) { try await query.result(for: store).value }
      try write(
        answer.filter { $0.count > 0 }.map {
          "\($0.start.microseconds / 1000),\($0.count),\($0.average ?? -1),\($0.minimum ?? -1),\($0.maximum ?? -1)"
        }, to: "\(answers)/\(name).csv")
    }
    let samples = try await SampleQuery(.type(.quantity(.heartRate))).result(for: store).value
    var sums: [String] = []
    for sample in samples {
      let list = try await QuantityQuery(.heartRate, predicate: .identifier([sample.id])).result(for: store).value
      sums.append(summary(of: list.quantities))
    }
    try write(sums, to: "\(answers)/session.csv")
    // All sessions one after the other, each asked for by itself and walked through.
    _ = try await StoreBenchmark.time("session-all", times: 11) {
      var sum = 0.0
      for sample in samples {
        let list = try await QuantityQuery(.heartRate, predicate: .identifier([sample.id])).result(for: store).value
        for index in list.quantities.starts.indices { sum += list.quantities.values[index] }
      }
      return sum
    }
    StoreBenchmark.show("sessions", samples.count)
  }

  private static func summary(of track: QuantityTrack) -> String {
    let milliseconds = track.starts.reduce(0) { $0 + $1 / 1000 }
    return "\(track.starts.count),\(Int(track.values.reduce(0, +))),\(milliseconds)"
  }

  static func merge(_ path: String, answers: String) async throws {
    let store = try HealthStore.open(path, for: .reading)
    let query = QuantityQuery(.heartRate)
    let list = try await StoreBenchmark.time("merge", times: 5) { try await query.result(for: store).value }
    var lines: [String] = []
    lines.reserveCapacity(list.count)
    for index in list.quantities.starts.indices {
      lines.append("\(list.quantities.starts[index] / 1000),\(Int(list.quantities.values[index]))")
    }
    try write(lines, to: "\(answers)/merge.csv")
  }

  /// Every quantity once, in batches or in one answer, and what that takes of memory.
  static func read(_ path: String, inBatches: Bool) async throws {
    let store = try HealthStore.open(path, for: .reading)
    let query = QuantityQuery(.heartRate)
    let before = Loading.peakMemory()
    var count = 0
    var sum = 0.0
    func add(_ list: QuantityList) {
      count += list.count
      for value in list.quantities.values { sum += value }
    }
    if inBatches {
      for try await batch in query.batches(for: store) { add(batch) }
    } else {
      add(try await query.result(for: store).value)
    }
    StoreBenchmark.show("values", count)
    StoreBenchmark.show("sum", sum)
    StoreBenchmark.show("peak-kb", Loading.peakMemory() - before)
  }

  static func open(_ path: String) async throws {
    for access in [HealthStore.Access.reading, .recording] {
      let store = try HealthStore.open(path, for: access)
      await store.close()
    }
  }

  private static func write(_ lines: [String], to path: String) throws {
    guard let file = unsafe fopen(path, "w") else { throw BenchmarkError.unreadable(path) }
    defer { unsafe fclose(file) }
    for line in lines { unsafe fputs(line + "\n", file) }
  }
}
