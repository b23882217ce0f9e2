import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("QualityText")
struct QualityTextTests {
  private let report: QualityReport = {
    var report = QualityReport(["somethingNew": .quantity(Quantity(80, .percent)), "text": "a \"b\"\n"])
    (report.algorithmVersion, report.notifications, report.linkLosses, report.lostValues) = (5, 60, 1, 2)
    (report.zeroRates, report.surplusSteps, report.releaseDepthBeats, report.releaseDepthErrorBeats) = (3, 4, 2, 0.1)
    (report.driftPartsPerMillion, report.driftErrorPartsPerMillion) = (-0.0, 1.5)
    (report.latencyMedianMicroseconds, report.latency95Microseconds, report.latencyGreatestMicroseconds) = (6, 7, 8)
    (report.earlyPackets, report.offSkinRates, report.batteryStartPercent, report.batteryEndPercent) = (9, 10, 11, 12)
    (report.bodySensorLocation, report.signalWeakestDBm, report.signalStrongestDBm) = (1, -80, -60)
    (report.energyKilojoules, report.stalledMicroseconds, report.leftOutIntervals) = (13, 14, 15)
    report.batteryLow = Timestamp(microseconds: 16)
    (report.intervalHabit, report.intervalSumRatio) = (.unfit, 1.25)
    report.payloadDefects[.empty] = 17
    return report
  }()

  @Test("every figure has the same position in all files, and other keys follow with form and unit")
  func places() {
    #expect(
      QualityText.pack(report)
        == #"[5,60,1,2,3,4,"2.0","0.1","-0.0","1.5",6,7,8,9,10,11,12,1,-80,-60,13,14,15,16,"unfit","1.25","#
        + #"{"payloadDefect.empty":[1,17],"somethingNew":[5,"80.0","%"],"text":[0,"a \"b\"\u000a"]}]"#)
    var few = QualityReport()
    few.linkLosses = 1
    #expect(QualityText.pack(few) == "[null,null,1]")
    few.driftPartsPerMillion = .nan
    #expect(QualityText.pack(few) == "[null,null,1]")
    #expect(QualityText.pack(QualityReport()) == nil)
  }

  @Test("a report is read as it was saved, including keys of a newer program, and quality_list has each of its keys")
  func roundTrip() async throws {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.store, for: .writing)
    var session = try makeSession()
    session.quality = report
    _ = try await store.commit(session)
    #expect(try await store.sessions().map(\.quality) == [report])
    #expect(try await store.sessions().first?.quality.driftPartsPerMillion?.sign == .minus)
    let connection = try Connection.undefended(folder.store)
    var statement = try connection.prepare("SELECT key FROM quality_list")
    var keys: Set<String> = []
    while try statement.step() { keys.insert(statement.text(0) ?? "") }
    #expect(keys == Set(report.metadata.keys))
  }

  @Test(
    "a damaged report ends no list: what is left of it is read, and a check names its row",
    arguments: [
      ("'x'", 0), ("'[1'", 0), ("5", 0), ("'\"x\"'", 0), ("'{\"a\":1}'", 0), ("'[{\"a\":\"b\"}]'", 0),
      ("'[5,\"x\",{\"k\":3,\"l\":[1,4]}]'", 3),
    ])
  func damaged(value: String, keys: Int) async throws {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession())
    let connection = try Connection.undefended(folder.store)
    try connection.execute("UPDATE sessions SET quality = \(value)")
    #expect(try await store.sessions().count == 1)
    #expect(try connection.integer("SELECT count(*) FROM quality_list") == keys)
    #expect(try await !store.check().isEmpty)
  }
}
