import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import Captures

@Suite("A client's series in the journal")
struct ClientSeriesTests {
  /// The example of the page.
  static let records: [ClientSeriesRecord] = [
    .begin(
      ClientSeries(
        identifier: Samples.session, type: "bodyTemperature", unit: "degC", source: "thermometer 1.2")),
    .values([
      value(36.6, 1_790_000_001_000_000, 1_790_000_001_000_000),
      value(36.625, 1_790_000_002_000_000, 1_790_000_003_000_000),
    ]),
    .finish(endMicroseconds: nil),
    .begin(
      ClientSeries(
        identifier: Samples.other, type: "heartbeats", unit: "1/1024 s", source: "other recorder 3.0",
        startMicroseconds: 1_790_000_001_000_000)),
    .beats(
      [
        Heartbeat(rrTicks: 812), Heartbeat(rrTicks: 803), Heartbeat(rrTicks: 1650, precededByGap: true),
      ], after: 0),
    .beats([Heartbeat(rrTicks: 790)], after: 3_265),
    .finish(endMicroseconds: 1_790_000_004_000_000),
    .begin(
      ClientSeries(
        identifier: Samples.session, type: "bodyMass", unit: "kg", source: "org.example.Scale@1000",
        startMicroseconds: 1_790_000_001_000_000,
        device: Device(name: "Scale \"2\"", model: "M", firmwareVersion: "1.0", uniqueDeviceIdentifier: "-"))),
  ]

  private static func value(_ value: Double, _ start: Int64, _ end: Int64) -> SampleDraft.QuantityValue {
    SampleDraft.QuantityValue(
      value, over: TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))!)
  }

  @Test("comes back as it was, under its slot", arguments: records)
  func roundTrip(record: ClientSeriesRecord) {
    for slot in [1, 17, RecordLine.greatestSlot] {
      let line = record.encoded(slot: slot)
      #expect(line.last == 0x0A && line.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
      let decoded = ClientSeriesRecord.decode(line)
      #expect(decoded?.slot == slot && decoded?.record == record)
    }
  }

  @Test("that is cut off anywhere, or changed in one byte, is no record", arguments: records)
  func everyTruncation(record: ClientSeriesRecord) {
    let line = record.encoded(slot: 17)
    for length in 0..<line.count { #expect(ClientSeriesRecord.decode(Array(line[..<length])) == nil) }
    for position in line.indices {
      var changed = line
      changed[position] ^= 0x02
      #expect(ClientSeriesRecord.decode(changed) == nil, "byte \(position)")
    }
  }

  @Test("numbers come back to the last bit, and one that is not finite is not written")
  func numbers() {
    let numbers = [0, -0.0, 0.1, 1e22, -.pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-7]
    let values = numbers.map { Self.value($0, -5, 0) }
    let decoded = ClientSeriesRecord.decode(ClientSeriesRecord.values(values).encoded(slot: 1))
    guard case .values(let found)? = decoded?.record else {
      Issue.record("no values")
      return
    }
    #expect(found.map(\.value.bitPattern) == numbers.map(\.bitPattern))
    let bad = Self.value(.nan, 0, 0)
    #expect(ClientSeriesRecord.values([bad]).encoded(slot: 1).isEmpty)
    #expect(ClientSeriesRecord.beats([], after: 0).encoded(slot: 1).isEmpty)
  }

  @Test(
    "a record that says what cannot be is malformed",
    arguments: [
      "5 values", "5 values 7 6 1.0", "5 values 1 2", "5 values 1 2 nan", "5 values 1 2 inf", "5 values 1 2 1",
      "5 values 1 2 01.0", "5 beats", "5 beats gap", "5 beats -1", "5 beats 4294967296", "5 beats gap gap 1",
      "5 finish now", "5 finish 1 2", "5 beats after 0 1", "5 beats after -1 1", "5 beats 1 after 1", "5 beats after 1",
      "5 series x \"t\" \"u\" \"s\"", "5 series 0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01 \"t\" \"u\"",
      "5 series 0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01 \"t\" \"u\" \"s\" from 5",
    ])
  func malformed(text: String) throws {
    let bytes = Samples.file(["5 series \(Samples.other.uuidString.lowercased()) \"t\" \"u\" \"s\"", text])
    let contents = try CaptureReader.read(bytes)
    #expect(contents.damageCount == 1 && contents.unknownRecordCount == 0)
    guard case .malformed? = contents.damages.first?.reason else {
      Issue.record("\(contents.damages)")
      return
    }
  }

  @Test("where a record of heartbeats is damaged, those behind it are where they belong, behind a gap")
  func damagedBeats() throws {
    var contents = ClientSeriesContents(
      ClientSeries(identifier: Samples.other, type: "t", unit: "u", source: "s"))
    let one = Heartbeat(rrTicks: 800)
    contents.append(.beats([one, one], after: 0))
    contents.append(.beats([one], after: 4_000))
    contents.append(.beats([one], after: 4_800))
    // What cannot follow is left out.
    contents.append(.beats([one], after: 100))
    contents.append(.beats([one], after: .max))
    #expect(
      contents.beats == [one, one, Heartbeat(rrTicks: 3_200, precededByGap: true), one])
  }

  @Test("values of an unassigned slot are reported")
  func unknownSlot() throws {
    let contents = try CaptureReader.read(Samples.file(["5 beats 812"]))
    #expect(contents.damages.map(\.reason) == [.unknownSlot(5)])
  }

  @Test("keeps its segment until the store has it")
  func inJournal() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/journal"
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
    }
    var bytes = try TemporaryFolder.read("\(path)/00000001.journal")
    bytes += Self.records[3...6].flatMap { $0.encoded(slot: 9) }
    try TemporaryFolder.write(bytes, to: "\(path)/00000001.journal")
    do {
      let (journal, found) = try Journal.open(directory: path)
      #expect(found.damageCount == 0 && found.sessions.count == 1)
      try journal.commit(Samples.session)
      try journal.sync()
      #expect(TemporaryFolder.names(path).contains("00000001.journal"))
      // What the store does not have is left alone, as an open session is.
      try journal.erase(Samples.other)
      #expect(TemporaryFolder.names(path).contains("00000001.journal"))
      try journal.commit(Samples.other)
      try journal.sync()
    }
    #expect(TemporaryFolder.names(path).isEmpty)
  }
}
