import GATTHeartRate

/// What can be wrong with a measurement's bytes. It is counted and reported; it never ends a session.
public enum PayloadDefect: String, Hashable, Sendable, CaseIterable {
  /// No byte at all. Nothing of the value is used.
  case empty
  /// The rate is cut off. Nothing of the value is used.
  case truncatedRate
  /// The energy is cut off. Nothing of the value is used.
  case truncatedEnergy
  /// Reserved flag bits are set. The fields that are known are used.
  case reservedFlags
  /// Bytes are left over behind the last field. The fields are used.
  case trailingBytes
}

extension PayloadDefect {
  /// The defect of a value that cannot be read.
  init(_ error: HeartRateMeasurement.DecodingError) {
    switch error {
    case .truncated(.flags, _, _): self = .empty
    case .truncated(.heartRate, _, _): self = .truncatedRate
    case .truncated(.energyExpended, _, _): self = .truncatedEnergy
    }
  }

  /// Calls `body` with each defect of a value that can be read.
  static func forEach(in header: HeartRateMeasurement.Header, byteCount: Int, _ body: (PayloadDefect) -> Void) {
    if !header.flags.isDisjoint(with: .reserved) { body(.reservedFlags) }
    if header.rrOffset + 2 * header.rrCount < byteCount { body(.trailingBytes) }
  }
}
