import Foundation
import HealthModel
import TestSupport

@testable import RecorderBus

/// Predicates, queries and samples from a seed.
struct Draw {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  private mutating func flag() -> Bool { Bool.random(using: &generator) }
  private mutating func number() -> Int64 { Int64.random(in: -4_000_000...4_000_000, using: &generator) }
  private mutating func id() -> UUID {
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, UInt8.random(in: 0...255, using: &generator)))
  }
  private mutating func moment() -> Timestamp { Timestamp(microseconds: number()) }
  private mutating func text() -> String { pick(["a", "Hot dogs", "é\u{1F32D}", "", "with \"quotes\""]) }
  private mutating func comparison() -> SamplePredicate.Comparison { pick(SamplePredicate.Comparison.allCases) }

  mutating func metadataValue() -> MetadataValue {
    pick([
      .text(text()), .integer(number()), .real(Double(number()) / 8), .flag(flag()), .time(moment()),
      .quantity(Quantity(Double(number()), .countPerMinute)),
    ])
  }

  mutating func predicate(depth: Int) -> SamplePredicate {
    switch Int.random(in: 0..<(depth > 0 ? 22 : 19), using: &generator) {
    case 0: return .all
    case 1:
      return .type(
        pick([.quantity(.heartRate), .heartbeatSeries, .category(.sleepAnalysis), .correlation(.bloodPressure)]))
    case 2: return .type(SampleType(identifier: "org.example.mood", kind: .quantity))
    case 3:
      return .time(from: moment(), to: flag() ? moment() : nil, strictness: pick([[], .start, .end, [.start, .end]]))
    case 4: return .source(text())
    case 5: return .device(text())
    case 6: return .session(id())
    case 7: return .identifier([id(), id()])
    case 8: return .part(of: id())
    case 9: return .basis(of: id())
    case 10: return .value([CategoryValue(rawValue: number()), .asleepREM])
    case 11: return .hasMetadata(text())
    case 12: return .metadata(text(), comparison(), metadataValue())
    case 13:
      return .summary(
        pick(SamplePredicate.QuantityFigure.allCases), comparison(), Quantity(Double(number()), .countPerMinute))
    case 14: return .summary(pick(SamplePredicate.TimeFigure.allCases), comparison(), moment())
    case 15:
      return flag()
        ? .summary(pick(SamplePredicate.DurationFigure.allCases), comparison(), .microseconds(number()))
        : .count(comparison(), Int(number()))
    case 16: return .collected(in: id())
    case 17: return .workout(workoutPredicate(depth: 2))
    case 18: return .workoutActivity(workoutPredicate(depth: 2))
    case 19: return .and((0..<pick([0, 2, 3])).map { _ in predicate(depth: depth - 1) })
    case 20: return .or((0..<pick([0, 1, 3])).map { _ in predicate(depth: depth - 1) })
    default: return .not(predicate(depth: depth - 1))
    }
  }

  mutating func workoutPredicate(depth: Int) -> WorkoutPredicate {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
    case 0: return .all
    case 1: return .activityType([.running, WorkoutActivityType(rawValue: number())])
    case 2: return .time(from: moment(), to: flag() ? moment() : nil, strictness: pick([[], .start, .end]))
    case 3: return .start(comparison(), moment())
    case 4: return .end(comparison(), moment())
    case 5: return .duration(comparison(), .microseconds(number()))
    case 6:
      return .statistic(
        pick(SamplePredicate.QuantityFigure.allCases),
        of: pick([.heartRate, QuantityType(stored: "org.example.mood")]),
        comparison(), Quantity(Double(number()), .countPerMinute))
    case 7: return .and((0..<pick([0, 2, 3])).map { _ in workoutPredicate(depth: depth - 1) })
    case 8: return .or((0..<pick([0, 1, 3])).map { _ in workoutPredicate(depth: depth - 1) })
    default: return .not(workoutPredicate(depth: depth - 1))
    }
  }

  mutating func query() throws -> ClientQuery {
    let limit: Int? = flag() ? 10 : nil
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      let order = pick([[], [SampleQuery.Order(.end, isDescending: true), SampleQuery.Order(.count)]])
      return .samples(SampleQuery(predicate(depth: 2), order: order, limit: limit))
    case 1:
      return .quantities(
        QuantityQuery(.heartRate, predicate: predicate(depth: 2), from: moment(), isGroupedBySample: flag()))
    case 2, 3: return .content(pick(ContentKind.allCases), of: id())
    case 4:
      let interval = try CalendarInterval(parsing: pick(["15m", "1d", "2mo"]))
      return .statistics(
        try StatisticsCollectionQuery(
          .heartRate, pick([nil, [.average, .separateBySource], [.minimum, .maximum, .mostRecent, .duration]]),
          buckets: pick([.single, .natural(interval, zone: .utc), .calendar(interval, anchor: moment(), zone: .utc)]),
          from: flag() ? moment() : nil, to: flag() ? moment() : nil,
          policy: pick([.ownDuration, .holdLast(maximumGapMicroseconds: 5), .trapezoid(maximumGapMicroseconds: 7)]),
          predicate: predicate(depth: 1),
          priority: pick([[], [DataSource(source: "a", device: "b"), DataSource(source: "c")]])))
    default:
      return .changes(
        ChangeQuery(after: pick([.start, ChangeAnchor(token: id())]), predicate: predicate(depth: 2), limit: limit))
    }
  }

  private mutating func span() -> TimeSpan {
    let start = moment()
    return TimeSpan(start: start, end: start.advanced(byMicroseconds: number().magnitude > 5 ? 1000 : 0))
      ?? TimeSpan(at: start)
  }

  /// Whatever a receiver does not know is absent.
  mutating func location() -> RouteLocation {
    func maybe(_ value: Double) -> Double? { Bool.random(using: &generator) ? value : nil }
    return RouteLocation(
      at: moment(), latitude: 52.1, longitude: -13.25, altitude: maybe(34), horizontalAccuracy: maybe(5),
      verticalAccuracy: maybe(0), speed: maybe(2.8), course: maybe(359.5))
  }

  mutating func draft(isPart: Bool = false) -> SampleDraft {
    let device = flag() ? Device(name: "Scale", model: text(), localIdentifier: "C0:FF:EE:00:00:01") : nil
    let metadata: Metadata = flag() ? ["note": metadataValue()] : [:]
    let sync = flag() ? SyncIdentity(identifier: text(), version: number()) : nil
    let content: SampleDraft.Content
    switch Int.random(in: 0..<(isPart ? 3 : 8), using: &generator) {
    case 0:
      content = .quantities(
        .bodyMass, .kilogram, (0..<3).map { _ in SampleDraft.QuantityValue(Double(number()) / 3, over: span()) })
    case 1:
      content = .heartbeats(
        timescale: 1024, (0..<4).map { _ in SampleDraft.HeartbeatTick(number(), precededByGap: flag()) })
    case 2: content = .category(.sleepAnalysis, CategoryValue(rawValue: number()))
    case 3:
      let points = (1...3).map { index in
        AudiogramSensitivityPoint(
          hertz: Double(index) * 125, left: flag() ? Double(number()) / 7 : nil, right: Double(number()))
      }
      content = .audiogram(Audiogram(points))
    case 4:
      let lens = GlassesLensSpecification(
        sphere: Double(number()), cylinder: flag() ? Double(number()) / 3 : nil,
        prism: flag() ? .angled(amount: 1, angle: Double(number())) : nil)
      content = .visionPrescription(.glasses(GlassesPrescription(rightEye: lens, leftEye: flag() ? lens : nil)))
    case 5:
      let lens = ContactsLensSpecification(sphere: Double(number()), diameter: flag() ? Double(number()) : nil)
      content = .visionPrescription(
        .contacts(ContactsPrescription(rightEye: flag() ? lens : nil, leftEye: lens, brand: flag() ? text() : nil)))
    case 6: content = .correlation(.bloodPressure, (0..<2).map { _ in draft(isPart: true) })
    default:
      let locations = [location(), location()]
      let (start, end) = (min(locations[0].time, locations[1].time), max(locations[0].time, locations[1].time))
      return SampleDraft(
        .route(of: id(), locations), over: TimeSpan(start: start, end: end) ?? TimeSpan(at: start), device: device,
        metadata: metadata, sync: sync)
    }
    return SampleDraft(content, over: span(), device: device, metadata: metadata, sync: sync)
  }
}

