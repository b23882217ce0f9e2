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
