import FoundationEssentials
import HealthModel
import Support
import Testing

@testable import RecorderBus

@Suite("Answers of a recorder, as lines and back")
struct AnswerTests {
  private static let complete = Array("{\"complete\":true}\n".utf8)

  /// Reads whole lines, one at a time.
  private func decode<Reader: AnswerReader>(_ bytes: [UInt8], _ make: () -> Reader) throws -> Reader.Answer {
    var reader = make()
    for line in bytes.split(separator: 10) { try reader.read(ArraySlice(Array(line) + [10])) }
    return try reader.finish()
  }

  /// The lines of an answer, written part by part.
  private func lines(_ writer: some AnswerWriter) -> [UInt8] {
    var writer = writer
    var bytes: [UInt8] = []
    while writer.append(3, to: &bytes) {}
    return bytes
  }

  /// An answer that was written and read; without its last line it must be cut off.
  private func sent<Line: AnswerLine>(_ answer: Line.Answer, as line: Line.Type) throws -> Line.Answer {
    let bytes = lines(LineWriter(answer, as: line))
    #expect(throws: AnswerError.cutOff) { try decode(bytes) { LineReader(line) } }
    return try decode(bytes + Self.complete) { LineReader(line) }
  }

  @Test("what is written is read", arguments: 0..<100)
  func roundTrip(seed: UInt64) throws {
    var draw = Draw(seed: seed)
    let series = try draw.heartbeats()
    let read = try decode(lines(HeartbeatLine.Writer(series)) + Self.complete) { HeartbeatLine.Reader() }
    #expect(beats(of: read) == beats(of: series) && read.timescale == series.timescale)
    let locations = draw.several { $0.location() }
    #expect(try sent(locations, as: LocationLine.self) == locations)
    let audiogram = draw.audiogram()
    #expect(try sent(audiogram, as: AudiogramLine.self) == audiogram)
    let prescription = draw.prescription()
    #expect(try sent(prescription, as: LensLine.self) == prescription)
    let record = draw.record()
    #expect(try sent(record, as: ClinicalRecordLine.self) == record)
    let samples = draw.several { $0.sample() }
    #expect(try sent(samples, as: SampleLine.self) == samples)
    let statistics = draw.several { $0.statistics() }
    #expect(try sent(statistics, as: StatisticsLine.self) == statistics)
    let quantities = draw.quantities()
    var bytes: [UInt8] = []
    var writer = QuantityLine.Writer(of: .heartRate)
    writer.append(quantities, to: &bytes)
    #expect(try decode(bytes + Self.complete) { QuantityLine.Reader(of: .heartRate) } == quantities)
    let changes = draw.changes()
    bytes = []
    ChangeLine.append(changes, to: &bytes)
    #expect(try decode(bytes) { ChangeLine.Reader() } == changes)
  }

