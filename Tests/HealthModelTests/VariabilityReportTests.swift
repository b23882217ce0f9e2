import HealthModel
import Testing

@Suite("Report of heart rate variability")
struct VariabilityReportTests {
  let start = Timestamp(microseconds: 1_700_000_000_000_000)

  func span(_ from: Double, _ to: Double) throws -> TimeSpan {
    try #require(
      TimeSpan(
        start: start.advanced(byMicroseconds: Int64(from * 1e6)), end: start.advanced(byMicroseconds: Int64(to * 1e6))))
  }

  /// Beats with intervals that differ, one run.
  func beats(_ count: Int, flags: (Int) -> Heartbeat.Flags = { _ in [] }) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    var ticks: Int64 = 0
    for index in 0..<count {
      let flags = flags(index)
      try builder.add(atTicks: ticks, since: start, precededByGap: flags.contains(.missed), flags: flags)
      ticks += 950 + Int64(index * 37 % 100)
    }
    return try builder.finish()
  }

  @Test("every figure is finite, with its number of values and its divisor")
  func figures() throws {
    let report = VariabilityReport(NNIntervals(try beats(4200)), in: try span(0, 4190))
    for measure in VariabilityMeasure.allCases {
      let figure = try report.figure(measure)
      #expect(figure.value.isFinite)
      #expect(figure.count > 0 && figure.divisor > 0)
    }
    let sdnn = try report.figure(.sdnn)
    let population = try report.figure(.sdnnPopulation)
    #expect(sdnn.divisor == sdnn.count - 1 && population.divisor == sdnn.count)
    #expect(
      abs(sdnn.value * sdnn.value * Double(sdnn.divisor) / Double(sdnn.count) - population.value * population.value)
        < 1e-6)
    #expect(sdnn.value > 20 && sdnn.value < 40)
    #expect(report.coverage > 0.99 && report.coverage <= 1)
  }

  @Test("windows follow each other, and each interval is in exactly one")
  func windows() throws {
    let intervals = NNIntervals(try beats(1000))
    let whole = try span(0, 1000)
    let reports = try VariabilityReport.reports(intervals, in: whole, windowMicroseconds: 300_000_000)
    #expect(reports.map { $0.span.microseconds / 1_000_000 } == [300, 300, 300, 100])
    #expect(reports.reduce(0) { $0 + $1.intervals.count } == intervals.count)
    #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.span.end == $1.span.start })
    #expect(reports.last?.span.end == whole.end)
    #expect(try VariabilityReport.reports(intervals, in: whole).count == 1)
    for length in [0, -1] as [Int64] {
      #expect(try VariabilityReport.reports(intervals, in: whole, windowMicroseconds: length).count == 1)
    }
    #expect(try VariabilityReport.reports(intervals, in: try span(5, 5), windowMicroseconds: 1).isEmpty)
  }

  @Test("a record of less than a minute has a mean, and no variability")
  func tooShort() throws {
    let report = VariabilityReport(NNIntervals(try beats(50)), in: try span(0, 50))
    #expect(try report.figure(.meanRate).value > 59)
    #expect(throws: VariabilityRefusal.tooShort(neededSeconds: 60, availableSeconds: 50)) { try report.figure(.sdnn) }
    #expect(throws: VariabilityRefusal.tooShort(neededSeconds: 3450, availableSeconds: 50)) {
      try report.figure(.sdann)
    }
  }

  @Test("a recording less than half filled with NN intervals has no variability")
  func tooThin() throws {
    let intervals = NNIntervals(try beats(120) { $0 % 4 == 0 ? .ectopic : [] })
    let report = VariabilityReport(intervals, in: try span(0, 200))
    #expect(throws: VariabilityRefusal.tooThin(neededCoverage: 0.5, coverage: report.coverage)) {
      try report.figure(.rmssd)
    }
    #expect(report.coverage < 0.5)
    #expect(report.exclusions.map(\.reason) == [.firstOfRun, .ectopic])
  }

  @Test("only gaps, no beats, one beat, and a time outside are refused with a reason, and nothing is divided by zero")
  func nothing() throws {
    let records = [
      HeartbeatSeries(), try beats(1), try beats(200) { _ in .missed }, try beats(200) { _ in .rateConflict },
    ]
    for record in records {
      for span in [try span(0, 200), try span(1000, 1200), try span(-500, -100), try span(0, 0)] {
        let report = VariabilityReport(NNIntervals(record), in: span)
        #expect(report.coverage == 0)
        for measure in VariabilityMeasure.allCases {
          do throws(VariabilityRefusal) {
            _ = try report.figure(measure)
            Issue.record("\(measure) of nothing")
          } catch {
            #expect(!error.description.isEmpty)
          }
        }
      }
    }
  }

  @Test("a recording with a known reason against all figures gives none, whatever its intervals")
  func refusedAltogether() throws {
    let intervals = NNIntervals(try beats(400))
    for window in [nil, 60_000_000] as [Int64?] {
      let reports = try VariabilityReport.reports(
        intervals, in: try span(0, 380), windowMicroseconds: window, refusal: .noBeats(.invented))
      for (report, measure) in reports.flatMap({ report in VariabilityMeasure.allCases.map { (report, $0) } }) {
        #expect(throws: VariabilityRefusal.noBeats(.invented)) { try report.figure(measure) }
      }
    }
  }

  @Test("impossible intervals, which the recorder flags, affect no figure")
  func impossibleIntervals() throws {
    var builder = HeartbeatSeriesBuilder(timescale: 1024)
    try builder.beginRun(AffineTimeMap(anchor: start))
    for index in 0..<300 {
      switch index % 50 {
      case 20: try builder.add(rrTicks: 1, flags: .implausible)
      case 40: try builder.add(rrTicks: 65535, precededByGap: true, flags: .missed)
      default: try builder.add(rrTicks: UInt32(1000 + index % 7))
      }
    }
    let series = try builder.finish()
    let report = VariabilityReport(NNIntervals(series), in: try #require(series.bounds))
    #expect(report.intervals.seconds.allSatisfy { $0 > 0.9 && $0 < 1.1 })
    for measure in VariabilityMeasure.allCases {
      do throws(VariabilityRefusal) { #expect(try report.figure(measure).value.isFinite) } catch {
        #expect(!error.description.contains("nan"))
      }
    }
  }
}
