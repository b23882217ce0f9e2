internal import Documents
internal import Recordings
internal import GATTHeartRate
internal import HealthModel

/// The quality report of a session in words and fitting units; JSON has the stored keys.
struct QualityFacts {
  private let report: QualityReport

  init(_ report: QualityReport) {
    self.report = report
  }

  /// Labels and texts in the order of their interest. Counts of trouble that are zero are left out.
  var lines: [(label: String, text: String)] {
    var lines: [(label: String, text: String)] = []
    func add(_ label: String, _ text: String?) {
      if let text { lines.append((label, text)) }
    }
    add("Received", received)
    add("Intervals", intervals)
    add("Stalled", stalled)
    add("Latency", latency)
    add("Drift", estimate(report.driftPartsPerMillion, report.driftErrorPartsPerMillion, "ppm", digits: 1))
    add("Release", estimate(report.releaseDepthBeats, report.releaseDepthErrorBeats, "beats late", digits: 2))
    add("Battery", battery)
    add("Energy", report.energyKilojoules.map { "\($0) kJ" })
    add("Off skin", some(report.offSkinRates).map { "\($0) values" })
    add("Signal", range(report.signalWeakestDBm, report.signalStrongestDBm, "dBm"))
    add("Worn on", location)
    for disconnect in report.disconnects {
      add("Link lost", disconnect.reason.map { "\(LocalTime.second(disconnect.time.microseconds)), \($0)" })
    }
    for step in report.clockSteps {
      let length = step.microseconds.map { " by \(Self.time($0))" } ?? ""
      add("Clock set", "\(LocalTime.second(step.time.microseconds))\(length)")
    }
    return lines
  }

  private var received: String? {
    guard let notifications = report.notifications else { return nil }
    let counts: [(Int64?, String, String)] = [
      (report.linkLosses, "link loss", "link losses"), (report.lostValues, "value lost here", "values lost here"),
      (report.zeroRates, "rate of 0", "rates of 0"), (report.surplusSteps, "surplus step", "surplus steps"),
      (report.earlyPackets, "packet early", "packets early"),
    ]
    let events = counts.compactMap { count, one, many in some(count).map { "\($0) \($0 == 1 ? one : many)" } }
    let defects = PayloadDefect.allCases.compactMap { defect in
      some(report.payloadDefects[defect]).map { "\($0) \(Self.describe(defect))" }
    }
    return (["\(notifications) notifications"] + events + defects).joined(separator: ", ")
  }

  private static func describe(_ defect: PayloadDefect) -> String {
    switch defect {
    case .empty: "empty"
    case .truncatedRate: "cut off in the rate"
    case .truncatedEnergy: "cut off in the energy"
    case .reservedFlags: "with reserved flags"
    case .trailingBytes: "with bytes left over"
    }
  }

  /// A habit of the sensor; where it leaves no beats, the session's variability reports it in words.
  private var intervals: String? {
    guard let habit = report.intervalHabit else { return nil }
    guard habit.leavesBeats else {
      let sum = report.intervalSumRatio.map { ", \(FixedPoint.text($0, digits: 2)) of the time" } ?? ""
      return "\(report.leftOutIntervals ?? 0) left out (\(habit.rawValue)\(sum)): rates only, no beats"
    }
    return some(report.leftOutIntervals).map { "\($0) left out: \(habit.words)" } ?? habit.words
  }

  private var stalled: String? {
    some(report.stalledMicroseconds).map {
      "\(FixedPoint.text(Double($0) / 1_000_000, digits: 1)) s: the recorder did not run"
    }
  }

  private var battery: String? {
    guard let level = range(report.batteryStartPercent, report.batteryEndPercent, "%") else { return nil }
    guard let low = report.batteryLow else { return level }
    return "\(level), low since \(LocalTime.second(low.microseconds))"
  }

  private var latency: String? {
    guard let median = report.latencyMedianMicroseconds else { return nil }
    return [
      "\(Self.time(median)) in half of all packets",
      report.latency95Microseconds.map { "\(Self.time($0)) in 95 %" },
      report.latencyGreatestMicroseconds.map { "\(Self.time($0)) at most" },
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private var location: String? {
    guard let code = report.bodySensorLocation else { return nil }
    return switch UInt8(exactly: code).flatMap(BodySensorLocation.init(rawValue:)) {
    case .chest: "chest"
    case .wrist: "wrist"
    case .finger: "finger"
    case .hand: "hand"
    case .earLobe: "ear lobe"
    case .foot: "foot"
    case .other: "another place"
    case nil: "unknown place \(code)"
    }
  }

  /// `2.00 ± 0.06 beats late`; nil for a value that could not be resolved and is 0 therefore.
  private func estimate(_ value: Double?, _ error: Double?, _ unit: String, digits: Int) -> String? {
    guard let value else { return nil }
    guard let error else { return value == 0 ? nil : "\(FixedPoint.text(value, digits: digits)) \(unit)" }
    return "\(FixedPoint.text(value, digits: digits)) ± \(FixedPoint.text(error, digits: digits)) \(unit)"
  }

  private func range(_ low: Int64?, _ high: Int64?, _ unit: String) -> String? {
    guard let low, let high else { return nil }
    return low == high ? "\(low) \(unit)" : "\(low) to \(high) \(unit)"
  }

  /// A count that is shown only where it is not zero.
  private func some(_ count: Int64?) -> Int64? { count.flatMap { $0 > 0 ? $0 : nil } }

  /// A time in milliseconds, from ten seconds on in seconds: packets are a minute late where the recorder was stopped for that
  /// long.
  private static func time(_ microseconds: Int64) -> String {
    microseconds.magnitude < 10_000_000
      ? "\(FixedPoint.text(Double(microseconds) / 1_000, digits: 1)) ms"
      : "\(FixedPoint.text(Double(microseconds) / 1_000_000, digits: 1)) s"
  }
}
