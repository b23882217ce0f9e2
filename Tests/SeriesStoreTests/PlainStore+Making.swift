import FoundationEssentials
import TestSupport

@testable import HealthModel
@testable import SeriesStore

extension PlainStore {
  typealias Made = (new: NewSample, plain: Object)

  static let programs = ["a", "b"]
  static let types: [SampleType] = [
    .quantity(.heartRate), .quantity(.stepCount), .quantity(.bodyMass), .heartbeatSeries, .category(.sleepAnalysis),
    .category(CategoryType(identifier: "mood")), .correlation(pair),
    .workout, .visionPrescription, SampleType(identifier: "skiDescent", kind: FutureContent.kind),
  ]
  /// A correlation that asks for no parts of certain types.
  private static let pair = CorrelationType(identifier: "pair", parts: [])

  /// Seconds of the world.
  static let length = 120

  static func time(_ second: Int) -> Timestamp {
    Timestamp(microseconds: 1_714_920_600_000_000 + Int64(second) * 1_000_000)
  }

  /// A program in one of two versions.
  static func source(_ identifier: String, _ random: inout SeededGenerator) -> SourceRevision {
    SourceRevision(
      identifier: identifier, name: identifier.uppercased(), version: Bool.random(using: &random) ? "1" : "2")
  }

  /// What all samples have, at random.
  private struct Frame {
    var id: UUID
    var device: Device?
    var metadata: Metadata
    var sync: SyncIdentity?

    init(id: UUID, _ random: inout SeededGenerator) {
      self.id = id
      device = [nil, Device(localIdentifier: "strap"), Device(name: "Ring")].randomElement(using: &random)!
      metadata = [:]
      if Bool.random(using: &random) { metadata["level"] = .integer(Int64.random(in: 0..<4, using: &random)) }
      if Bool.random(using: &random) { metadata["room"] = ["kitchen", "bath"].randomElement(using: &random)! }
      if Bool.random(using: &random) {
        metadata["dose"] = .quantity(Quantity(Double(Int.random(in: 1...3, using: &random)), .kilogram))
      }
      if Int.random(in: 0..<5, using: &random) < 2 {
        sync = SyncIdentity(
          identifier: "object \(Int.random(in: 0..<4, using: &random))", version: .random(in: 1...5, using: &random))
      }
    }
  }

  /// A sample of any kind: as it is saved, and as it has to be returned. `canHaveParts` if it may be a correlation.
  static func sample(
    from source: SourceRevision, id: UUID = UUID(), canHaveParts: Bool = true, _ random: inout SeededGenerator
  ) throws -> Made {
    let frame = Frame(id: id, &random)
    let start = Int.random(in: 0..<length - 30, using: &random)
    switch Int.random(in: 0..<(canHaveParts ? 10 : 8), using: &random) {
    case 0, 1:
      return try series([.heartRate, .stepCount].randomElement(using: &random)!, start, frame, source, &random)
    case 2:
      let row = PlainRows.Row(start: start, end: start, value: Double(Int.random(in: 100...200, using: &random)) / 2)
      let new = try NewSample(
        .bodyMass, Quantity(row.value * 1000, try Unit(parsing: "g")), over: TimeSpan(at: time(start)), id: id,
        device: frame.device, metadata: frame.metadata, sync: frame.sync)
      return (new, object(.quantity(.bodyMass), (start, start), frame, source, rows: [row]))
    case 3: return try beats(start, frame, source, &random)
    case 4:
      let span = (start, start + Int.random(in: 0...20, using: &random))
      let type = [CategoryType.sleepAnalysis, CategoryType(identifier: "mood")].randomElement(using: &random)!
      let value = CategoryValue(rawValue: Int64.random(in: -1...5, using: &random))
      let new = NewSample(
        type, value, over: TimeSpan(start: time(span.0), end: time(span.1))!, id: id, device: frame.device,
        metadata: frame.metadata, sync: frame.sync)
      return (new, object(.category(type), span, frame, source, count: 1, value: value.rawValue))
    case 5:
      let type = SampleType(identifier: "skiDescent", kind: FutureContent.kind)
      let new = NewSample(
        FutureContent(), of: type, over: TimeSpan(start: time(start), end: time(start + 9))!, id: id,
        device: frame.device, metadata: frame.metadata, sync: frame.sync)
      return (new, object(type, (start, start + 9), frame, source, count: 3))
    case 6: return try workout(start, frame, source, &random)
    case 7:
      let lens = GlassesLensSpecification(sphere: Double(Int.random(in: -8...8, using: &random)) / 4)
      let both = Bool.random(using: &random)
      let new = try NewSample(
        .glasses(GlassesPrescription(rightEye: lens, leftEye: both ? lens : nil)), issued: time(start),
        expires: time(start + 3), id: id, device: frame.device, metadata: frame.metadata, sync: frame.sync)
      return (
        new, object(.visionPrescription, (start, start + 3), frame, source, count: both ? 2 : 1, value: 1)
      )
    default: return try correlation(frame, source, &random)
    }
  }

