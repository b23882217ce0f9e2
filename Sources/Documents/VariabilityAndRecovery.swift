package import FoundationEssentials
package import HealthModel
package import Support

/// The answer of `sensord hrv`: one report, or one for each window.
package struct VariabilityListing: Hashable, Sendable {
  package var session: SessionSummary
  package var span: TimeSpan
  /// The length of a window; nil where no windows were requested.
  package var windowMicroseconds: Int64?
  package var reports: [VariabilityReport]

  package init(session: SessionSummary, span: TimeSpan, windowMicroseconds: Int64?, reports: [VariabilityReport]) {
    self.session = session
    self.span = span
    self.windowMicroseconds = windowMicroseconds
    self.reports = reports
  }

  /// The object of `hrv --json`. Keys are stable. A figure that is not given has the value null, and the reason under `refused`.
  package var json: JSONValue {
    [
      "session": .string(session.id.uuidString.lowercased()), "start": Self.time(span.start),
      "end": Self.time(span.end),
      "windowSeconds": .integer(windowMicroseconds.map { $0 / 1_000_000 }),
      "reports": .array(reports.map(Self.json)),
    ]
  }

  private static func json(_ report: VariabilityReport) -> JSONValue {
    let step = report.intervals.coarseStep.map { JSONValue.Member("stepMilliseconds", .number($0 * 1000)) }
    return .object(members(report) + [step].compactMap { $0 })
  }

  private static func members(_ report: VariabilityReport) -> [JSONValue.Member] {
    [
      .init("start", time(report.span.start)), .init("end", time(report.span.end)),
      .init("seconds", .number(Double(report.span.microseconds) / 1e6)), .init("nn", .integer(report.intervals.count)),
      .init("filter", .string(report.intervals.filter.rawValue)), .init("coverage", .number(report.coverage)),
      .init("joined", .integer(report.intervals.joinedEnds.count)), .init("rhythm", report.rhythm.json),
      .init("excluded", .object(report.exclusions.map { .init($0.reason.rawValue, .integer($0.count)) })),
      .init("figures", .object(VariabilityMeasure.allCases.map { .init($0.rawValue, json($0, of: report)) })),
    ]
  }

  private static func json(_ measure: VariabilityMeasure, of report: VariabilityReport) -> JSONValue {
    do {
      let figure = try report.figure(measure)
      return [
        "value": .number(figure.value), "unit": .string(measure.unitSymbol), "n": .integer(figure.count),
        "divisor": .integer(figure.divisor), "filter": .string(report.intervals.filter.rawValue),
        "coverage": .number(report.coverage),
      ]
    } catch {
      return ["value": .null, "unit": .string(measure.unitSymbol), "refused": .string(error.description)]
    }
  }

  private static func time(_ time: Timestamp) -> JSONValue { .string(time.iso8601()) }
}

/// The answer of `sensord recovery`: the figure, or the reason of its absence.
package struct RecoveryAnswer: Hashable, Sendable {
  /// The end of the exercise.
  package var end: Timestamp
  package var figure: Result<HeartRateRecovery, RecoveryRefusal>

  /// Measures the recovery in a recording.
  package init(after end: Timestamp, heartbeats: HeartbeatSeries, rates: [HeartRateValue], gaps: [RecordingGap]) {
    self.end = end
    do throws(RecoveryRefusal) {
      figure = .success(try HeartRateRecovery(after: end, heartbeats: heartbeats, rates: rates, gaps: gaps))
    } catch {
      figure = .failure(error)
    }
  }

  /// The recovery after the moment `end`, as it was measured elsewhere.
  package init(after end: Timestamp, _ figure: Result<HeartRateRecovery, RecoveryRefusal>) {
    self.end = end
    self.figure = figure
  }

  /// Keys are stable. Without a figure the values are null, and `refused` has the reason.
  ///
  /// - Parameters:
  ///   - kind: The kind of recording: `session` or `workout`.
  ///   - id: The identifier of the recording.
  /// - Returns: One object.
  package func json(of kind: String, _ id: UUID) -> JSONValue {
    let recovery = try? figure.get()
    var refusal: RecoveryRefusal?
    if case .failure(let its) = figure { refusal = its }
    return [
      kind: .string(id.uuidString.lowercased()), "at": .string(end.iso8601()),
      "heartRateRecoveryOneMinute": .number(recovery?.fall), "rateAtEnd": .number(recovery?.rateAtEnd),
      "rateAfterMinute": .number(recovery?.rateAfterMinute), "greatestRate": .number(recovery?.greatestRate),
      "refused": .string(refusal?.code), "reason": .string(refusal?.description),
    ]
  }
}
