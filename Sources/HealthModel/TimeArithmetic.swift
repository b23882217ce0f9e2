extension Duration {
  /// Whole microseconds, rounded down. Saturates, since a duration may exceed the range of ``Timestamp``.
  public var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    let million: Int64 = 1_000_000
    // Both components have the same sign.
    return seconds.multipliedSaturated(by: million)
      .addingSaturated(attoseconds.flooredQuotient(by: 1_000_000_000_000))
  }
}

extension Timestamp {
  /// The moment later by `duration`, or earlier if it is negative; to the microsecond, rounded down. Saturates.
  public func advanced(by duration: Duration) -> Timestamp {
    advanced(byMicroseconds: duration.wholeMicroseconds)
  }

  /// The time from `earlier` to this moment. Saturates.
  public func duration(since earlier: Timestamp) -> Duration {
    .microseconds(microseconds(since: earlier))
  }
}

extension TimeSpan {
  /// The length.
  public var duration: Duration { .microseconds(microseconds) }

  /// The span of `duration` from `start` on; nil if the duration is negative.
  public init?(start: Timestamp, duration: Duration) {
    self.init(start: start, end: start.advanced(by: duration))
  }
}

extension WeightingPolicy {
  /// ``holdLast(maximumGapMicroseconds:)`` with the gap as a duration.
  public static func holdLast(maximumGap: Duration) -> WeightingPolicy {
    .holdLast(maximumGapMicroseconds: maximumGap.wholeMicroseconds)
  }

  /// ``trapezoid(maximumGapMicroseconds:)`` with the gap as a duration.
  public static func trapezoid(maximumGap: Duration) -> WeightingPolicy {
    .trapezoid(maximumGapMicroseconds: maximumGap.wholeMicroseconds)
  }
}

/// Arithmetic that stops at the least and the greatest integer, so that times at the ends of their range stay valid.
extension Int64 {
  package func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  package func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }

  package func multipliedSaturated(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// Division that rounds down; `divisor` is positive.
  package func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }

  /// The integer nearest to `value`; 0 for NaN.
  package init(saturating value: Double) {
    if value.isNaN {
      self = 0
    } else if value >= 0x1p63 {
      self = .max
    } else {
      self = value < -0x1p63 ? .min : Int64(value.rounded())
    }
  }
}
