import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import Captures

@Suite("Series of other programs in the journal")
struct JournalSeriesTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/journal" }
  private static let series = ClientSeries(
    identifier: Samples.other, type: "bodyTemperature", unit: "degC", source: "thermometer",
    startMicroseconds: 1_790_000_000_000_000)

  private static func value(_ second: Int) -> SampleDraft.QuantityValue {
    let start = 1_790_000_000_000_000 + Int64(second) * 1_000_000
    return SampleDraft.QuantityValue(36 + Double(second) / 8, over: TimeSpan(at: Timestamp(microseconds: start)))
  }

  /// The series after it was begun and one value was inserted.
  private func begun(_ configuration: JournalConfiguration = JournalConfiguration()) throws -> Journal {
    let (journal, _) = try Journal.open(directory: path, configuration: configuration)
    try journal.open(Self.series, metadata: ["room": .text("kitchen")])
    try journal.append(.values([Self.value(1)]), toSeries: Samples.other)
    return journal
  }

  @Test("what was inserted is read back after a kill, across segments, beside a session")
  func recovered() throws {
    var expected = ClientSeriesContents(Self.series)
    expected.metadata = ["room": .text("kitchen")]
    do {
      let journal = try begun(JournalConfiguration(segmentBytes: 300))
      try journal.open(Samples.header(), events: Samples.beginning)
      for second in 2...20 {
        try journal.append(.values([Self.value(second)]), toSeries: Samples.other)
        try journal.append(Samples.measurement(second), to: Samples.session)
      }
      expected.values = (1...20).map(Self.value)
      #expect(try journal.contents(ofSeries: Samples.other).contents == expected)
      #expect(try journal.capture(of: Samples.session).capture.notificationCount == 19)
    }
    #expect(TemporaryFolder.names(path).count > 3)
    let (_, found) = try Journal.open(directory: path)
    #expect(found.series == [expected])
    #expect(found.damageCount == 0 && found.sessions.count == 1)
  }

  @Test("heartbeats, the end and the metadata that came with it are read back")
  func finished() throws {
    let beats = [Heartbeat(rrTicks: 812), Heartbeat(rrTicks: 1650, precededByGap: true)]
    let journal = try begun()
    try journal.append(.beats(beats, after: 0), toSeries: Samples.other)
    try journal.append(
      .finish(endMicroseconds: 1_790_000_009_000_000), metadata: ["room": .text("hall")], toSeries: Samples.other)
    let (contents, damages) = try journal.contents(ofSeries: Samples.other)
    #expect(damages.isEmpty)
    #expect(contents.isFinished && contents.endMicroseconds == 1_790_000_009_000_000)
    #expect(contents.beats == beats && contents.metadata == ["room": .text("hall")])
  }

  @Test("one whose records somebody removed is read as empty, and its damage is told")
  func removed() throws {
    let journal = try begun()
    try journal.sync()
    try TemporaryFolder.write(Array("sensord-journal 2 23b397bb\n".utf8), to: "\(path)/00000001.journal")
    let (contents, damages) = try journal.contents(ofSeries: Samples.other)
    #expect(contents.values.isEmpty && contents.series == Self.series && !damages.isEmpty)
  }

  @Test("its segments go when the store has it, and not before")
  func committed() throws {
    let journal = try begun()
    try journal.sync()
    #expect(TemporaryFolder.names(path) == ["00000001.journal"])
    try journal.commit(Samples.other)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
    #expect(throws: JournalError.self) {
      try journal.append(.values([Self.value(2)]), toSeries: Samples.other)
    }
  }

  @Test("one that was committed is not found again")
  func committedBeforeRestart() throws {
    do {
      let journal = try begun()
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.commit(Samples.other)
    }
    let (journal, found) = try Journal.open(directory: path)
    #expect(found.series.isEmpty && found.sessions.count == 1)
    try journal.commit(Samples.session)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
  }

  @Test("values that a failed sync should have covered are written again, with the series' name")
  func rewritten() throws {
    let journal = try begun()
    try journal.sync()
    try journal.append(.values([Self.value(2)]), toSeries: Samples.other)
    // Somebody cuts the segment beneath the journal.
    try TemporaryFolder.write([], to: "\(path)/00000001.journal")
    let (contents, _) = try journal.contents(ofSeries: Samples.other)
    #expect(contents.series == Self.series)
    #expect(contents.values == [Self.value(2)])
    #expect(contents.metadata == ["room": .text("kitchen")])
  }

  @Test("a series whose beginning cannot be written is not known, and can be begun again")
  func failedWrite() throws {
    let (journal, _) = try Journal.open(directory: path)
    #expect(throws: JournalError.self) { try journal.append(.finish(endMicroseconds: nil), toSeries: Samples.other) }
    TemporaryFolder.delete(path)
    try TemporaryFolder.write([], to: path)
    #expect(throws: JournalError.self) { try journal.open(Self.series) }
    TemporaryFolder.delete(path)
    #expect(throws: JournalError.self) {
      try journal.append(.values([Self.value(1)]), toSeries: Samples.other)
    }
    try journal.open(Self.series)
    try journal.append(.values([Self.value(1)]), toSeries: Samples.other)
    #expect(try journal.contents(ofSeries: Samples.other).contents.values == [Self.value(1)])
  }
}
