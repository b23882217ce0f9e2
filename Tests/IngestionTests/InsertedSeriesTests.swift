import FoundationEssentials
import HealthModel
import Testing

@testable import Ingestion

@Suite("The series that programs insert, as a value")
struct InsertedSeriesTests {
  private static let start = Timestamp(microseconds: 1_790_000_000_000_000)
  private static let content = SeriesContent.quantities(.bodyTemperature, QuantityType.bodyTemperature.unit)
  private static let identifier = Invented.session(1)

  private static func values(_ seconds: Int64...) -> SeriesChange {
    .values(
      seconds.map {
        SampleDraft.QuantityValue(
          36 + Double($0), over: TimeSpan(at: start.advanced(byMicroseconds: $0 * 1_000_000)))
      })
  }

  private static func beats(_ count: Int64) -> SeriesChange {
    .beats((1...count).map { SampleDraft.HeartbeatTick($0) })
  }

  /// One series, which is open since second 0.
  private static func begun(
    _ content: SeriesContent = content, number: UInt8 = 1, _ change: (inout ClientDataLimits) -> Void = { _ in }
  ) throws -> InsertedSeries {
    var limits = ClientDataLimits()
    change(&limits)
    var series = InsertedSeries(limits: limits)
    try begin(content, number, &series)
    return series
  }

  private static func begin(_ content: SeriesContent, _ number: UInt8, _ series: inout InsertedSeries) throws {
    series.begin(
      try series.series(
        content, from: start, for: Invented.game, nil, [:], identifier: Invented.session(number),
        at: Invented.at(Double(number) - 1)))
  }

  private static func insert(_ change: SeriesChange, with metadata: Metadata = [:], _ series: inout InsertedSeries)
    throws
  {
    let record = try series.record(of: change, metadata, in: identifier)
    series.journalTook(record, metadata, of: identifier)
  }

  @Test("one that its program completes is over, and finished until the store has it")
  func finished() throws {
    var series = try Self.begun()
    try Self.insert(Self.values(1, 2), &series)
    #expect(series.isOpen(Self.identifier) && !series.isOver(Self.identifier))
    try Self.insert(.end(nil), &series)
    #expect(!series.isOpen(Self.identifier) && series.isOver(Self.identifier) && series.isFinished(Self.identifier))
    #expect(throws: ClientSeriesFailure.notOpen) { try Self.insert(Self.values(3), &series) }
    series.stored(Self.identifier)
    #expect(!series.isOver(Self.identifier) && !series.isFinished(Self.identifier))
  }

  @Test("one that was interrupted, or found in the journal, is over and not finished, and a discarded one is neither")
  func interrupted() throws {
    var series = try Self.begun()
    let (first, second) = (series.interrupt(Self.identifier), series.interrupt(Self.identifier))
    #expect(first && !second, "its program has gone once")
    #expect(series.isOver(Self.identifier) && !series.isFinished(Self.identifier))
    series.recover(Invented.session(2))
    #expect(series.isOver(Invented.session(2)) && !series.isFinished(Invented.session(2)))
    try Self.begin(Self.content, 3, &series)
    series.discard(Invented.session(3))
    #expect(!series.isOpen(Invented.session(3)) && !series.isOver(Invented.session(3)))
  }

  @Test("each is over when it has been open for a day, and all are when the recorder stops, in their order")
  func tooOld() throws {
    var series = try Self.begun()
    for number: UInt8 in [2, 4, 3] { try Self.begin(Self.content, number, &series) }
    #expect(series.deadline == Invented.at(86_400))
    let over = [86_399.9, 86_400].map { series.timeReached(Invented.at($0)) }
    #expect(over == [[], [Self.identifier]])
    #expect(series.deadline == Invented.at(86_401))
    let rest = series.interruptAll()
    #expect(rest == [2, 3, 4].map { Invented.session($0) })
    #expect(series.deadline == nil)
  }

  @Test("more than is allowed is refused by name, for a call and for the whole series")
  func tooLarge() throws {
    var series = try Self.begun(.heartbeats(timescale: 1024)) { $0.valuesOfSeries = 5_000 }
    #expect(throws: ClientSeriesFailure.refused(.tooLarge(.values))) { try Self.insert(Self.beats(4_097), &series) }
    try Self.insert(Self.beats(4_096), &series)
    #expect(throws: ClientSeriesFailure.refused(.tooLarge(.series))) { try Self.insert(Self.beats(1_000), &series) }
    let text = MetadataValue.text(String(repeating: "x", count: 10 << 20))
    #expect(throws: ClientSeriesFailure.refused(.tooLarge(.text))) {
      try Self.insert(.end(nil), with: ["a": text], &series)
    }
    #expect(throws: ClientSeriesFailure.refused(.reservedKey)) {
      try Self.insert(.end(nil), with: ["interrupted": false], &series)
    }
    #expect(throws: ClientSeriesFailure.refused(.tooLarge(.device))) {
      try series.series(
        Self.content, from: Self.start, for: Invented.game, Device(name: String(repeating: "x", count: 257)), [:],
        identifier: Invented.session(2), at: Invented.at(0))
    }
    try Self.insert(.end(nil), &series)
  }

  @Test("metadata of all calls together may not be too much")
  func metadata() throws {
    var series = try Self.begun { $0.keys = 2 }
    try Self.insert(Self.values(1), with: ["a": 1, "b": 1], &series)
    try Self.insert(Self.values(2), with: ["a": 2], &series)
    #expect(throws: ClientSeriesFailure.refused(.tooLarge(.keys))) {
      try Self.insert(Self.values(3), with: ["c": 1], &series)
    }
  }

  @Test("invalid changes are refused by their reason, and change nothing")
  func invalid() throws {
    var series = try Self.begun()
    #expect(throws: ClientSeriesFailure.invalid(.startsBeforeSeries)) { try Self.insert(Self.values(1, -1), &series) }
    #expect(throws: ClientSeriesFailure.invalid(.empty)) { try Self.insert(.end(nil), &series) }
    try Self.insert(Self.values(1), &series)
    try Self.insert(.end(nil), &series)
    #expect(throws: ClientSeriesFailure.invalid(.invalidTimescale(0))) {
      try Self.begin(.heartbeats(timescale: 0), 2, &series)
    }
  }
}
