public import FoundationEssentials
public import HealthModel

/// Which samples are meant.
///
/// Made from its static members: `.and([.type(.quantity(.heartRate)), .source("sensord")])`. Any number of parts may stand
/// side by side; where `and` and `or` alternate deeper than SQLite reads, or there are more values than it takes, the query
/// that has the predicate is refused (``StoreError/Code/tooComplex(limit:)``).
public struct SamplePredicate: Hashable, Sendable {
  let form: Form

  indirect enum Form: Hashable, Sendable {
    case all
    case type(SampleType)
    case time(from: Timestamp?, to: Timestamp?, strictness: TimeStrictness)
    case source(String)
    case device(String)
    case session(UUID)
    case identifier(Set<UUID>)
    case part(of: UUID)
    case basis(of: UUID)
    case value(Set<CategoryValue>)
    case hasMetadata(String)
    case metadata(String, Comparison, MetadataValue)
    case quantity(QuantityFigure, Comparison, Quantity)
    case moment(TimeFigure, Comparison, Timestamp)
    case length(DurationFigure, Comparison, Int64)
    case count(Comparison, Int)
    case and([SamplePredicate])
    case or([SamplePredicate])
    case not(SamplePredicate)
  }

  /// Every sample.
  public static let all = SamplePredicate(form: .all)

  /// Of that type.
  public static func type(_ type: SampleType) -> SamplePredicate { SamplePredicate(form: .type(type)) }

  /// Time, by default overlapping `[from, to)`; nil leaves a side open.
  public static func time(
    from: Timestamp?, to: Timestamp?, strictness: TimeStrictness = []
  ) -> SamplePredicate {
    SamplePredicate(form: .time(from: from, to: to, strictness: strictness))
  }

  /// Saved by the program with that identifier.
  public static func source(_ identifier: String) -> SamplePredicate { SamplePredicate(form: .source(identifier)) }

  /// The device's local identifier.
  public static func device(_ identifier: String) -> SamplePredicate { SamplePredicate(form: .device(identifier)) }

  /// The recording session that the sample belongs to.
  public static func session(_ id: UUID) -> SamplePredicate { SamplePredicate(form: .session(id)) }

  /// One of those.
  public static func identifier(_ ids: Set<UUID>) -> SamplePredicate { SamplePredicate(form: .identifier(ids)) }

  /// A part of that object: of a correlation, for instance.
  public static func part(of id: UUID) -> SamplePredicate { SamplePredicate(form: .part(of: id)) }

  /// What that sample was computed from: the beats of a figure of heart rate variability.
  public static func basis(of id: UUID) -> SamplePredicate { SamplePredicate(form: .basis(of: id)) }

  /// A category sample with one of these values.
  public static func value(_ values: Set<CategoryValue>) -> SamplePredicate { SamplePredicate(form: .value(values)) }

  /// Has the key, whatever the value.
  public static func hasMetadata(_ key: String) -> SamplePredicate { SamplePredicate(form: .hasMetadata(key)) }

  /// Has the key with such a value.
  ///
  /// Times and flags compare as numbers; a text never equals a number. Quantities compare across units; those that measure
  /// different things do not match.
  public static func metadata(
    _ key: String, _ comparison: Comparison, _ value: MetadataValue
  ) -> SamplePredicate {
    SamplePredicate(form: .metadata(key, comparison, value))
  }

  /// A figure of the sample, in any unit that can be converted to its type's; others, and samples without it, do not match.
  public static func summary(
    _ figure: QuantityFigure, _ comparison: Comparison, _ quantity: Quantity
  ) -> SamplePredicate {
    SamplePredicate(form: .quantity(figure, comparison, quantity))
  }

  /// A moment of the sample; samples without it do not match.
  public static func summary(
    _ figure: TimeFigure, _ comparison: Comparison, _ moment: Timestamp
  ) -> SamplePredicate {
    SamplePredicate(form: .moment(figure, comparison, moment))
  }

  /// A length of time of the sample, to the microsecond; samples without it do not match.
  public static func summary(
    _ figure: DurationFigure, _ comparison: Comparison, _ duration: Duration
  ) -> SamplePredicate {
    SamplePredicate(form: .length(figure, comparison, duration.wholeMicroseconds))
  }

  /// How many quantities or beats the sample holds.
  public static func count(_ comparison: Comparison, _ count: Int) -> SamplePredicate {
    SamplePredicate(form: .count(comparison, count))
  }

  /// All of them: every sample where there are none.
  public static func and(_ parts: [SamplePredicate]) -> SamplePredicate { SamplePredicate(form: .and(parts)) }

  /// At least one of them: no sample where there are none.
  public static func or(_ parts: [SamplePredicate]) -> SamplePredicate { SamplePredicate(form: .or(parts)) }

  /// Those that it does not mean.
  public static func not(_ part: SamplePredicate) -> SamplePredicate { SamplePredicate(form: .not(part)) }

  /// Which dates must lie in `[from, to)`; without any, overlapping it is enough.
  public struct TimeStrictness: OptionSet, Hashable, Sendable {
    /// The flags as bits.
    public let rawValue: UInt8

    /// Takes the flags as bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The start.
    public static let start = TimeStrictness(rawValue: 1 << 0)
    /// The end.
    public static let end = TimeStrictness(rawValue: 1 << 1)
  }

  /// How a figure compares: these six, and never more.
  public enum Comparison: Hashable, Sendable, CaseIterable {
    case less, lessOrEqual, equal, notEqual, greaterOrEqual, greater
  }

  /// A figure of a sample that has a unit.
  public struct QuantityFigure: Hashable, Sendable {
    let column: String

    /// The sum; cumulative types only.
    public static let sum = QuantityFigure(column: "sample.sum")
    /// The mean by the type's style; discrete types only.
    public static let average = QuantityFigure(column: "sample.average")
    /// The smallest value.
    public static let minimum = QuantityFigure(column: "sample.minimum")
    /// The greatest value.
    public static let maximum = QuantityFigure(column: "sample.maximum")
    /// The value that starts last.
    public static let mostRecent = QuantityFigure(column: "sample.most_recent")
  }

  /// A moment that a sample knows of itself.
  public struct TimeFigure: Hashable, Sendable {
    let column: String

    /// When it begins.
    public static let start = TimeFigure(column: "sample.start")
    /// When it ends.
    public static let end = TimeFigure(column: "sample.end")
    /// When the value that starts last begins.
    public static let mostRecentStart = TimeFigure(column: "sample.most_recent_start")
    /// When that value ends.
    public static let mostRecentEnd = TimeFigure(column: "sample.most_recent_end")
  }

  /// A length of time that a sample knows of itself.
  public struct DurationFigure: Hashable, Sendable {
    let column: String

    /// How long its quantities last together.
    public static let duration = DurationFigure(column: "sample.duration")
    /// How long the value that starts last lasts.
    public static let mostRecentDuration = DurationFigure(
      column: "(sample.most_recent_end - sample.most_recent_start)")
  }
}
