internal import FoundationEssentials
package import HealthModel

/// The answer of `sensord recovery`: the figure, or why there is none.
package struct RecoveryAnswer: Hashable, Sendable {
  /// When the exercise ended.
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

  /// Keys are stable. Without a figure its values are null, and `refused` says why.
  package func json(of session: SessionSummary) -> JSONValue {
    let recovery = try? figure.get()
    var refusal: RecoveryRefusal?
    if case .failure(let its) = figure { refusal = its }
    return [
      "session": .string(session.id.uuidString.lowercased()), "at": .string(end.iso8601()),
      "heartRateRecoveryOneMinute": .number(recovery?.fall), "rateAtEnd": .number(recovery?.rateAtEnd),
      "rateAfterMinute": .number(recovery?.rateAfterMinute), "greatestRate": .number(recovery?.greatestRate),
      "refused": .string(refusal?.code), "reason": .string(refusal?.description),
    ]
  }
}
