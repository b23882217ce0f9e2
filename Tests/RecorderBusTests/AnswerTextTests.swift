import RecorderBus
import FoundationEssentials
import HealthModel
import Support
import Testing

@Suite("Answers of queries as lines")
struct AnswerTextTests {
  private static let id = UUID(uuidString: "1B4E28BA-2FA1-41D2-883F-0016D3CCA427") ?? UUID()
  private static let name = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
  private static let start = Timestamp(microseconds: 1_700_000_000_123_456)

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("a quantity is a line; a moment has no end, and a whole number no fraction")
  func quantities() {
    let other = UUID(uuidString: "00000000-0000-4000-8000-000000000000") ?? UUID()
    var list = QuantityList()
    list.samples = [Self.id, other]
    list.owners = [0, 1, 0]
    list.quantities = QuantityTrack(
      starts: [-5, 1_700_000_000_123_456, 1_700_000_001_000_000],
      ends: [-5, 1_700_000_000_123_456, 1_700_000_002_000_000],
      values: [61, -0.5, 1e300])
    var bytes: [UInt8] = []
    var lines = QuantityLine.Writer(of: .heartRate)
    lines.append(list, to: &bytes)
    lines.append(QuantityList(), to: &bytes)
    let mine = "\"unit\":\"count/min\",\"sample\":\"\(Self.name)\"}\n"
    #expect(
      text(bytes) == "{\"startMicroseconds\":-5,\"value\":61,\(mine)"
        + "{\"startMicroseconds\":1700000000123456,\"value\":-0.5,\"unit\":\"count/min\","
        + "\"sample\":\"00000000-0000-4000-8000-000000000000\"}\n"
        + "{\"startMicroseconds\":1700000001000000,\"endMicroseconds\":1700000002000000,\"value\":1e+300,\(mine)")
  }

  @Test("batch by batch the lines are those of the whole list")
  func batches() {
    var whole = QuantityList()
    var parts = [QuantityList(), QuantityList()]
    for (index, owner) in [0, 1, 1, 0].enumerated() {
      func add(_ list: inout QuantityList) {
        list.samples = [Self.id, UUID(uuidString: "00000000-0000-4000-8000-000000000000") ?? UUID()]
        list.owners.append(Int32(owner))
        list.quantities.starts.append(Int64(index))
        list.quantities.values.append(Double(index) / 4)
      }
      add(&whole)
      add(&parts[index / 2])
    }
    // Samples are numbered from 0 in each batch.
    parts[1].samples.swapAt(0, 1)
    parts[1].owners = parts[1].owners.map { 1 - $0 }
    var (once, twice) = ([UInt8](), [UInt8]())
    var lines = QuantityLine.Writer(of: .stepCount)
    lines.append(whole, to: &once)
    for part in parts { lines.append(part, to: &twice) }
    #expect(once == twice && !once.isEmpty)
  }

  @Test("a sample is a line with everything but its values, and without the number of its change")
  func sample() {
    let sample = HealthSample(
      id: Self.id, type: .category(.sleepAnalysis),
      source: SourceRevision(identifier: "org.example\u{1B}", name: "Game"),
      device: Device(name: "Watch"), start: Self.start, end: Self.start, count: 1, value: 2,
      metadata: [
        "level": 7, "arm": "left", "begun": .time(Self.start), "room": .quantity(Quantity(21.5, .degreeCelsius)),
      ],
      syncIdentifier: "a", syncVersion: 3, change: 99)
    #expect(
      SampleLine.json(sample).text == "{\"id\":\"\(Self.name)\",\"type\":\"sleepAnalysis\",\"kind\":\"category\","
        + "\"start\":\"2023-11-14T22:13:20.123Z\",\"end\":\"2023-11-14T22:13:20.123Z\","
        + "\"startMicroseconds\":1700000000123456,\"endMicroseconds\":1700000000123456,\"count\":1,"
        + "\"source\":{\"identifier\":\"org.example\\u001b\",\"name\":\"Game\",\"version\":null},"
        + "\"device\":{\"name\":\"Watch\",\"address\":null,\"manufacturer\":null,\"model\":null},\"value\":2,"
        + "\"sync\":{\"identifier\":\"a\",\"version\":3},"
        + "\"metadata\":{\"arm\":{\"text\":\"left\"},\"begun\":{\"time\":1700000000123456},\"level\":{\"integer\":7},"
        + "\"room\":{\"quantity\":{\"value\":21.5,\"unit\":\"degC\"}}}}")
  }

  @Test("a sample of quantities has its figures with their unit")
  func summary() {
    let sample = HealthSample(
      id: Self.id, type: .quantity(.heartRate), source: SourceRevision(identifier: "sensord", name: "sensord"),
      start: Self.start, end: Self.start, count: 3,
      summary: SampleSummary(
        sum: nil, average: 61.5, minimum: 60, maximum: 63, mostRecent: 62, mostRecentSpan: TimeSpan(at: Self.start)),
      session: Self.id, change: 1)
    #expect(
      SampleLine.json(sample).text.hasSuffix(
        "\"summary\":{\"unit\":\"count/min\",\"sum\":null,\"average\":61.5,\"minimum\":60,\"maximum\":63,\"mostRecent\":62,"
          + "\"mostRecentMicroseconds\":1700000000123456},\"session\":\"\(Self.name)\"}"))
  }

  @Test("a beat is a line with its time, its interval and its flags")
  func beats() throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: Self.start))
    try builder.add(rrTicks: 800, precededByGap: false, flags: .firstOfRun)
    try builder.add(rrTicks: 1024, precededByGap: true, flags: [])
    var bytes: [UInt8] = []
    var lines = HeartbeatLine.Writer(try builder.finish())
    #expect(lines.append(1, to: &bytes) && bytes.count(where: { $0 == UInt8(ascii: "\n") }) == 1)
    #expect(!lines.append(5, to: &bytes))
    #expect(
      text(bytes) == "{\"timeMicroseconds\":1700000000123456,\"run\":0,\"index\":0,\"rrTicks\":800,\"timescale\":1024,"
        + "\"precededByGap\":false,\"flags\":[\"firstOfRun\"]}\n"
        + "{\"timeMicroseconds\":1700000001123456,\"run\":0,\"index\":1,\"rrTicks\":1024,\"timescale\":1024,"
        + "\"precededByGap\":true,\"flags\":[]}\n")
  }

  @Test("changes are lines, and the last one has the anchor")
  func changes() {
    let token = ChangeAnchor(token: Self.id)
    var bytes: [UInt8] = []
    let changes = ChangeSet(
      added: [], sessions: [],
      deleted: [
        DeletedObject(id: Self.id, type: .quantity(.heartRate), source: "game", deleted: Self.start, change: 0)
      ], anchor: token, hasMore: true)
    ChangeLine.append(changes, to: &bytes)
    #expect(
      text(bytes) == "{\"deleted\":{\"id\":\"\(Self.name)\",\"type\":\"heartRate\",\"source\":\"game\","
        + "\"time\":\"2023-11-14T22:13:20.123Z\"}}\n{\"anchor\":\"token:\(Self.name)\",\"hasMore\":true}\n")
  }
}
