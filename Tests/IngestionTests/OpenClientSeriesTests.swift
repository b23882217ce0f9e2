import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Testing

@testable import Ingestion

@Suite("A series that another program inserts")
struct OpenClientSeriesTests {
  private static let start = Timestamp(microseconds: 1_790_000_000_000_000)

  private static func open(
    _ content: SeriesContent, device: Device? = nil
  ) throws(SeriesError) -> OpenClientSeries {
    try OpenClientSeries(
      content, from: start, owner: Invented.game, device: device, identifier: Invented.session(1),
      until: Invented.at(9))
  }

  private static func value(
    _ second: Int64, _ value: Double = 37, length: Int64 = 0
  ) -> SampleDraft.QuantityValue {
    let begin = start.advanced(byMicroseconds: second * 1_000_000)
    return SampleDraft.QuantityValue(
      value, over: TimeSpan(start: begin, end: begin.advanced(byMicroseconds: length))!)
  }

  private static func beats(_ beats: [(Int64, Bool)]) -> [SampleDraft.HeartbeatTick] {
    beats.map { SampleDraft.HeartbeatTick($0.0, precededByGap: $0.1) }
  }

  private static let fahrenheit = SeriesContent.quantities(.bodyTemperature, Unit("degF")!)

  @Test("values go to the journal as they are, in the unit of the series")
  func values() throws {
    var open = try Self.open(Self.fahrenheit)
    #expect(open.series.type == "bodyTemperature" && open.series.unit == "degF")
    let record = try open.record(of: .values([Self.value(2, 98.6), Self.value(1, 98.4)]))
    #expect(record == .values([Self.value(2, 98.6), Self.value(1, 98.4)]))
    open.journalTook(record)
    #expect(open.count == 2)
    #expect(try open.record(of: .end(nil)) == .finish(endMicroseconds: nil))
  }

