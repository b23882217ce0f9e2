public import FoundationEssentials

/// A stretch of a recording that a detector reports: a heart that beats slowly or fast, or an irregular rhythm.
///
/// An event is a finding about a recording, and no diagnosis: a detector knows rates and intervals only, not what the
/// person does or feels.
public struct HeartEvent: Hashable, Sendable {
  /// The kind of the event.
  public var kind: Kind
  /// The time from the beginning of the stretch to the moment at which the stretch first met the rule.
  public var span: TimeSpan
  /// The threshold that the rates passed, in beats a minute; nil where the rule has no threshold.
  public var threshold: Double?
  /// The rule that decided.
  public var rule: Rule

  /// A kind of event. A later version may have more.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The rate stayed below a threshold.
    case low
    /// The rate stayed above a threshold.
    case high
    /// The intervals are as irregular as in atrial fibrillation.
    case irregular
  }

  /// The name of a rule, with its version: another version may decide otherwise on the same values.
  public struct Rule: Hashable, Sendable {
    /// The name, `lowHeartRate` for instance.
    public var name: String
    /// The version: 1 or more.
    public var version: Int64

    /// The rule of that name.
    public init(name: String, version: Int64) {
      self.name = name
      self.version = version
    }
  }

  /// An event with the given parts.
  public init(_ kind: Kind, over span: TimeSpan, threshold: Double? = nil, rule: Rule) {
    self.kind = kind
    self.span = span
    self.threshold = threshold
    self.rule = rule
  }
}

extension HeartEvent.Kind {
  /// The type of the category samples that hold such events.
  public var type: CategoryType {
    switch self {
    case .low: .lowHeartRateEvent
    case .high: .highHeartRateEvent
    case .irregular: .irregularHeartRhythmEvent
    }
  }

  /// The kind of events that samples of that type hold; nil where they hold others.
  public init?(_ type: SampleType) {
    guard let kind = Self.allCases.first(where: { .category($0.type) == type }) else { return nil }
    self = kind
  }
}

/// The keys of an event's metadata; the first is HealthKit's.
extension HeartEvent {
  /// The threshold, a quantity.
  public static let thresholdKey = "heartRateEventThreshold"
  /// The name of the rule, a text.
  public static let ruleKey = "heartEventRule"
  /// The version of the rule, a whole number.
  public static let ruleVersionKey = "heartEventRuleVersion"

  /// The metadata of the event's sample: rule, version and threshold.
  public var metadata: Metadata {
    var metadata: Metadata = [Self.ruleKey: .text(rule.name), Self.ruleVersionKey: .integer(rule.version)]
    metadata[Self.thresholdKey] = threshold.map { .quantity(Quantity($0, .countPerMinute)) }
    return metadata
  }

  /// The event that a stored category sample stands for; nil for a sample of another type. The rule has an empty name where the
  /// sample is of a program that gave no rule.
  public init?(_ type: SampleType, over span: TimeSpan, metadata: Metadata) {
    guard let kind = Kind(type) else { return nil }
    var threshold: Double?
    if case .quantity(let quantity) = metadata[Self.thresholdKey] {
      threshold = try? quantity.value(in: .countPerMinute)
    }
    var rule = Rule(name: "", version: 0)
    if case .text(let name) = metadata[Self.ruleKey] { rule.name = name }
    if case .integer(let version) = metadata[Self.ruleVersionKey] { rule.version = version }
    self.init(kind, over: span, threshold: threshold, rule: rule)
  }

  /// The identity of the event's sample: rule, version, session and start. Each scan of a session by one rule gives the same
  /// identity, so that an event is stored once.
  public func syncIdentity(in session: UUID) -> SyncIdentity {
    let session = session.uuidString.lowercased()
    return SyncIdentity(
      identifier: "\(rule.name).\(rule.version).\(session).\(span.start.microseconds)", version: 1)
  }

  /// The event as a category sample of a recording session.
  public func draft(in session: UUID, device: Device? = nil) -> SampleDraft {
    SampleDraft(
      kind.type, .notApplicable, over: span, device: device, metadata: metadata, sync: syncIdentity(in: session))
  }
}