/// Answers.
extension Draw {
  mutating func several<Value>(_ draw: (inout Draw) -> Value) -> [Value] {
    (0..<Int.random(in: 0...7, using: &generator)).map { _ in draw(&self) }
  }

  private mutating func real() -> Double {
    flag() ? Double(number()) / 7 : pick([0, -2.5e-7, 1e270, 61, 9_007_199_254_740_992])
  }

  private mutating func maybe<Value>(_ value: Value) -> Value? { flag() ? value : nil }

  mutating func heartbeats() throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: pick([1024, 1000]))
    for run in 0..<Int64.random(in: 1...3, using: &generator) {
      try builder.beginRun(
        AffineTimeMap(
          anchor: Timestamp(microseconds: run * 3_600_000_000),
          slopePartsPerBillion: Int32.random(in: -50_000...50_000, using: &generator)))
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let flags = Heartbeat.Flags.named.map(\.flag).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
        try builder.add(
          rrTicks: UInt32.random(in: 1...3_000, using: &generator), precededByGap: flag(), flags: Heartbeat.Flags(flags)
        )
      }
    }
    return try builder.finish()
  }

  mutating func audiogram() -> Audiogram {
    Audiogram(
      several { AudiogramSensitivityPoint(hertz: $0.real(), left: $0.maybe($0.real()), right: $0.maybe($0.real())) })
  }

  mutating func prescription() -> VisionPrescription {
    let prism = pick([nil, VisionPrism.angled(amount: 1, angle: 90)])
    let glasses = GlassesLensSpecification(sphere: real(), cylinder: maybe(real()), prism: prism)
    let contact = ContactsLensSpecification(sphere: real(), diameter: maybe(real()))
    return flag()
      ? .glasses(GlassesPrescription(rightEye: glasses, leftEye: maybe(glasses)))
      : .contacts(ContactsPrescription(rightEye: maybe(contact), leftEye: contact, brand: maybe(text())))
  }

  mutating func record() -> ClinicalRecord {
    ClinicalRecord(
      .labResultRecord, displayName: text(),
      FHIRResource(
        resourceType: text(), identifier: maybe(text()), fhirVersion: maybe(text()), sourceURL: maybe(text()),
        data: several { UInt8.random(in: 0...255, using: &$0.generator) }))
  }

  mutating func sample() -> HealthSample {
    let span = span()
    let device = Device(name: maybe(text()), model: maybe(text()), firmwareVersion: maybe("1.2"))
    let summary = SampleSummary(
      sum: maybe(real()), average: maybe(real()), minimum: real(), maximum: real(), mostRecent: real(),
      mostRecentSpan: self.span())
    let hasSync = flag()
    return HealthSample(
      id: id(), type: pick([.quantity(.heartRate), .category(.sleepAnalysis), .heartbeatSeries]),
      source: SourceRevision(identifier: text(), name: text(), version: maybe(text()), productType: maybe("P")),
      device: maybe(device), start: span.start, end: span.end, count: Int(number()), value: maybe(number()),
      summary: maybe(summary), metadata: flag() ? ["note": metadataValue(), "other": metadataValue()] : [:],
      session: maybe(id()), syncIdentifier: hasSync ? text() : nil, syncVersion: hasSync ? number() : nil, change: 0)
  }

  mutating func statistics() -> Statistics {
    var statistics = Statistics(
      emptyFrom: moment(), to: moment(), source: maybe(DataSource(source: text(), device: text())),
      coverage: TimeCoverage(covered: number(), gaps: number()),
      policy: pick([.ownDuration, .holdLast(maximumGapMicroseconds: 5), .trapezoid(maximumGapMicroseconds: 7)]),
      styleVersion: 2)
    statistics.count = Int(number())
    statistics.sum = maybe(real())
    statistics.average = maybe(real())
    statistics.minimum = maybe(real())
    statistics.maximum = maybe(real())
    statistics.mostRecent = maybe(real())
    statistics.mostRecentSpan = maybe(span())
    statistics.duration = maybe(number())
    statistics.sources = several { DataSource(source: $0.text()) }
    statistics.sourceWeights = several { $0.real() }
    return statistics
  }

  mutating func quantities() -> QuantityList {
    var list = QuantityList()
    list.samples = [id(), UUID()]
    for owner: Int32 in 0...1 {
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let span = span()
        list.owners.append(owner)
        list.quantities.starts.append(span.start.microseconds)
        list.quantities.ends.append(span.end.microseconds)
        list.quantities.values.append(real())
      }
    }
    if list.quantities.starts == list.quantities.ends { list.quantities.ends = [] }
    return list
  }

  mutating func changes() -> ChangeSet {
    let deleted = several {
      DeletedObject(
        id: $0.id(), type: $0.maybe(.quantity(.heartRate)), source: $0.maybe($0.text()),
        deleted: Timestamp(microseconds: $0.number() * 1_000), change: 0)
    }
    return ChangeSet(
      added: several { $0.sample() }, sessions: [], deleted: deleted, anchor: ChangeAnchor(token: id()),
      hasMore: flag())
  }
}
