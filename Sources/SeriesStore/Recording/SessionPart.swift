import FoundationEssentials
import HealthModel

/// The samples that a session has, and the part of its identity that each one's identifier is derived with.
enum SessionPart: UInt64 {
  case rates = 1
  case beats = 2
  case sdnn = 3
  case rmssd = 4
  case pnn50 = 5

  /// A form of a session has samples of its own: those of the form before are deleted. The same form, deleted and restored,
  /// has the same again.
  func identifier(in session: RecordedSession) -> UUID {
    identifier(
      in: session.id, syncVersion: session.syncVersion, algorithmVersion: session.quality.algorithmVersion ?? 0)
  }

  func identifier(in session: UUID, syncVersion: Int64, algorithmVersion: Int64) -> UUID {
    session.derived(part: rawValue, version: syncVersion ^ algorithmVersion << 48)
  }
}

/// A figure of heart rate variability that a session keeps: a sample of its type over the whole session.
struct SessionFigure: Sendable {
  var part: SessionPart
  var type: QuantityType
  var value: any WritableKeyPath<HeartRateVariabilitySummary, Double?> & Sendable
  /// How it was computed.
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
