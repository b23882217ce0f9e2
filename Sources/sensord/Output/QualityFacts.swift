internal import GATTHeartRate
internal import HealthModel

/// The quality report of a session in words and fitting units; JSON has the keys as they are stored.
struct QualityFacts {
  private let report: Metadata

  init(_ report: Metadata) {
    self.report = report
  }

  /// Labels and texts in the order of their interest. What is zero and could only be bad is left out.
  var lines: [(label: String, text: String)] {
    var lines: [(label: String, text: String)] = []
    func add(_ label: String, _ text: String?) {
      if let text { lines.append((label, text)) }
    }
    add("Received", received)
    let invented = RecordedSession.inventedIntervals(in: report)
    add("Intervals", invented > 0 ? "\(invented) invented from the rate: rates only, no beats" : nil)
    add("Stalled", stalled)
    add("Latency", latency)
    add("Drift", estimate("driftPartsPerMillion", error: "driftErrorPartsPerMillion", "ppm", digits: 1))
    add("Release", estimate("releaseDepthBeats", error: "releaseDepthErrorBeats", "beats late", digits: 2))
    add("Battery", battery)
    add("Energy", integer("energyKilojoules").map { "\($0) kJ" })
    add("Off skin", integer("offSkinRates").flatMap { $0 > 0 ? "\($0) values" : nil })
    add("Signal", range("signalWeakestDBm", "signalStrongestDBm", "dBm"))
    add("Worn on", location)
    for number in 1...100 {
      guard case .time(let time)? = report["disconnect.\(number)"] else { break }
      guard case .text(let reason)? = report["disconnect.\(number).reason"] else { continue }
      add("Link lost", "\(LocalTime.second(time.microseconds)), \(reason)")
    }
    for number in 1...100 {
      guard case .time(let time)? = report["clockStep.\(number)"] else { break }
      let step = integer("clockStep.\(number).microseconds").map { " by \(Self.time($0))" } ?? ""
      add("Clock set", "\(LocalTime.second(time.microseconds))\(step)")
    }
    return lines
  }

  private static let counts = [
    ("linkLosses", "link loss", "link losses"), ("lostValues", "value lost here", "values lost here"),
    ("zeroRates", "rate of 0", "rates of 0"), ("surplusSteps", "surplus step", "surplus steps"),
    ("earlyPackets", "packet early", "packets early"),
    ("payloadDefect.empty", "empty", "empty"),
    ("payloadDefect.truncatedRate", "cut off in the rate", "cut off in the rate"),
    ("payloadDefect.truncatedEnergy", "cut off in the energy", "cut off in the energy"),
    ("payloadDefect.reservedFlags", "with reserved flags", "with reserved flags"),
    ("payloadDefect.trailingBytes", "with bytes left over", "with bytes left over"),
  ]

  private var received: String? {
    guard let notifications = integer("notifications") else { return nil }
    var parts = ["\(notifications) notifications"]
    for (key, one, many) in Self.counts {
      if let count = integer(key), count > 0 { parts.append("\(count) \(count == 1 ? one : many)") }
    }
    return parts.joined(separator: ", ")
  }

  private var stalled: String? {
    guard let microseconds = integer("stalledMicroseconds"), microseconds > 0 else { return nil }
    return "\(FixedPoint.text(Double(microseconds) / 1_000_000, digits: 1)) s: the recorder did not run"
  }

  private var battery: String? {
    guard let level = range("batteryStartPercent", "batteryEndPercent", "%") else { return nil }
    guard case .time(let time)? = report["batteryLow"] else { return level }
    return "\(level), low since \(LocalTime.second(time.microseconds))"
  }

  private var latency: String? {
    guard let median = integer("latencyMedianMicroseconds") else { return nil }
    let rest = [("latency95Microseconds", "in 95 %"), ("latencyGreatestMicroseconds", "at most")].compactMap {
      key, words in
      integer(key).map { "\(Self.time($0)) \(words)" }
    }
    return (["\(Self.time(median)) in half of all packets"] + rest).joined(separator: ", ")
  }

  private var location: String? {
    guard let code = integer("bodySensorLocation") else { return nil }
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

  /// `2.00 ± 0.06 beats late`; nothing for a value that could not be resolved and is 0 therefore.
  private func estimate(_ key: String, error: String, _ unit: String, digits: Int) -> String? {
    guard case .real(let value)? = report[key] else { return nil }
    guard case .real(let error)? = report[error] else {
      return value == 0 ? nil : "\(FixedPoint.text(value, digits: digits)) \(unit)"
    }
    return "\(FixedPoint.text(value, digits: digits)) ± \(FixedPoint.text(error, digits: digits)) \(unit)"
  }

  private func range(_ first: String, _ second: String, _ unit: String) -> String? {
    guard let low = integer(first), let high = integer(second) else { return nil }
    return low == high ? "\(low) \(unit)" : "\(low) to \(high) \(unit)"
  }

  private func integer(_ key: String) -> Int64? {
    if case .integer(let value)? = report[key] { value } else { nil }
  }

  /// Milliseconds, from ten seconds on seconds: a recorder that was stopped makes packets a minute late.
  private static func time(_ microseconds: Int64) -> String {
    microseconds.magnitude < 10_000_000
      ? "\(FixedPoint.text(Double(microseconds) / 1_000, digits: 1)) ms"
      : "\(FixedPoint.text(Double(microseconds) / 1_000_000, digits: 1)) s"
  }
}
