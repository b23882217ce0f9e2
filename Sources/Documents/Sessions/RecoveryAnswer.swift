package import FoundationEssentials
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

  /// The recovery after the moment `end`, as it was measured elsewhere.
  package init(after end: Timestamp, _ figure: Result<HeartRateRecovery, RecoveryRefusal>) {
    self.end = end
    self.figure = figure
  }

  /// Keys are stable. Without a figure its values are null, and `refused` says why.
  ///
  /// - Parameters:
  ///   - kind: `session` or `workout`: which of both it is of.
  ///   - id: The identifier of that.
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
