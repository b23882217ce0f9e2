public import FoundationEssentials
public import HealthModel

/// Which samples are meant.
public indirect enum SamplePredicate: Hashable, Sendable {
  /// Every sample.
  case all
  case type(SampleType)
  /// Time, by default overlapping `[from, to)`; nil leaves a side open.
  case time(from: Timestamp?, to: Timestamp?, strictness: TimeStrictness = [])
  /// Saved by the program with that identifier.
  case source(String)
  /// The device's local identifier.
  case device(String)
  /// The recording session that the sample belongs to.
  case session(UUID)
  case identifier(Set<UUID>)
  /// A part of that object: of a correlation, for instance.
  case part(of: UUID)
  /// What that sample was computed from: the beats of a figure of heart rate variability.
  case basis(of: UUID)
  /// A category sample with one of these values.
  case value(Set<CategoryValue>)
  /// Has the key, whatever the value.
  case hasMetadata(String)
  /// Has the key with such a value. Times and flags compare as numbers; a text never equals a number.
  case metadata(String, Comparison, MetadataValue)
  /// A figure of the sample, in its type's unit or in microseconds; samples without it do not match.
  case summary(SummaryKey, Comparison, Double)
  case and([SamplePredicate])
  case or([SamplePredicate])
  case not(SamplePredicate)

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

  /// How a figure compares; the raw values are SQL.
  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "="
    case notEqual = "<>"
    case greaterOrEqual = ">="
    case greater = ">"
  }

  /// The figures of a sample that can be asked for; the raw values are the columns of the file.
  public enum SummaryKey: String, Hashable, Sendable, CaseIterable {
    case count
    case sum
    case average
    case minimum
    case maximum
    case mostRecent = "most_recent"
    /// Microseconds since 1970.
    case mostRecentStart = "most_recent_start"
    case mostRecentEnd = "most_recent_end"
    /// Microseconds between the two.
    case mostRecentDuration = "(sample.most_recent_end - sample.most_recent_start)"
    case duration

    var column: String {
      self == .mostRecentDuration ? rawValue : "sample.\(rawValue)"
    }
  }
}
