import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("The golden capture")
struct GoldenCaptureTests {
  static let folder = String(#filePath.dropLast("/Format/GoldenCaptureTests.swift".count))
  static let fixture = "\(folder)/Fixtures/every-record.capture"
  static let page = "\(folder)/../../Documentation/capture-format.md"

  /// Every kind of record once; the sensor's name is an attack on a terminal.
  static let capture = Capture(
    header: CaptureHeader(
      session: Samples.session,
      sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Strap \u{1B}[2J\n♥"),
      source: "sensord 0.1.0",
      metadata: [
        "began": .time(Timestamp(microseconds: 1_789_999_000_000_000)), "game": "Tetris \"99\"", "level": .integer(-3),
        "ranked": .flag(true), "speed": .real(1.25),
        "weight": .quantity(Quantity(72.5, .kilogram)),
      ],
      request: SessionRequest(
        identifier: Samples.other, uid: 1000, application: "org.example.Game", endsWithClient: true),
      linkedTo: Samples.other),
    events: [
      at(8_122_000_000, .boot(Samples.boot)),
      at(8_122_000_000, .clock(wallMinusBootMicroseconds: 1_790_000_000_123_456)),
      at(8_122_000_000, .connected),
      at(8_122_310_455, .location(1)),
      at(8_122_320_871, .information(.manufacturerName, "Strap makers")),
      at(8_122_331_002, .battery(percent: 87)),
      at(8_122_331_010, .signal(dBm: -67)),
      at(8_123_456_789, .measurement([0x10, 0x5A, 0x4B, 0x04, 0xA7, 0x01])),
      at(8_124_456_901, .measurement([0x16, 0x5B, 0x9D, 0x03])),
      at(8_125_457_013, .stalled(microseconds: 1_000_112)),
      at(8_125_457_013, .measurement([])),
      at(8_126_000_000, .clock(wallMinusBootMicroseconds: 1_790_000_003_500_000)),
      at(8_127_000_000, .marker("Level 2 \u{2665}")),
      at(8_128_000_000, .marker("Late", microsecondsBefore: 500_000)),
      at(8_128_500_000, .paused),
      at(8_129_500_000, .continued),
      at(8_130_000_000, .lost(values: 2, reason: "no space left on the disk")),
      at(8_140_000_000, .disconnected(reason: "connection timeout (0x08)")),
      at(8_141_000_000, .connected),
      at(8_142_000_000, .disconnected(reason: nil)),
      at(8_442_000_000, .ended(.away)),
    ])

  static func at(_ microseconds: Int64, _ kind: SensorEvent.Kind) -> SensorEvent {
    SensorEvent(kind, at: BootInstant(microseconds: microseconds))
  }

  @Test("is read and written as it always was")
  func golden() throws {
    let written = CaptureEncoder.encode(Self.capture)
    if unsafe getenv("RECORD_GOLDENS") != nil {
      try TemporaryFolder.write(written, to: Self.fixture)
      Issue.record("the golden capture was written anew")
    }
    #expect(written.lines == (try TemporaryFolder.read(Self.fixture)).lines)
    #expect(try CaptureFile.read(path: Self.fixture).captures == [Self.capture])
  }

  @Test("of the first version is read as it always was")
  func firstVersion() throws {
    let contents = try CaptureFile.read(path: "\(Self.folder)/Fixtures/every-record-1.capture")
    var expected = Self.capture
    expected.header.request = nil
    expected.header.metadata = ["game": "Tetris \"99\""]
    // What the second version added.
    expected.log = SensorEventLog(
      Self.capture.log.filter { event in
        switch event.kind {
        case .stalled, .marker, .paused, .continued: false
        default: true
        }
      })
    #expect(contents.captures == [expected])
    #expect(contents.damageCount == 0 && contents.unknownRecordCount == 0)
  }

  /// The text of the page between the fence after `heading` and the next one.
  static func example(_ heading: String) throws -> [UInt8] {
    let lines = try TemporaryFolder.read(page).lines
    let section = lines.drop { !$0.hasPrefix("## ") || !$0.contains(heading) }
    let block = section.drop { $0 != "```" }.dropFirst().prefix { $0 != "```" }
    return Array(block.map { "\($0)\n" }.joined().utf8)
  }

  @Test("stands in the page on the format, byte for byte")
  func documented() throws {
    #expect(try Self.example("A complete example").lines == TemporaryFolder.read(Self.fixture).lines)
  }

  @Test("the page's example of a client's series is read as the page says, and belongs to no session")
  func documentedSeries() throws {
    let bytes = try Self.example("Series of other programs")
    let lines = bytes.lines.dropFirst().dropLast().map { Array("\($0)\n".utf8) }
    #expect(lines.compactMap { ClientSeriesRecord.decode($0)?.record } == ClientSeriesTests.records)
    #expect(lines.compactMap { ClientSeriesRecord.decode($0)?.slot } == [5, 5, 5, 6, 6, 6, 6, 7])
    let contents = try CaptureReader.read(bytes)
    #expect(contents.captures.isEmpty && contents.damageCount == 0 && contents.unknownRecordCount == 0)
  }

  @Test("the page's example of a later journal segment is read as the page says")
  func documentedSegment() throws {
    let contents = try CaptureReader.read(Self.example("Journal segments"))
    #expect(contents.damageCount == 0)
    let capture = try #require(contents.captures.first)
    #expect(capture.session == Samples.session)
    #expect(
      capture.events.map(\.kind) == [
        .boot(Samples.boot), .clock(wallMinusBootMicroseconds: 1_790_000_003_500_000),
        .measurement([0x10, 0x5C, 0x80, 0x03]), .ended(.shutdown),
      ])
  }
}
