import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Testing

@testable import Ingestion

@Suite("The recorder into which other programs insert series", .timeLimit(.minutes(5)))
struct RecorderClientSeriesTests {
  private static let start = Timestamp(microseconds: 1_790_000_000_000_000)

  private static func value(_ second: Int64) -> SampleDraft.QuantityValue {
    SampleDraft.QuantityValue(
      36 + Double(second), over: TimeSpan(at: start.advanced(byMicroseconds: second * 1_000_000)))
  }

  private static func begin(_ recorder: Recorder) async throws(ClientSeriesFailure) -> UUID {
    try await recorder.beginSeries(
      .quantities(.bodyTemperature, QuantityType.bodyTemperature.unit), from: start, for: Invented.game)
  }

  @Test("a series that its program completes is stored when the call returns, as its program's")
  func finished() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        let series = try await Self.begin(recorder)
        try await recorder.insert(.values([Self.value(1), Self.value(2)]), into: series)
        try await recorder.insert(.values([Self.value(3)]), into: series)
        try await recorder.finishSeries(series, end: nil)
        let sample = try await recorder.sample(series)
        #expect(sample?.count == 3 && sample?.source.identifier == "org.example.Game@1000")
        #expect(sample?.source.name == "org.example.Game")
        // Once more does no harm only while it is not stored: then the program has its answer.
        await #expect(throws: ClientSeriesFailure.notOpen) { try await recorder.finishSeries(series, end: nil) }
        await #expect(throws: ClientSeriesFailure.notOpen) {
          try await recorder.insert(.values([Self.value(4)]), into: series)
        }
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("one whose program or recorder is gone ends with its last value and says so, and a discarded one is nowhere")
  func interrupted() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        let gone = try await Self.begin(recorder)
        try await recorder.insert(.values([Self.value(1)]), into: gone)
        await recorder.interruptSeries(gone)
        // The program that was gone is back: its end and its metadata were not taken, and it is told so.
        await #expect(throws: ClientSeriesFailure.notOpen) {
          try await recorder.finishSeries(gone, end: nil, metadata: ["room": "hall"])
        }
        await recorder.commitsEnded()
        #expect(try await recorder.sample(gone)?.metadata["interrupted"] == .flag(true))
        let discarded = try await Self.begin(recorder)
        try await recorder.insert(.values([Self.value(1)]), into: discarded)
        try await recorder.discardSeries(discarded)
        let empty = try await Self.begin(recorder)
        await recorder.interruptSeries(empty)
        await recorder.commitsEnded()
        #expect(try await recorder.sample(empty) == nil)
        let open = try await Self.begin(recorder)
        try await recorder.insert(.values([Self.value(7)]), into: open)
      } catch {
        Issue.record("\(error)")
      }
    })
    // The recorder was asked to stop while the last one was open.
    let samples = try await stage.samples(of: .bodyTemperature)
    #expect(samples.map(\.count) == [1, 1])
    #expect(samples.allSatisfy { $0.metadata["interrupted"] == .flag(true) })
  }

  @Test("what a killed recorder's journal has of a series is in the store after the next start")
  func recovered() async throws {
    let stage = try await LoneRecorder()
    try stage.writeJournal { journal in
      let series = ClientSeries(
        identifier: Invented.session(5), type: "bodyTemperature", unit: "degC", source: "thermometer",
        startMicroseconds: Self.start.microseconds)
      try journal.open(series)
      try journal.append(.values([Self.value(1), Self.value(2)]), toSeries: Invented.session(5))
    }
    try await stage.run { _ in }
    let samples = try await stage.samples(of: .bodyTemperature)
    #expect(samples.map(\.id) == [Invented.session(5)])
    #expect(samples.map(\.count) == [2])
  }

  @Test("a series that was deleted before the journal knew that it was stored does not come back")
  func deletedBefore() async throws {
    let stage = try await LoneRecorder()
    let series = ClientSeries(
      identifier: Invented.session(5), type: "bodyTemperature", unit: "degC", source: "thermometer",
      startMicroseconds: Self.start.microseconds)
    try await stage.changeStore { store throws(StoreError) in
      var builder = QuantitySeriesBuilder(type: .bodyTemperature, start: Self.start)
      do { try builder.insert(36, from: Self.start, to: Self.start) } catch { return }
      guard let sample = try? builder.finish(id: series.identifier) else { return }
      try store.save(sample, as: SourceRevision(identifier: "thermometer", name: "thermometer"))
      try store.delete([series.identifier], as: "thermometer")
    }
    try stage.writeJournal { journal in
      try journal.open(series)
      try journal.append(.values([Self.value(1)]), toSeries: series.identifier)
    }
    try await stage.run { _ in }
    #expect(try await stage.samples(of: .bodyTemperature).isEmpty)
  }

  @Test("a discarded series is durably gone when that is answered, however seldom the journal is synced")
  func discarded() async throws {
    let stage = try await LoneRecorder { $0.syncInterval = .seconds(3_600) }
    try await stage.run(awaiting: { recorder in
      do {
        let series = try await Self.begin(recorder)
        try await recorder.insert(.values([Self.value(1)]), into: series)
        #expect(try !stage.segments().isEmpty)
        try await recorder.discardSeries(series)
        // A sync deletes what nobody needs.
        #expect(try stage.segments().isEmpty)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a series that is open for a day ends with its last value, so that the journal need not keep more")
  func tooOld() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        let series = try await Self.begin(recorder)
        try await recorder.insert(.values([Self.value(1)]), into: series)
        stage.setTime(100 + 86_399)
        await recorder.timerFired()
        try await recorder.insert(.values([Self.value(2)]), into: series)
        stage.setTime(100 + 86_400)
        await recorder.timerFired()
        await #expect(throws: ClientSeriesFailure.notOpen) {
          try await recorder.insert(.values([Self.value(3)]), into: series)
        }
        await recorder.commitsEnded()
        let sample = try await recorder.sample(series)
        #expect(sample?.count == 2 && sample?.metadata["interrupted"] == .flag(true))
      } catch {
        Issue.record("\(error)")
      }
    })
  }
}

extension Recorder {
  fileprivate func sample(_ id: UUID) async throws -> HealthSample? {
    guard let store = files?.store else { return nil }
    return try await SampleQuery(.identifier([id])).result(for: store).value.first
  }
}
