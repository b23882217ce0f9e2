/// A moment on the boot clock (`CLOCK_BOOTTIME`): microseconds since the machine started, suspend included.
///
/// The boot clock orders everything that sensord records, since no program sets it. Instants of two boots cannot be
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

extension BootInstant {
  /// The instant that much later, whole microseconds of it. Saturates instead of overflowing.
  public func advanced(by duration: Duration) -> BootInstant {
    advanced(byMicroseconds: Self.microseconds(of: duration))
  }

  /// The time from `earlier` to this instant.
  public func duration(since earlier: BootInstant) -> Duration {
    .microseconds(microseconds(since: earlier))
  }

  private static func microseconds(of duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }
}

/// The identifier of one start of the machine: the 16 bytes of `/proc/sys/kernel/random/boot_id`.
public struct BootIdentifier: Hashable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
