import FoundationEssentials
import HealthModel
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("Live workouts in the journal")
struct JournalWorkoutsTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/journal" }
  private static let workout = LiveWorkout(
    identifier: Samples.other, uid: 1000, application: "org.example.Race", endsWithClient: false,
    configuration: WorkoutRecordTests.swim, sensor: SensorAddress("C0:FF:EE:00:00:01"))

  private static func at(_ second: Int) -> BootInstant { WorkoutRecordTests.at(Int64(second)) }

  private static let beginning: [WorkoutRecord] = [
    .boot(Samples.boot, at: at(0)), .clock(wallMinusBootMicroseconds: 1_790_000_000_123_456, at: at(0)),
    .call(.start, at: at(0)),
  ]

  private static func marker(_ second: Int) -> WorkoutRecord {
    .call(.event(type: 4, start: at(second), end: at(second), metadata: [:]), at: at(second))
  }

  private func begun(_ configuration: JournalConfiguration = JournalConfiguration()) throws -> Journal {
    let (journal, _) = try Journal.open(directory: path, configuration: configuration)
    try journal.open(Self.workout, metadata: ["title": .text("Race")], records: Self.beginning)
    return journal
  }

  @Test("what was asked of one is read back after a kill, across segments, beside a session")
  func recovered() throws {
    var expected = WorkoutContents(Self.workout)
    expected.metadata = ["title": .text("Race"), "place": .text("first")]
    for record in Self.beginning { expected.append(record) }
    do {
      let journal = try begun(JournalConfiguration(segmentBytes: 400))
      try journal.open(Samples.header(), events: Samples.beginning)
      for second in 1...20 {
        try journal.append([Self.marker(second)], toWorkout: Samples.other)
        try journal.append(Samples.measurement(second), to: Samples.session)
        expected.append(Self.marker(second))
      }
      try journal.append([.samples([Samples.session])], toWorkout: Samples.other)
      try journal.append([], metadata: ["place": .text("first")], toWorkout: Samples.other)
      expected.append(.samples([Samples.session]))
      #expect(try journal.contents(ofWorkout: Samples.other).contents == expected)
      #expect(journal.uncommittedSessions(of: SensorAddress("C0:FF:EE:00:00:01")!) == [Samples.session])
    }
    #expect(TemporaryFolder.names(path).count > 3)
    let (_, found) = try Journal.open(directory: path)
    #expect(found.workouts == [expected])
    #expect(found.damageCount == 0 && found.sessions.count == 1 && found.series.isEmpty)
  }

  @Test("its segments go when the store has it, and not before")
  func committed() throws {
    let journal = try begun()
    try journal.sync()
    #expect(TemporaryFolder.names(path) == ["00000001.journal"])
    try journal.commit(Samples.other)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
    #expect(throws: JournalError.self) { try journal.append([Self.marker(2)], toWorkout: Samples.other) }
  }

  @Test("calls that a failed sync should have covered are written again, with the workout's name, boot and clock")
  func rewritten() throws {
    let journal = try begun()
    try journal.sync()
    try journal.append([Self.marker(2)], toWorkout: Samples.other)
    // Somebody cuts the segment beneath the journal.
    try TemporaryFolder.write([], to: "\(path)/00000001.journal")
    let (contents, _) = try journal.contents(ofWorkout: Samples.other)
    #expect(contents.workout == Self.workout && contents.metadata == ["title": .text("Race")])
    #expect(contents.records == Array(Self.beginning.dropLast()) + [Self.marker(2)])
  }

  @Test("erasing a session leaves it alone, and a workout whose beginning cannot be written is not known")
  func beside() throws {
    do {
      let journal = try begun()
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.commit(Samples.session)
      try journal.erase(Samples.session)
      #expect(try journal.contents(ofWorkout: Samples.other).contents.records == Self.beginning)
    }
    TemporaryFolder.delete(path)
    let (journal, _) = try Journal.open(directory: path)
    TemporaryFolder.delete(path)
    try TemporaryFolder.write([], to: path)
    #expect(throws: JournalError.self) { try journal.open(Self.workout, records: Self.beginning) }
    TemporaryFolder.delete(path)
    #expect(throws: JournalError.self) { try journal.append([Self.marker(1)], toWorkout: Samples.other) }
  }
}
