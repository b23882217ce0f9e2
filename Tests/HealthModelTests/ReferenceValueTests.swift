import Foundation
import HealthModel
import Testing

/// Figures of other programs for twelve real series, where the test data are present.
///
/// Each program has its own conventions, and the table says which of our figures corresponds to which of theirs. All of
/// them count a difference of exactly 50 ms in NN50 if rounding puts it above, which happens at 360 Hz. Left out are
/// figures that we do not have: the mean of instantaneous rates, NN20 and pNN20. None of these programs has a comparable
/// Lomb-Scargle power (pyhrv's report has one with an angular frequency of 2π/f, which is not a spectrum):
/// ``SpectrumTests`` compare with SciPy instead.
@Suite("Reference values")
struct ReferenceValueTests {
  struct Convention: Sendable {
    var tool: String
    var key: String
    var words: String
    /// Includes the tolerance at 50 ms.
    var figure: @Sendable (HeartRateVariability, Double) throws -> Double
  }

  static let conventions: [Convention] = [
    .init(tool: "numpy", key: "mean_rr", words: "mean") { figures, _ in try figures.meanNN().value * 1000 },
    .init(tool: "numpy", key: "hr_of_mean", words: "rate of the mean interval") { figures, _ in
      try figures.meanRate().value
    },
    .init(tool: "numpy", key: "sdnn_n1", words: "divisor n - 1") { figures, _ in try figures.sdnn(.sample).value * 1000
    },
    .init(tool: "numpy", key: "sdnn_n", words: "divisor n") { figures, _ in try figures.sdnn(.population).value * 1000
    },
    .init(tool: "numpy", key: "rmssd", words: "divisor: number of pairs") { figures, _ in
      try figures.rmssd().value * 1000
    },
    .init(tool: "numpy", key: "sdsd", words: "divisor n - 1") { figures, _ in try figures.sdsd(.sample).value * 1000 },
    .init(tool: "numpy", key: "nn50", words: "above 50 ms, rounding included") { try $0.nn50(tolerance: $1).value },
    .init(tool: "numpy", key: "pnn50_diff", words: "share of the pairs") { try $0.pnn50(tolerance: $1).value },
    .init(tool: "hrvanalysis", key: "mean_nni", words: "mean") { figures, _ in try figures.meanNN().value * 1000 },
    .init(tool: "hrvanalysis", key: "sdnn", words: "divisor n - 1") { figures, _ in
      try figures.sdnn(.sample).value * 1000
    },
    .init(tool: "hrvanalysis", key: "rmssd", words: "divisor: number of pairs") { figures, _ in
      try figures.rmssd().value * 1000
    },
    .init(tool: "hrvanalysis", key: "sdsd", words: "divisor n") { figures, _ in
      try figures.sdsd(.population).value * 1000
    },
    .init(tool: "hrvanalysis", key: "nni_50", words: "above 50 ms, rounding included") {
      try $0.nn50(tolerance: $1).value
    },
    .init(tool: "hrvanalysis", key: "pnni_50", words: "share of the pairs") { try $0.pnn50(tolerance: $1).value },
    .init(tool: "neurokit2", key: "HRV_MeanNN", words: "mean") { figures, _ in try figures.meanNN().value * 1000 },
    .init(tool: "neurokit2", key: "HRV_SDNN", words: "divisor n - 1") { figures, _ in
      try figures.sdnn(.sample).value * 1000
    },
    .init(tool: "neurokit2", key: "HRV_RMSSD", words: "divisor: number of pairs") { figures, _ in
      try figures.rmssd().value * 1000
    },
    .init(tool: "neurokit2", key: "HRV_SDSD", words: "divisor n - 1") { figures, _ in
      try figures.sdsd(.sample).value * 1000
    },
    .init(tool: "neurokit2", key: "HRV_pNN50", words: "share of the intervals") {
      try $0.nn50(tolerance: $1).value * 100 / Double($0.count)
    },
    .init(tool: "pyhrv", key: "sdnn", words: "divisor n - 1") { figures, _ in try figures.sdnn(.sample).value * 1000 },
    .init(tool: "pyhrv", key: "rmssd", words: "divisor: number of pairs") { figures, _ in
      try figures.rmssd().value * 1000
    },
    .init(tool: "pyhrv", key: "nn50", words: "above 50 ms, rounding included") { try $0.nn50(tolerance: $1).value },
    .init(tool: "pyhrv", key: "pnn50", words: "share of the pairs") { try $0.pnn50(tolerance: $1).value },
  ]

  @Test(
    "every figure equals that of each program to six digits, under the program's own convention",
    .enabled(if: RealIntervals.folder != nil, "left out: SENSORD_TEST_DATA is not set"))
  func sixDigits() throws {
    let path = try #require(RealIntervals.folder) + "/hrv-reference-values.json"
    let decoded = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    let references = try #require(decoded as? [String: [String: Any]])
    #expect(references.count == 12)
    var compared: [String: Int] = [:]
    for (series, reference) in references {
      let intervals = try RealIntervals.named(series)
      #expect(intervals.count == reference["n"] as? Int, "\(series)")
      let figures = HeartRateVariability(try NNIntervals(stretches: [intervals.map { $0 / 1000 }]))
      // Whole milliseconds are exact for all programs, 360ths of a second for none.
      let tolerance = intervals.allSatisfy { $0 == $0.rounded() } ? 1e-6 : 0
      for convention in Self.conventions {
        // pyhrv gives up on a series with an interval of 0.
        guard let values = reference[convention.tool] as? [String: Any] else { continue }
        let expected = try #require(values[convention.key] as? Double, "\(series) \(convention.tool) \(convention.key)")
        let value = try convention.figure(figures, tolerance)
        // Six digits behind the point are what the references have.
        #expect(
          abs(value - expected) <= 6e-7,
          "\(series): \(convention.tool) \(convention.key) (\(convention.words)) \(expected), ours \(value)")
        compared["\(convention.tool) \(convention.key) (\(convention.words))", default: 0] += 1
      }
    }
    for convention in Self.conventions {
      let name = "\(convention.tool) \(convention.key) (\(convention.words))"
      #expect(compared[name] == (convention.tool == "pyhrv" ? 11 : 12), "\(name)")
    }
    print("reference values: \(compared.values.reduce(0, +)) figures of \(references.count) series equal to six digits")
  }

  @Test(
    "between the normal beats of a labelled record no difference is taken across an early beat, as the programs do",
    .enabled(if: RealIntervals.folder != nil, "left out: SENSORD_TEST_DATA is not set"))
  func noDifferenceAcrossEarlyBeats() throws {
    let folder = try #require(RealIntervals.folder)
    let stretches = try RealIntervals.normalStretches(folder + "/wfdb-sample-data/100.atr")
    let figures = HeartRateVariability(try NNIntervals(stretches: stretches))
    #expect(figures.count == 2204)
    #expect(figures.pairCount == 2204 - stretches.count)
    let closedUp = HeartRateVariability(try NNIntervals(stretches: [stretches.flatMap(\.self)]))
    #expect(closedUp.pairCount == 2203)
    #expect(try figures.sdnn().value == closedUp.sdnn().value)
    #expect(try figures.rmssd().value < closedUp.rmssd().value)
  }
}
