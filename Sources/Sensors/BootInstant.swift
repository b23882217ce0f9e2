/// A moment on the boot clock (`CLOCK_BOOTTIME`): microseconds since the machine started, suspend included.
///
/// The boot clock orders everything that sensord records, since nobody sets it. Instants of two boots cannot be
/// compared; a ``SensorEvent/Kind/boot(_:)`` event stands between them.
public struct BootInstant: Hashable, Comparable, Sendable {
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  public static func < (earlier: BootInstant, later: BootInstant) -> Bool {
    earlier.microseconds < later.microseconds
  }

  /// The instant `microseconds` later, or earlier where it is negative. Saturates instead of overflowing.
  public func advanced(byMicroseconds microseconds: Int64) -> BootInstant {
    let (sum, overflow) = self.microseconds.addingReportingOverflow(microseconds)
    return BootInstant(microseconds: overflow ? (microseconds < 0 ? .min : .max) : sum)
  }

  /// Microseconds from `earlier` to this instant. Saturates instead of overflowing.
  public func microseconds(since earlier: BootInstant) -> Int64 {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (microseconds < 0 ? .min : .max) : difference
  }
}
