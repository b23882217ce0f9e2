/// What an interval from beat to beat can be, in formats that have numbers and no more.
enum IntervalLimits {
  /// Shorter ones are artefacts, or seconds.
  static let leastMilliseconds: Int64 = 10
  /// Six beats a minute: a longer one is time that passed between two beats that were not next to each other.
  static let mostMilliseconds: Int64 = 10_000

  /// How those are told that are longer.
  static let tooLong = "interval above 10 s"
}
