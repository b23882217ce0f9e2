import Glibc

/// How much sound somebody heard, as a share of what is safe in seven days.
///
/// ITU-T H.870 (2018) and WHO "Safe listening devices and systems" (2019), mode 1: 40 hours at 80 dB(A) a week; 3 dB more halve the time.
public enum SoundDose {
  /// A level that lasted.
  public struct Exposure: Hashable, Sendable {
    /// When.
    public var span: TimeSpan
    /// The equivalent continuous level, in dB(A).
    public var decibels: Double

    /// A level that lasted for that time.
    public init(_ decibels: Double, over span: TimeSpan) {
      self.decibels = decibels
      self.span = span
    }
  }

  /// Seven days, in microseconds.
  public static let window: Int64 = 7 * 86_400_000_000
  private static let safeMicroseconds = 40.0 * 3_600_000_000
  private static let safeLevel = 80.0
  private static let exchangeRate = 3.0
  /// What is told to be louder counts as this: a wrong level must not drown the others in its rounding.
  private static let loudest = 140.0

  /// The dose of the seven days before `end`: 1 is all that is safe.
  ///
  /// Where exposures overlap, as those of two programs do that listened to the same headphones, the loudest counts.
  ///
  /// - Parameters:
  ///   - exposures: In any order; what lies outside of the seven days does not count.
  ///   - end: The end of the seven days.
  /// - Returns: Σ t / (40 h · 2^((80 − L) / 3)).
  public static func week(of exposures: [Exposure], before end: Timestamp) -> Double {
    let from = Timestamp(microseconds: end.microseconds.subtractingSaturated(window))
    let inside = exposures.compactMap { exposure in
      TimeSpan(start: max(from, exposure.span.start), end: min(end, exposure.span.end))
        .map { Exposure(exposure.decibels, over: $0) }
    }
    return parts(of: inside).reduce(0) { $0 + $1.rate * Double($1.span.microseconds) }
  }

  /// A time in which one level counts.
  struct Part {
    var span: TimeSpan
    var decibels: Double
    /// The dose of a microsecond.
    var rate: Double
  }

  /// The times with sound, in order, each with the loudest level that was told of it.
  static func parts(of exposures: [Exposure]) -> [Part] {
    let loudestFirst = exposures.filter(\.decibels.isFinite).sorted { $0.decibels > $1.decibels }
    return OverlapResolution.parts(of: loudestFirst.map(\.span)).map { part in
      let decibels = loudestFirst[part.place].decibels
      let rate = exp2((min(decibels, loudest) - safeLevel) / exchangeRate) / safeMicroseconds
      return Part(span: part.span, decibels: decibels, rate: rate)
    }
  }
}
