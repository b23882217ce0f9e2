/// What one source said of a stretch of sleep, or of time in bed.
///
/// A source may say several things of one moment: that somebody is in bed, and which stage of sleep it is.
public struct SleepInterval: Hashable, Sendable {
  /// A value of ``CategoryType/sleepAnalysis``.
  public var value: CategoryValue
  /// When.
  public var span: TimeSpan
  /// Who says so.
  public var source: DataSource

  /// An interval with the given parts.
  public init(_ value: CategoryValue, over span: TimeSpan, source: DataSource) {
    self.value = value
    self.span = span
    self.source = source
  }

  /// What a sample says; nil for one that is not of ``CategoryType/sleepAnalysis``.
  public init?(_ sample: HealthSample) {
    guard sample.type == .category(.sleepAnalysis), let value = sample.category,
      let span = TimeSpan(start: sample.start, end: sample.end)
    else { return nil }
    self.init(value, over: span, source: DataSource(sample.source, sample.device))
  }

  /// Whether this version knows what the value means, and there is a time of which it is said.
  var counts: Bool { CategoryValue.sleepValues.contains(value) && span.microseconds > 0 }
}

extension CategoryValue {
  /// Every value of ``CategoryType/sleepAnalysis`` that this version knows.
  static let sleepValues: Set<CategoryValue> = allAsleepValues.union([inBed, awake])
  /// The stages of sleep that are told apart.
  static let sleepStages: Set<CategoryValue> = [asleepCore, asleepDeep, asleepREM]
}
