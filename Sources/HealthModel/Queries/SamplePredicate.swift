public import FoundationEssentials

/// A condition that selects samples.
///
/// Created by its static members: `.and([.type(.quantity(.heartRate)), .source("sensord")])`. Any number of parts may be
/// combined. If `and` and `or` alternate too deeply for SQLite, or there are too many values, the query with the predicate
/// throws (`StoreError.Code.tooComplex`).
public struct SamplePredicate: Hashable, Sendable {
  /// The condition as a value, for stores and for the way to another program.
  public let form: Form

  init(form: Form) {
    self.form = form
  }

  /// The conditions; each is made by the static member of that name. A later version may have more.
  @nonexhaustive
  public indirect enum Form: Hashable, Sendable {
    case all
    case type(SampleType)
    case time(from: Timestamp?, to: Timestamp?, strictness: TimeStrictness)
    case source(String)
    case device(String)
    case session(UUID)
    case identifier(Set<UUID>)
    case part(of: UUID)
    case basis(of: UUID)
    case collected(in: UUID)
    case workout(WorkoutPredicate)
    case workoutActivity(WorkoutPredicate)
    case value(Set<CategoryValue>)
    case hasMetadata(String)
    case metadata(String, Comparison, MetadataValue)
    case quantity(QuantityFigure, Comparison, Quantity)
    case moment(TimeFigure, Comparison, Timestamp)
    case length(DurationFigure, Comparison, microseconds: Int64)
    case count(Comparison, Int)
    case and([SamplePredicate])
    case or([SamplePredicate])
    case not(SamplePredicate)
  }

  /// Every sample.
  public static let all = SamplePredicate(form: .all)

  /// Samples of that type.
  public static func type(_ type: SampleType) -> SamplePredicate { SamplePredicate(form: .type(type)) }

  /// Samples by time, by default those that overlap `[from, to)`; nil leaves a side open.
  public static func time(
    from: Timestamp?, to: Timestamp?, strictness: TimeStrictness = []
  ) -> SamplePredicate {
    SamplePredicate(form: .time(from: from, to: to, strictness: strictness))
  }

  /// Samples saved by the program with that identifier.
  public static func source(_ identifier: String) -> SamplePredicate { SamplePredicate(form: .source(identifier)) }

  /// Samples of the device with that local identifier.
  public static func device(_ identifier: String) -> SamplePredicate { SamplePredicate(form: .device(identifier)) }

  /// Samples of that recording session.
  public static func session(_ id: UUID) -> SamplePredicate { SamplePredicate(form: .session(id)) }

  /// The samples with these identifiers.
  public static func identifier(_ ids: Set<UUID>) -> SamplePredicate { SamplePredicate(form: .identifier(ids)) }

  /// The parts of that object, for instance of a correlation.
  public static func part(of id: UUID) -> SamplePredicate { SamplePredicate(form: .part(of: id)) }

  /// The samples from which that sample was computed, for instance the beats of a variability figure.
  public static func basis(of id: UUID) -> SamplePredicate { SamplePredicate(form: .basis(of: id)) }

  /// The samples that were collected with that workout.
  public static func collected(in id: UUID) -> SamplePredicate { SamplePredicate(form: .collected(in: id)) }

  /// Workouts that match as a whole.
  public static func workout(_ predicate: WorkoutPredicate) -> SamplePredicate {
    SamplePredicate(form: .workout(predicate))
  }

  /// Workouts of which at least one activity matches.
  public static func workoutActivity(_ predicate: WorkoutPredicate) -> SamplePredicate {
    SamplePredicate(form: .workoutActivity(predicate))
  }

  /// Category samples with one of these values.
  public static func value(_ values: Set<CategoryValue>) -> SamplePredicate { SamplePredicate(form: .value(values)) }

  /// Samples that have the metadata key, whatever its value.
  public static func hasMetadata(_ key: String) -> SamplePredicate { SamplePredicate(form: .hasMetadata(key)) }

  /// Samples whose value for the metadata key compares like this.
  ///
  /// Times and flags compare as numbers; a text never equals a number. Quantities compare across units; incompatible ones
  /// do not match.
  public static func metadata(
    _ key: String, _ comparison: Comparison, _ value: MetadataValue
  ) -> SamplePredicate {
    SamplePredicate(form: .metadata(key, comparison, value))
  }

  /// Samples by a figure, in any unit compatible with the type's; other samples, and those without the figure, do not
  /// match.
  public static func summary(
    _ figure: QuantityFigure, _ comparison: Comparison, _ quantity: Quantity
  ) -> SamplePredicate {
    SamplePredicate(form: .quantity(figure, comparison, quantity))
  }

  /// Samples by one of their moments; samples without it do not match.
  public static func summary(
    _ figure: TimeFigure, _ comparison: Comparison, _ moment: Timestamp
  ) -> SamplePredicate {
    SamplePredicate(form: .moment(figure, comparison, moment))
  }

  /// Samples by one of their durations, to the microsecond; samples without it do not match.
  public static func summary(
    _ figure: DurationFigure, _ comparison: Comparison, _ duration: Duration
  ) -> SamplePredicate {
    SamplePredicate(form: .length(figure, comparison, microseconds: duration.wholeMicroseconds))
  }

  /// Samples by the number of their quantities or beats.
  public static func count(_ comparison: Comparison, _ count: Int) -> SamplePredicate {
    SamplePredicate(form: .count(comparison, count))
  }

  /// Samples that match all parts; every sample if there are no parts.
  public static func and(_ parts: [SamplePredicate]) -> SamplePredicate { SamplePredicate(form: .and(parts)) }

  /// Samples that match at least one part; no sample if there are no parts.
  public static func or(_ parts: [SamplePredicate]) -> SamplePredicate { SamplePredicate(form: .or(parts)) }

  /// Samples that do not match the part.
  public static func not(_ part: SamplePredicate) -> SamplePredicate { SamplePredicate(form: .not(part)) }

  /// The dates that must lie in `[from, to)`; if empty, an overlap with that time is enough.
  public struct TimeStrictness: OptionSet, Hashable, Sendable {
    /// The flags as bits.
    public let rawValue: UInt8

    /// The dates with these bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The start.
    public static let start = TimeStrictness(rawValue: 1 << 0)
    /// The end.
    public static let end = TimeStrictness(rawValue: 1 << 1)
  }

  /// A comparison of figures: these six, and never more.
  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    case less, lessOrEqual, equal, notEqual, greaterOrEqual, greater
  }
}

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
    /// The start of the sample.
    case start
    /// The end of the sample.
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