  @Test("one value that is not valid refuses the whole call")
  func invalid() throws {
    let open = try Self.open(Self.fahrenheit)
    #expect(throws: SeriesError.startsBeforeSeries) {
      try open.record(of: .values([Self.value(1), Self.value(-1)]))
    }
    #expect(throws: SeriesError.notFinite) { try open.record(of: .values([Self.value(1, .nan)])) }
    #expect(throws: SeriesError.empty) { try open.record(of: .values([])) }
    #expect(throws: SeriesError.empty) { try open.record(of: .end(nil)) }
    #expect(throws: SeriesError.incompatibleUnit(unit: "kg", type: "bodyTemperature")) {
      try Self.open(.quantities(.bodyTemperature, Unit("kg")!))
    }
    #expect(throws: SeriesError.invalidTimescale(0)) { try Self.open(.heartbeats(timescale: 0)) }
    #expect(throws: SeriesError.unknownType("bodyTemperature")) {
      try open.record(of: .beats(Self.beats([(1, false)])))
    }
  }

  @Test("what the journal or the store could not give back is refused, and what is at the limits comes back")
  func limits() throws {
    let open = try Self.open(Self.fahrenheit)
    let last = ClientSeries.times.upperBound
    for (start, end) in [(last, last + 1), (last + 1, last + 1)] {
      #expect(throws: SeriesError.timeOutOfRange) {
        try open.record(
          of: .values([
            SampleDraft.QuantityValue(
              1, over: TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))!)
          ]))
      }
    }
    let record = try open.record(
      of: .values([SampleDraft.QuantityValue(1, over: TimeSpan(at: Timestamp(microseconds: last)))]))
    #expect(ClientSeriesRecord.decode(record.encoded(slot: 1))?.record == record)
    #expect(throws: SeriesError.timeOutOfRange) {
      try OpenClientSeries(
        Self.fahrenheit, from: Timestamp(microseconds: ClientSeries.times.lowerBound - 1), owner: Invented.game,
        identifier: Invented.session(1), until: Invented.at(9))
    }
    let own = try QuantityType("gripStrength", unit: Unit("kg")!, style: .discreteArithmetic)
    #expect(throws: SeriesError.unknownType("gripStrength")) { try Self.open(.quantities(own, Unit("kg")!)) }
    #expect(throws: SeriesError.invalidTimescale(1_000_001)) { try Self.open(.heartbeats(timescale: 1_000_001)) }
  }

  @Test("heartbeats up to the finest timescale become a series, and end with the last one")
  func finestBeats() throws {
    var open = try Self.open(.heartbeats(timescale: 1_000_000))
    let record = try open.record(of: .beats(Self.beats([(1, false), (2, false), (3, true)])))
    open.journalTook(record)
    #expect(try open.record(of: .end(Self.start)) == .finish(endMicroseconds: nil))
    var contents = ClientSeriesContents(open.series)
    guard case .beats(let beats, after: 0) = record else { return }
    contents.beats = beats
    #expect(try contents.sample().span.end == Self.start.advanced(byMicroseconds: 3))
    let slow = try Self.open(.heartbeats(timescale: 1))
    #expect(throws: SeriesError.timeOutOfRange) {
      try slow.record(of: .beats(Self.beats((1...4).map { ($0 * 4_000_000_000, false) })))
    }
  }

  @Test("heartbeats are judged by their intervals, each stretch between gaps by itself")
  func judgedBeats() throws {
    var contents = ClientSeriesContents(try Self.open(.heartbeats(timescale: 1000)).series)
    contents.beats = (0..<100).map { beat in
      Heartbeat(rrTicks: beat == 30 ? 1800 : beat == 60 ? 9000 : 880 + beat * 7 % 31, precededByGap: beat == 60)
    }
    let beats = try contents.heartbeats().beats
    #expect(beats.map(\.precededByGap).indices.filter { beats[$0].precededByGap } == [60])
    #expect(beats.indices.filter { !beats[$0].flags.isEmpty } == [30])
    #expect(beats[30].flags == .missed)
  }

  @Test("a series does not end before one of its values does")
  func end() throws {
    var open = try Self.open(Self.fahrenheit)
    open.journalTook(try open.record(of: .values([Self.value(1, length: 5_000_000), Self.value(2)])))
    let latest = Self.start.advanced(byMicroseconds: 6_000_000)
    #expect(throws: SeriesError.endsBeforeInsertedEnd) {
      try open.record(of: .end(latest.advanced(byMicroseconds: -1)))
    }
    #expect(try open.record(of: .end(latest)) == .finish(endMicroseconds: latest.microseconds))
  }

  @Test("heartbeats are counted from the start and kept as intervals")
  func beats() throws {
    var open = try Self.open(.heartbeats(timescale: 1024))
    #expect(open.series.unit == "1/1024 s" && open.series.timescale == 1024)
    open.journalTook(try open.record(of: .beats(Self.beats([(0, false), (800, false)]))))
    #expect(
      try open.record(of: .beats(Self.beats([(1600, false), (3000, true)])))
        == .beats(
          [Heartbeat(rrTicks: 800), Heartbeat(rrTicks: 1400, precededByGap: true)], after: 800))
    #expect(throws: SeriesError.timeNotIncreasing(index: 2)) { try open.record(of: .beats(Self.beats([(800, false)]))) }
    #expect(throws: SeriesError.timeNotIncreasing(index: 3)) {
      try open.record(of: .beats(Self.beats([(900, false), (900, false)])))
    }
    #expect(throws: SeriesError.beatOutOfRange(index: 2)) {
      try open.record(of: .beats(Self.beats([(1 << 40, false)])))
    }
    #expect(throws: SeriesError.timeNotIncreasing(index: 0)) {
      try Self.open(.heartbeats(timescale: 1024)).record(of: .beats(Self.beats([(-1, false)])))
    }
  }

  @Test("what the journal has becomes the sample, and says so where the program did not complete it")
  func sample() throws {
    let device = Device(name: "Ear", softwareVersion: "3 \"b\"")
    let open = try Self.open(Self.fahrenheit, device: device)
    #expect(open.series.source == "org.example.Game@1000")
    var contents = ClientSeriesContents(open.series)
    contents.metadata = ["room": .text("kitchen")]
    #expect(throws: SeriesError.empty) { try contents.sample() }
    contents.values = [Self.value(2, 98.6), Self.value(1, 98.4)]
    let interrupted = try contents.sample()
    #expect(interrupted.metadata == ["room": .text("kitchen"), "interrupted": .flag(true)])
    #expect(interrupted.device == device)
    #expect(interrupted.id == Invented.session(1))
    #expect(interrupted.span == TimeSpan(start: Self.start, end: Self.start.advanced(byMicroseconds: 2_000_000)))
    contents.isFinished = true
    contents.endMicroseconds = Self.start.microseconds + 9_000_000
    let finished = try contents.sample()
    #expect(finished.metadata == ["room": .text("kitchen")])
    #expect(finished.span.end == Self.start.advanced(byMicroseconds: 9_000_000))
  }
}
