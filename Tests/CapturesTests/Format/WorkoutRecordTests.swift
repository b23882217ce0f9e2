import Foundation
import HealthModel
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("A live workout in the journal's format")
struct WorkoutRecordTests {
  static let swim = WorkoutConfiguration(
    .swimming, location: .indoor, swimmingLocation: .pool, lapLength: Quantity(25.0, .meter))
  private static let run = WorkoutConfiguration(.running, location: .outdoor)

  static func at(_ second: Int64) -> BootInstant { BootInstant(microseconds: 8_122_000_000 + second * 1_000_000) }

  /// The example of the page, without boot and clock.
  static let records: [WorkoutRecord] = [
    .begin(
      LiveWorkout(
        identifier: Samples.session, uid: 1000, application: "org.example.Race", endsWithClient: false,
        configuration: WorkoutConfiguration(.swimBikeRun, location: .outdoor),
        request: Samples.other, sensor: SensorAddress("C0:FF:EE:00:00:01"))),
    .call(.start, at: at(0)),
    .call(
      .beginActivity(Samples.other, swim, metadata: ["lane": .integer(4), "pool": .text("East \u{2665}")]), at: at(1)),
    .call(.event(type: 3, start: at(1), end: at(31), metadata: ["style": .text("crawl")]), at: at(31)),
    .call(.pause, at: at(40)),
    .call(.resume, at: at(50)),
    .call(.endActivity, at: at(60)),
    .samples([Samples.session, Samples.other]),
    .call(.stop, at: at(70)),
    .call(.end, at: at(135)),
    .begin(
      LiveWorkout(
        identifier: Samples.other, uid: 0, application: "a b", endsWithClient: true, configuration: run)),
    .call(.beginActivity(Samples.other, run, metadata: [:]), at: at(-5)),
  ]

  @Test("the example of the page is these records")
  func example() throws {
    let folder = TemporaryFolder()
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../../Documentation/capture-format.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.hasPrefix("5 workout ") })
    let end = try #require(lines[first...].firstIndex { $0.hasPrefix("```") })
    let path = "\(folder.path)/journal"
    do { _ = try Journal.open(directory: path) }
    try TemporaryFolder.write(
      Array((lines[(first - 1)..<end].joined(separator: "\n") + "\n").utf8), to: "\(path)/00000001.journal")
    let (_, found) = try Journal.open(directory: path)
    let contents = try #require(found.workouts.first)
    #expect(found.damageCount == 0 && contents.metadata == ["title": .text("Race")])
    var expected = WorkoutContents(contents.workout)
    let present: [WorkoutRecord] = [
      .boot(Samples.boot, at: Self.at(0)), .clock(wallMinusBootMicroseconds: 1_790_000_000_123_456, at: Self.at(0)),
    ]
    for record in present + Self.records[1...9] { expected.append(record) }
    #expect(contents.records == expected.records && contents.samples == expected.samples)
    #expect(Self.records[0] == .begin(contents.workout))
  }

  @Test("comes back as it was, under its slot", arguments: records)
  func roundTrip(record: WorkoutRecord) {
    for slot in [1, 17, RecordLine.greatestSlot] {
      let line = record.encoded(slot: slot)
      #expect(line.last == 0x0A && line.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
      let decoded = WorkoutRecord.decode(line)
      #expect(decoded?.slot == slot && decoded?.record == record)
    }
  }

  @Test("that is cut off anywhere, or changed in one byte, is no record", arguments: records)
  func everyTruncation(record: WorkoutRecord) {
    let line = record.encoded(slot: 17)
    for length in 0..<line.count { #expect(WorkoutRecord.decode(Array(line[..<length])) == nil) }
    for position in line.indices {
      var changed = line
      changed[position] ^= 0x02
      #expect(WorkoutRecord.decode(changed) == nil, "byte \(position)")
    }
  }

  @Test(
    "a record that says what cannot be is malformed",
    arguments: [
      "5 samples", "5 samples x", "5 7 start now", "5 7 event 3 9 8", "5 7 event 3 9", "5 7 event 3 8 9 with",
      "5 7 event 3 8 9 \"a\" 1", "5 7 event 3 8 9 with \"a\"", "5 7 activity x 1 1 0", "5 7 pause 8",
      "5 7 activity c3d4e5f6-1a2b-4c3d-9e8f-001122334455 1 1", "5 workout x 1 \"a\" ends 1 1 0",
      "5 7 activity c3d4e5f6-1a2b-4c3d-9e8f-001122334455 1 1 0 lap nan \"m\"",
      "5 workout c3d4e5f6-1a2b-4c3d-9e8f-001122334455 1 \"a\" goes 1 1 0",
      "5 workout c3d4e5f6-1a2b-4c3d-9e8f-001122334455 1 \"a\" ends 1 1 0 sensor x",
    ])
  func malformed(text: String) throws {
    let beginning = "5 workout \(Samples.other.uuidString.lowercased()) 1 \"a\" stays 37 1 0"
    let contents = try CaptureReader.read(Samples.file([beginning, text]))
    #expect(contents.damageCount == 1 && contents.unknownRecordCount == 0)
    guard case .malformed? = contents.damages.first?.reason else {
      Issue.record("\(contents.damages)")
      return
    }
  }

  @Test("calls of an unassigned slot are reported, and a capture keeps none")
  func unknownSlot() throws {
    #expect(try CaptureReader.read(Samples.file(["5 7 start"])).damages.map(\.reason) == [.unknownSlot(5)])
    let beginning = "5 workout \(Samples.other.uuidString.lowercased()) 1 \"a\" stays 37 1 0"
    let contents = try CaptureReader.read(Samples.file([beginning, "5 7 start", "5 meta \"a\" \"b\""]))
    #expect(contents.damageCount == 0 && contents.captures.isEmpty)
  }
}