  @Test("beats of a series come back with times, runs, gaps and flags")
  func heartbeats() throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: Timestamp(microseconds: 1_000_000), slopePartsPerBillion: 25_000))
    for index in 0..<2_000 {
      try builder.add(
        rrTicks: UInt32(600 + index % 300), precededByGap: index % 100 == 0,
        flags: index % 7 == 0 ? [.ectopic, .rateConflict] : [])
    }
    try builder.beginRun(AffineTimeMap(anchor: Timestamp(microseconds: 9_000_000_000)))
    try builder.add(rrTicks: 1024, precededByGap: true, flags: .firstOfRun)
    let series = try builder.finish()
    var bytes: [UInt8] = []
    var writer = HeartbeatLine.Writer(series)
    while writer.append(300, to: &bytes) {}
    let read = try decode(bytes + Self.complete) { HeartbeatLine.Reader() }
    #expect(beats(of: read) == beats(of: series))
    #expect(read.runs.map(\.beats) == series.runs.map(\.beats) && read.timescale == series.timescale)
    #expect(throws: AnswerError.cutOff) { try decode(bytes) { HeartbeatLine.Reader() } }
  }

  @Test("locations come back to the last bit, also with nothing but a place")
  func locations() throws {
    let locations = (0..<300).map { (index: Int) -> RouteLocation in
      func each(_ step: Int, _ value: Double) -> Double? { index % step == 0 ? value : nil }
      let time = Timestamp(microseconds: 1_790_000_000_000_000).advanced(byMicroseconds: Int64(index) * 1_000_003)
      return RouteLocation(
        at: time, latitude: 52.5 + Double(index) / 7e5, longitude: -1 / Double(index + 1), altitude: each(3, -0.1),
        horizontalAccuracy: each(2, 5), verticalAccuracy: each(5, 1e-9), speed: each(7, 2.8), course: each(11, 359.9))
    }
    var bytes: [UInt8] = []
    LocationLine.append(locations, to: &bytes)
    #expect(try decode(bytes + Self.complete) { LineReader(LocationLine.self) } == locations)
    #expect(throws: AnswerError.cutOff) { try decode(bytes) { LineReader(LocationLine.self) } }
    for wrong in ["nonsense", "{}", "{\"timeMicroseconds\":5,\"latitude\":1}", "[1]"] {
      #expect(throws: AnswerError.unreadable, "\(wrong)") {
        try decode(Array("\(wrong)\n".utf8) + Self.complete) { LineReader(LocationLine.self) }
      }
    }
  }

  @Test("an audiogram comes back, also where one ear was not measured")
  func audiogram() throws {
    let audiogram = Audiogram([
      AudiogramSensitivityPoint(hertz: 125, left: 11, right: 31),
      AudiogramSensitivityPoint(hertz: 250.5, left: nil, right: -0.1),
    ])
    var bytes: [UInt8] = []
    AudiogramLine.append(audiogram.sensitivityPoints, to: &bytes)
    #expect(try decode(bytes + Self.complete) { LineReader(AudiogramLine.self) } == audiogram)
    #expect(throws: AnswerError.cutOff) { try decode(bytes) { LineReader(AudiogramLine.self) } }
    #expect(throws: AnswerError.unreadable) {
      try decode(Array("{}\n".utf8) + Self.complete) { LineReader(AudiogramLine.self) }
    }
  }

  @Test("a prescription comes back, what was not prescribed absent")
  func prescription() throws {
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(
        rightEye: GlassesLensSpecification(sphere: -0.25, prism: .angled(amount: 1, angle: 90)), leftEye: nil))
    let contacts = VisionPrescription.contacts(
      ContactsPrescription(
        rightEye: ContactsLensSpecification(sphere: 1), leftEye: ContactsLensSpecification(sphere: 2, diameter: 14),
        brand: "\"Clear\""))
    for prescription in [glasses, contacts] {
      var bytes: [UInt8] = []
      LensLine.append(LensLine.values(of: prescription), to: &bytes)
      #expect(try decode(bytes + Self.complete) { LineReader(LensLine.self) } == prescription)
      #expect(throws: AnswerError.cutOff) { try decode(bytes) { LineReader(LensLine.self) } }
    }
    #expect(throws: AnswerError.unreadable) {
      try decode(Array("{}\n".utf8) + Self.complete) { LineReader(LensLine.self) }
    }
  }

  @Test("a clinical record comes back byte for byte")
  func record() throws {
    let bytes = (0...255).map { UInt8($0) }
    for resource in [
      FHIRResource(resourceType: "Observation", data: bytes),
      FHIRResource(resourceType: "x", identifier: "1", fhirVersion: "4.0.1", sourceURL: "\"u\"", data: [0]),
    ] {
      let record = ClinicalRecord(.labResultRecord, displayName: "Na\n♥", resource)
      var line: [UInt8] = []
      ClinicalRecordLine.append([record], to: &line)
      #expect(try decode(line + Self.complete) { LineReader(ClinicalRecordLine.self) } == record)
      #expect(throws: AnswerError.cutOff) { try decode(line) { LineReader(ClinicalRecordLine.self) } }
      #expect(throws: AnswerError.unreadable) {
        try decode(line + line + Self.complete) { LineReader(ClinicalRecordLine.self) }
      }
    }
    #expect(throws: AnswerError.unreadable) { try decode(Self.complete) { LineReader(ClinicalRecordLine.self) } }
  }

  private func beats(of series: HeartbeatSeries) -> [String] {
    series.locatedBeats.map {
      "\($0.time) \($0.run) \($0.beat.rrTicks) \($0.beat.precededByGap) \($0.beat.flags.names)"
    }
  }

  @Test("keys of a later recorder are ignored, what is no answer is refused")
  func later() throws {
    let id = UUID()
    let text = """
      {"startMicroseconds":5,"value":61.5,"unit":"count/min","sample":"\(id.uuidString.lowercased())","mood":"good"}
      {"sample":"\(id)","startMicroseconds":6,"endMicroseconds":9,"unit":"count/min","value":1e2}
      {"complete":true}

      """
    let list = try decode(Array(text.utf8)) { QuantityLine.Reader(of: .heartRate) }
    #expect(list.map(\.value) == [61.5, 100] && list.map(\.sample) == [id, id])
    #expect(list.map(\.span.microseconds) == [0, 3])
    let otherUnit = "{\"startMicroseconds\":5,\"value\":1,\"unit\":\"kg\",\"sample\":\"\(id)\"}"
    for wrong in ["nonsense", "{}", otherUnit, "[1]"] {
      #expect(throws: AnswerError.unreadable, "\(wrong)") {
        try decode(Array("\(wrong)\n{\"complete\":true}\n".utf8)) { QuantityLine.Reader(of: .heartRate) }
      }
      #expect(throws: AnswerError.unreadable, "\(wrong)") {
        try decode(Array("\(wrong)\n{\"complete\":true}\n".utf8)) { HeartbeatLine.Reader() }
      }
    }
  }

  @Test(
    "numbers are read as they were written",
    arguments: [0, -1, 61.5, 1e270, 0.1, -2.5e-7, 9_007_199_254_740_992, 3])
  func numbers(value: Double) throws {
    var list = QuantityList()
    list.samples = [UUID(), UUID()]
    list.owners = [0, 1, 1]
    list.quantities = QuantityTrack(starts: [-5, 7, 8], ends: [-5, 7, 9], values: [value, value, 1])
    var lines = QuantityLine.Writer(of: .heartRate)
    var bytes: [UInt8] = []
    lines.append(list, to: &bytes)
    let read = try decode(bytes + Self.complete) { QuantityLine.Reader(of: .heartRate) }
    #expect(read == list)
    #expect(throws: AnswerError.cutOff) { try decode(bytes) { QuantityLine.Reader(of: .heartRate) } }
  }

  @Test("no truncation of a line is taken for an answer")
  func truncated() {
    let line = Array("{\"startMicroseconds\":5,\"value\":61.5,\"unit\":\"count/min\",\"sample\":\"\(UUID())\"}".utf8)
    for count in 1..<line.count {
      #expect(throws: AnswerError.unreadable) {
        try decode(Array(line.prefix(count)) + [10] + Self.complete) { QuantityLine.Reader(of: .heartRate) }
      }
    }
  }

  @Test("samples come back with everything but the number of their change")
  func samples() throws {
    let sample = HealthSample(
      id: UUID(), type: .quantity(.heartRate),
      source: SourceRevision(identifier: "org.example.Game", name: "Game", version: "1"),
      device: Device(name: "Strap", manufacturer: "Maker", model: "M", localIdentifier: "C0:FF:EE:00:00:01"),
      start: Timestamp(microseconds: 1), end: Timestamp(microseconds: 9), count: 2,
      summary: SampleSummary(
        sum: nil, average: 61.5, minimum: 60, maximum: 63, mostRecent: 63,
        mostRecentSpan: TimeSpan(at: Timestamp(microseconds: 9))),
      metadata: [
        "title": "Hot \"dog\"", "score": 3, "won": true, "share": 0.5, "at": .time(Timestamp(microseconds: 7)),
        "weight": .quantity(Quantity(2, .kilogram)),
      ], session: UUID(), syncIdentifier: "x", syncVersion: 4, change: 0)
    let plain = HealthSample(
      id: UUID(), type: .category(.sleepAnalysis), source: SourceRevision(identifier: "a", name: "b"),
      start: Timestamp(microseconds: 1), end: Timestamp(microseconds: 2), count: 1, value: 3, change: 0)
    let bytes = lines(LineWriter([sample, plain], as: SampleLine.self))
    #expect(try decode(bytes + Self.complete) { LineReader(SampleLine.self) } == [sample, plain])
    #expect(throws: AnswerError.cutOff) { try decode(bytes) { LineReader(SampleLine.self) } }
  }

  @Test("changes come back with their anchor, without which they are cut off")
  func changes() throws {
    let deleted = DeletedObject(
      id: UUID(), type: .quantity(.heartRate), source: "org.example.Game", deleted: Timestamp(microseconds: 5_000),
      change: 0)
    let changes = ChangeSet(
      added: [], sessions: [], deleted: [deleted], anchor: ChangeAnchor(token: UUID()), hasMore: true)
    var bytes: [UInt8] = []
    ChangeLine.append(changes, to: &bytes)
    #expect(try decode(bytes) { ChangeLine.Reader() } == changes)
    let first = Array(bytes.prefix(through: bytes.firstIndex(of: 10)!))
    #expect(throws: AnswerError.cutOff) { try decode(first) { ChangeLine.Reader() } }
  }

  @Test("statistics come back exactly, with sources and policy")
  func statistics() throws {
    var bucket = Statistics(
      emptyFrom: Timestamp(microseconds: 1), to: Timestamp(microseconds: 99),
      source: DataSource(source: "a/b", device: "c/d"),
      coverage: TimeCoverage(covered: 7, gaps: 91), policy: .holdLast(maximumGapMicroseconds: 5), styleVersion: 2)
    let empty = bucket
    bucket.count = 3
    bucket.average = 61.123456789
    bucket.minimum = 60
    bucket.mostRecent = 62
    bucket.mostRecentSpan = TimeSpan(start: Timestamp(microseconds: 3), end: Timestamp(microseconds: 4))
    bucket.duration = 12
    bucket.sources = [DataSource(source: "a/b", device: "c/d"), DataSource(source: "x")]
    bucket.sourceWeights = [0.25, 0.75]
    let bytes = lines(LineWriter([bucket, empty], as: StatisticsLine.self))
    #expect(try decode(bytes + Self.complete) { LineReader(StatisticsLine.self) } == [bucket, empty])
  }
}
