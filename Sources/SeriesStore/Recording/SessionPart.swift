import FoundationEssentials
import HealthModel

/// The samples of a session. The raw value is the part of the session's identity from which their identifiers are derived.
enum SessionPart: UInt64 {
  case rates = 1
  case beats = 2
  case sdnn = 3
  case rmssd = 4
  case pnn50 = 5
  /// Heart events, each with an identifier that is derived from this one.
  case events = 6

  /// Each version of a session has its own sample identifiers; the samples of the previous version are deleted. The same
  /// version, deleted and restored, has the same identifiers again.
  func identifier(in session: RecordedSession, dating: Int64) -> UUID {
    identifier(
      in: session.id, syncVersion: session.syncVersion, algorithmVersion: session.quality.algorithmVersion ?? 0,
      dating: dating)
  }

  func identifier(in session: UUID, syncVersion: Int64, algorithmVersion: Int64, dating: Int64) -> UUID {
    session.derived(part: rawValue, version: syncVersion ^ algorithmVersion << 48 ^ dating << 32)
  }
}

/// A variability figure of a session: a sample of its type over the whole session.
struct SessionFigure: Sendable {
  var part: SessionPart
  var type: QuantityType
  var value: any WritableKeyPath<HeartRateVariabilitySummary, Double?> & Sendable
  /// How the figure was computed.
  var metadata: Metadata

  static let all = [
    SessionFigure(
      part: .sdnn, type: .heartRateVariabilitySDNN, value: \.sdnnMilliseconds,
      metadata: ["filter": .text(NNIntervals.Filter.normalToNormal.rawValue), "divisor": "n-1"]),
    SessionFigure(
      part: .rmssd, type: .heartRateVariabilityRMSSD, value: \.rmssdMilliseconds,
      metadata: ["filter": .text(NNIntervals.Filter.normalToNormal.rawValue)]),
    SessionFigure(
      part: .pnn50, type: .heartRateVariabilityPNN50, value: \.pnn50,
      metadata: ["filter": .text(NNIntervals.Filter.normalToNormal.rawValue)]),
  ]
}