  /// Rows in any order, some of which replace others.
  private static func series(
    _ type: QuantityType, _ start: Int, _ frame: Frame, _ source: SourceRevision, _ random: inout SeededGenerator
  ) throws -> Made {
    let isRecorded = Int.random(in: 0..<4, using: &random) == 0
    var inserts = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      let first = start + Int.random(in: 0...20, using: &random)
      return PlainRows.Row(
        start: first, end: first + Int.random(in: 0...3, using: &random),
        value: Double(Int.random(in: 80...200, using: &random)) / 2)
    }
    if isRecorded { inserts.sort { $0.start < $1.start } }
    var builder = QuantitySeriesBuilder(
      type: type, start: time(start), device: frame.device, order: isRecorded ? .recorded : .sorting)
    var rows: [PlainRows.Row] = []
    for row in inserts {
      try builder.insert(row.value, from: time(row.start), to: time(row.end))
      if !isRecorded { rows.removeAll { $0.start == row.start } }
      rows.append(row)
    }
    rows.sort { $0.start < $1.start }
    let end = (rows.map(\.end).max() ?? start) + Int.random(in: 0...2, using: &random)
    let new = try builder.finish(id: frame.id, end: time(end), metadata: frame.metadata, sync: frame.sync)
    return (new, object(.quantity(type), (start, end), frame, source, rows: rows))
  }

  private static func beats(
    _ start: Int, _ frame: Frame, _ source: SourceRevision, _ random: inout SeededGenerator
  ) throws -> Made {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    var ticks: Int64 = 0
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      ticks += Int64.random(in: 300...2000, using: &random)
      try builder.add(
        atTicks: ticks, since: time(start), precededByGap: Int.random(in: 0..<4, using: &random) == 0,
        flags: Heartbeat.Flags(rawValue: .random(in: 0...255, using: &random)))
    }
    let series = try builder.finish()
    let new = NewSample(
      heartbeats: series, id: frame.id, device: frame.device, metadata: frame.metadata, sync: frame.sync)!
    var plain = object(.heartbeatSeries, (start, start), frame, source, count: series.beats.count)
    plain.sample.end = time(start).advanced(byMicroseconds: ticks * 1000)
    plain.beats = series
    return (new, plain)
  }

  /// Activities one after the other, some of them paused; what is collected with workouts has random trials of its own.
  private static func workout(
    _ start: Int, _ frame: Frame, _ source: SourceRevision, _ random: inout SeededGenerator
  ) throws -> Made {
    let type = [WorkoutActivityType.running, .fitnessGaming].randomElement(using: &random)!
    var activities: [WorkoutActivity] = []
    var end = start
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let begin = end + Int.random(in: 0...2, using: &random)
      end = begin + Int.random(in: 0...6, using: &random)
      activities.append(
        WorkoutActivity(.init(type), over: TimeSpan(start: time(begin), end: time(end))!, metadata: frame.metadata))
    }
    end += 1
    let workout = Workout(
      id: frame.id, .init(type), over: TimeSpan(start: time(start), end: time(end))!,
      events: [WorkoutEvent(.pause, at: time(end - 1), metadata: frame.metadata)], activities: activities,
      metadata: frame.metadata)
    let new = try NewSample(workout, device: frame.device, sync: frame.sync)
    var plain = object(
      .workout, (start, end), frame, source, count: activities.count, value: type.rawValue)
    plain.workout = workout
    return (new, plain)
  }

  private static func correlation(
    _ frame: Frame, _ source: SourceRevision, _ random: inout SeededGenerator
  ) throws -> Made {
    let parts = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
      try sample(from: source, canHaveParts: false, &random)
    }
    let new = try NewSample(
      pair, of: parts.map(\.new), id: frame.id, device: frame.device, metadata: frame.metadata, sync: frame.sync)
    var plain = object(.correlation(pair), (0, 0), frame, source, count: parts.count)
    plain.parts = parts.map(\.plain)
    plain.sample.start = plain.parts.map(\.sample.start).min()!
    plain.sample.end = plain.parts.map(\.sample.end).max()!
    return (new, plain)
  }

  private static func object(
    _ type: SampleType, _ span: (start: Int, end: Int), _ frame: Frame, _ source: SourceRevision, count: Int? = nil,
    value: Int64? = nil, rows: [PlainRows.Row] = []
  ) -> Object {
    Object(
      sample: HealthSample(
        id: frame.id, type: type, source: source, device: frame.device, start: time(span.start), end: time(span.end),
        count: count ?? rows.count, value: value, summary: summary(of: rows, type.quantityType),
        metadata: frame.metadata, session: nil, syncIdentifier: frame.sync?.identifier,
        syncVersion: frame.sync?.version, change: 0),
      rows: rows)
  }

  /// Every value is a multiple of a half, so that no sum depends on its order.
  private static func summary(of rows: [PlainRows.Row], _ type: QuantityType?) -> SampleSummary? {
    guard let type, let last = rows.last else { return nil }
    let sum = rows.map(\.value).reduce(0, +)
    let duration = rows.map { Double($0.end - $0.start) }.reduce(0, +) * 1e6
    let weighted = rows.map { $0.value * Double($0.end - $0.start) }.reduce(0, +) * 1e6
    let mean = sum / Double(rows.count)
    let average = type.style == .discreteTemporallyWeighted && duration > 0 ? weighted / duration : mean
    return SampleSummary(
      sum: type.style.isCumulative ? sum : nil, average: type.style.isCumulative ? nil : average,
      minimum: rows.map(\.value).min()!, maximum: rows.map(\.value).max()!, mostRecent: last.value,
      mostRecentSpan: TimeSpan(start: time(last.start), end: time(last.end))!)
  }
}
