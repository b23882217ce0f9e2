extension SamplePredicate {
  /// A figure of a sample, with a unit. A later version may have more.
  @nonexhaustive
  public enum QuantityFigure: String, Hashable, Sendable, CaseIterable {
    /// The sum; cumulative types only.
    case sum
    /// The mean by the type's style; discrete types only.
    case average
    /// The smallest value.
    case minimum
    /// The greatest value.
    case maximum
    /// The latest value, by start.
    case mostRecent
  }

  /// A moment of a sample. A later version may have more.
  @nonexhaustive
  public enum TimeFigure: String, Hashable, Sendable, CaseIterable {
    /// When it begins.
    case start
    /// When it ends.
    case end
    /// The start of the latest value.
    case mostRecentStart
    /// The end of that value.
    case mostRecentEnd
  }

  /// A duration of a sample. A later version may have more.
  @nonexhaustive
  public enum DurationFigure: String, Hashable, Sendable, CaseIterable {
    /// The total duration of its quantities; of a workout, without pauses.
    case duration
    /// The duration of the latest value.
    case mostRecentDuration
  }
}
