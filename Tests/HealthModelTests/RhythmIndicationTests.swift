import HealthModel
import Testing

@Suite("Indication of the rhythm")
struct RhythmIndicationTests {
  private func indication(_ milliseconds: [Int64]) throws -> RhythmIndication {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    let start = Timestamp(microseconds: 1_700_000_000_000_000)
    var ticks: Int64 = 0
    try builder.add(atTicks: ticks, since: start)
    for interval in milliseconds {
      ticks += interval
      try builder.add(atTicks: ticks, since: start)
    }
    return RhythmIndication(HeartRateVariability(NNIntervals(try builder.finish())))
  }

  @Test("intervals that breathe, however strongly, look like sinus rhythm")
  func breathing() throws {
    // A swing of 300 ms over ten beats.
    let swing: [Int64] = [0, 30, 100, 200, 270, 300, 270, 200, 100, 30]
    let indication = try indication((0..<200).map { 900 + swing[$0 % 10] })
    #expect(try #require(indication.relativeRMSSD) < 0.08)
    #expect(!indication.isDoubtful)
  }

  @Test("intervals that alternate, or of which none follows from the last, do not")
  func arrhythmia() throws {
    #expect(try indication((0..<200).map { $0 % 2 == 0 ? 600 : 1000 }).isDoubtful)
    let relative = try #require(indication((0..<200).map { $0 % 2 == 0 ? 600 : 1000 }).relativeRMSSD)
    #expect(abs(relative - 0.5) < 1e-12)
    // 37 is a generator modulo 101: as good as random.
    let scattered = try indication((0..<300).map { 500 + Int64($0 * $0 * 37 % 101) * 6 })
    #expect(scattered.isDoubtful)
  }

  @Test("fewer than thirty pairs give no indication")
  func tooFew() throws {
    #expect(try indication((0..<30).map { $0 % 2 == 0 ? 600 : 1000 }).relativeRMSSD == nil)
    #expect(try indication((0..<31).map { $0 % 2 == 0 ? 600 : 1000 }).isDoubtful)
    #expect(try !indication([]).isDoubtful)
  }
}
