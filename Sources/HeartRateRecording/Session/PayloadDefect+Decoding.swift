import GATTHeartRate
import HealthModel

extension PayloadDefect {
  /// The defect of a value that cannot be decoded.
  init(_ error: HeartRateMeasurement.DecodingError) {
    switch error {
    case .truncated(.flags, _, _): self = .empty
    case .truncated(.heartRate, _, _): self = .truncatedRate
    case .truncated(.energyExpended, _, _): self = .truncatedEnergy
    }
  }

  /// Calls `body` with each defect of a value that can be decoded.
  static func forEach(in header: HeartRateMeasurement.Header, byteCount: Int, _ body: (PayloadDefect) -> Void) {
    if !header.flags.isDisjoint(with: .reserved) { body(.reservedFlags) }
    if header.rrOffset + 2 * header.rrCount < byteCount { body(.trailingBytes) }
  }
}
