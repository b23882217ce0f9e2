import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// A store that is changed at random around a day on which clocks change, and the same samples as plain rows.
struct PlainWorld {
  typealias Sample = PlainRows.Sample

  static let types: [QuantityType] = [.heartRate, .bodyMass, .stepCount, .environmentalAudioExposure]
  static let sources = [
    DataSource(source: "a", device: "strap"), DataSource(source: "a", device: "watch"),
    DataSource(source: "b", device: "phone"), DataSource(source: "b"),
  ]
  static let length = 300

  let store: HealthStore
  let calendar: PlainCalendar
  let zone: TimeZoneRules
  /// Seconds that a tick has.
  let tick: Int64
  /// The second since 1970 that tick 0 begins with: of a quarter of an hour.
  let origin: Int64
  private(set) var samples: [Sample] = []
  private var saved = 0

  init(in store: HealthStore, _ random: inout SeededGenerator) async throws {
    self.store = store
    calendar = PlainCalendar.all.randomElement(using: &random)!
    zone = try TimeZoneRules.named(calendar.name)
    tick = [1, 5, 60, 300, 900].randomElement(using: &random)!
    let before = tick * Int64.random(in: 0...Int64(Self.length), using: &random)
    origin = (calendar.changes.randomElement(using: &random)! - before) / 900 * 900
    for _ in 0..<4 { try await save(&random) }
  }

  func time(_ tick: Int) -> Timestamp { Timestamp(microseconds: (origin + Int64(tick) * self.tick) * 1_000_000) }

  private func program(_ identifier: String) -> SourceRevision {
    SourceRevision(identifier: identifier, name: identifier.uppercased())
  }

  private func device(of source: DataSource) -> Device? { source.device.map { Device(localIdentifier: $0) } }

  /// One thing that may happen to a store.
  mutating func change(_ random: inout SeededGenerator) async throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try await delete(&random)
    case 1: try await saveInVain(&random)
    default: try await save(&random)
    }
  }

  private mutating func save(_ random: inout SeededGenerator) async throws {
    let name = ["a", "b"].randomElement(using: &random)!
    let news = try (0..<Int.random(in: 1...3, using: &random)).map { _ in try series(of: name, &random) }
    let outcomes = try await store.save(news.map(\.new), as: program(name))
    #expect(outcomes == news.map { keep($0.plain) })
  }

  /// What must become of a sample that is saved.
  private mutating func keep(_ sample: Sample) -> CommitOutcome {
    var sample = sample
    var outcome = CommitOutcome.stored
    let earlier = samples.firstIndex {
      sample.sync != nil && $0.sync?.identifier == sample.sync?.identifier && $0.source.source == sample.source.source
    }
    if let earlier, let version = samples[earlier].sync?.version {
      guard sample.sync?.version ?? 0 > version else { return .unchanged }
      samples.remove(at: earlier)
      outcome = .replaced
    }
    saved += 1
    sample.order = saved
    samples.append(sample)
    return outcome
  }

  /// A save of which one part is refused leaves nothing of the others.
  private func saveInVain(_ random: inout SeededGenerator) async throws {
    guard let there = samples.randomElement(using: &random) else { return }
    var (new, _) = try series(of: there.source.source, &random)
    new.sync = nil
    var (again, _) = try series(of: there.source.source, id: there.id, &random)
    again.sync = nil
    await #expect { try await store.save([new, again], as: program(there.source.source)) } throws: {
      ($0 as? StoreError)?.code == .invalid
    }
  }

  private mutating func delete(_ random: inout SeededGenerator) async throws {
    guard let index = samples.indices.randomElement(using: &random) else { return }
    let sample = samples[index]
    let other = sample.source.source == "a" ? "b" : "a"
    await #expect { try await store.delete([sample.id], as: other) } throws: {
      ($0 as? StoreError)?.code == .permission
    }
    try await store.delete([sample.id], as: sample.source.source)
    samples.remove(at: index)
  }

  /// A series in a builder, whose rows come in any order and replace each other, or all stay, and what is left of them.
  private func series(
    of program: String, id: UUID? = nil, _ random: inout SeededGenerator
  ) throws -> (new: NewSample, plain: Sample) {
    let source = Self.sources.filter { $0.source == program }.randomElement(using: &random)!
    let type = Self.types.randomElement(using: &random)!
    let order: QuantitySeriesBuilder.Order = Int.random(in: 0..<4, using: &random) == 0 ? .recorded : .sorting
    let first = Int.random(in: 0..<Self.length - 1, using: &random)
    let reach = min(Self.length - 1 - first, [3, 20, 80, 300].randomElement(using: &random)!)
    let longest = [0, 0, 3, 30].randomElement(using: &random)!
    var inserts = (0..<Int.random(in: 1...25, using: &random)).map { _ in
      let start = first + Int.random(in: 0...reach, using: &random)
      return PlainRows.Row(
        start: start, end: min(Self.length, start + Int.random(in: 0...longest, using: &random)),
        value: Double(Int.random(in: 400...990, using: &random)) / 10)
    }
    if order == .recorded || Bool.random(using: &random) { inserts.sort { $0.start < $1.start } }
    let begin = max(0, first - Int.random(in: 0...4, using: &random))
    var builder = QuantitySeriesBuilder(type: type, start: time(begin), device: device(of: source), order: order)
    var rows: [PlainRows.Row] = []
    for row in inserts {
      try builder.insert(row.value, from: time(row.start), to: time(row.end))
      if order == .sorting { rows.removeAll { $0.start == row.start } }
      rows.append(row)
    }
    rows.sort { $0.start < $1.start }
    let latest = rows.map(\.end).max() ?? first
    let end = Bool.random(using: &random) ? nil : min(Self.length, latest + Int.random(in: 0...4, using: &random))
    let sync: SyncIdentity? =
      Int.random(in: 0..<3, using: &random) > 0
      ? nil
      : SyncIdentity(
        identifier: "object \(Int.random(in: 0..<3, using: &random))", version: Int64.random(in: 1...5, using: &random))
    let id = id ?? UUID()
    let new = try builder.finish(id: id, end: end.map(time), sync: sync)
    return (
      new,
      Sample(
        id: id, type: type, source: source, start: begin, end: end ?? latest, rows: rows, sync: sync, order: 0)
    )
  }
}
