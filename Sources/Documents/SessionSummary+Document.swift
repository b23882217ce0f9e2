internal import FoundationEssentials
package import HealthModel
package import Support

/// Sessions as lists show them, be they stored or still open.
extension SessionSummary {
  /// A session that a journal holds, in the form of those in a store.
  package init(_ session: RecordedSession) {
    self.init(
      id: session.id, syncVersion: session.syncVersion, device: session.device, source: session.source,
      start: session.start, end: session.end, endReason: session.endReason, metadata: session.metadata,
      quality: session.quality, heartRate: HeartRateSummary(session.rates),
      heartbeats: HeartbeatSummary(
        count: session.heartbeats.beats.count, gaps: session.heartbeats.gapCount,
        runs: session.heartbeats.runs.count),
      gapCount: session.gaps.count, coverage: session.coverage, variability: session.variability)
  }

  /// Whether the session goes on: then its end is that of the latest value, and no reason of the end is known.
  package var isOpen: Bool { endReason.isEmpty }

  /// The length of the session; 0 at least, whatever a damaged store has.
  package var microseconds: Int64 { max(0, end.microseconds(since: start)) }

  /// The number of received RR intervals that are no beats.
  package var leftOutIntervals: Int64 { quality.leftOutIntervals ?? 0 }

  /// The reason why no figure of heart rate variability is given at all; nil where the beats of the requested part decide.
  package var variabilityRefusal: VariabilityRefusal? {
    quality.intervalHabit.flatMap { $0.leavesBeats ? nil : .noBeats($0) }
  }

  /// The first eight digits of the identifier, which name a session well enough.
  package var shortName: String { String(id.uuidString.lowercased().prefix(8)) }

  /// Whether the session precedes another in a list: by start; equal starts by identifier, so that the order is always the same.
  package func precedes(_ other: SessionSummary) -> Bool {
    (start, id.uuidString) < (other.start, other.id.uuidString)
  }
}

extension HeartRateSummary {
  /// The figures of values that are not in a store yet.
  fileprivate init(_ values: [HeartRateValue]) {
    let rates = values.map { Double($0.beatsPerMinute) }
    self.init(
      count: rates.count, average: rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count),
      minimum: rates.min(), maximum: rates.max(), mostRecent: rates.last, mostRecentTime: values.last?.time)
  }
}

extension SessionSummary {
  /// The object that `sessions --json` lists; keys and their order are fixed by Documentation/command-line.md.
  package func members(isDoubtful: Bool) -> [JSONValue.Member] {
    members + (isDoubtful ? [JSONValue.clockNotSet] : [])
  }

  private var members: [JSONValue.Member] {
    [
      .init("id", .string(id.uuidString.lowercased())),
      .init("device", ["name": .string(device.name), "address": .string(device.localIdentifier)]),
      .init("start", .string(start.iso8601())),
      .init("end", isOpen ? .null : .string(end.iso8601())),
      .init("endReason", isOpen ? .null : .string(endReason)),
      .init(
        "heartRate",
        [
          "count": .integer(heartRate.count), "average": .number(heartRate.average),
          "minimum": .number(heartRate.minimum), "maximum": .number(heartRate.maximum),
          "mostRecent": .number(heartRate.mostRecent),
        ]),
      .init(
        "heartbeats",
        [
          "count": .integer(heartbeats.count), "gaps": .integer(heartbeats.gaps), "runs": .integer(heartbeats.runs),
          "leftOut": .integer(leftOutIntervals), "habit": .string(quality.intervalHabit?.rawValue),
          "coverage": ["floor": .number(coverage?.floor), "ceiling": .number(coverage?.ceiling)],
        ]),
      .init("gaps", .integer(gapCount)),
      .init(
        "hrv",
        [
          "sdnnMilliseconds": .number(variability.sdnnMilliseconds),
          "rmssdMilliseconds": .number(variability.rmssdMilliseconds), "pnn50": .number(variability.pnn50),
        ]),
    ]
  }
}

extension JSONValue {
  /// The member of a session or workout whose dates are in doubt.
  static let clockNotSet = Member("clockNotSet", .bool(true))
}
