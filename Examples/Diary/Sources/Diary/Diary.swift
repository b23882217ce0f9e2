import FoundationEssentials
import HealthModel
import SeriesStore

/// A diary of moods, nights and blood pressure in one file: the library as its documentation tells it.
@main
struct Diary {
  static let program = SourceRevision(identifier: "org.example.diary", name: "Diary", version: "1.0")
  static let evening = Timestamp(Date(timeIntervalSince1970: 1_795_350_600))

  static func main() async throws {
    guard CommandLine.arguments.count == 2 else { return print("usage: Diary FILE") }
    let mood = try QuantityType("org.example.mood", unit: .count, style: .discreteArithmetic)
    let types = try QuantityTypeRegistry([mood])
    let store = try HealthStore.open(CommandLine.arguments[1], for: .writing, types: types)
    try await store.save(try moods(mood), as: program)

    // What is there, and then what each save brings.
    var unsaved = [try bloodPressure(), night()]
    var seen: Int64 = 0
    for try await changes in ChangeQuery(after: .start).results(for: store) {
      for sample in changes.value.added where sample.change > seen { print("new: \(sample)") }
      seen = changes.change
      guard let next = unsaved.popLast() else { break }
      try await store.save(next, as: program)
    }

    let average = try StatisticsCollectionQuery(mood, [.average], buckets: .single)
    for bucket in try await average.result(for: store).value { print("mood: \(bucket.average ?? 0)") }
    let asleep = SamplePredicate.and([.type(.category(.sleepAnalysis)), .value(CategoryValue.allAsleepValues)])
    print("asleep: \(try await SampleQuery(asleep).result(for: store).value.count) stage")
    for whole in try await SampleQuery(.type(.correlation(.bloodPressure))).result(for: store).value {
      let parts = try await SampleQuery(.part(of: whole.id)).result(for: store).value
      print("blood pressure:", parts.compactMap(\.summary?.mostRecent).sorted(by: >))
    }
  }

  static func moods(_ type: QuantityType) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: type, start: evening)
    for (hours, value) in [(0, 3.0), (1, 4.0), (2, 5.0)] {
      try builder.insert(Quantity(value, .count), for: TimeSpan(at: evening.advanced(by: .seconds(hours * 3600))))
    }
    return try builder.finish(sync: .init(identifier: "evening", version: 1))
  }

  static func night() -> NewSample {
    let hour = DateInterval(start: evening.date, duration: 3600)
    return NewSample(.sleepAnalysis, .asleepDeep, over: TimeSpan(hour), device: Device(name: "Ring"))
  }

  static func bloodPressure() throws -> NewSample {
    let now = TimeSpan(at: evening)
    let systolic = try NewSample(.bloodPressureSystolic, Quantity(120, .millimeterOfMercury), over: now)
    let diastolic = try NewSample(.bloodPressureDiastolic, Quantity(80, .millimeterOfMercury), over: now)
    return try NewSample(.bloodPressure, of: [systolic, diastolic], metadata: ["arm": "left"])
  }
}
