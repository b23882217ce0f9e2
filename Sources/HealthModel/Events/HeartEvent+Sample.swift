public import FoundationEssentials

/// The keys of an event's metadata; the first is HealthKit's.
extension HeartEvent {
  /// The threshold, a quantity.
  public static let thresholdKey = "heartRateEventThreshold"
  /// The name of the rule, a text.
  public static let ruleKey = "heartEventRule"
  /// The version of the rule, a whole number.
  public static let ruleVersionKey = "heartEventRuleVersion"

  /// What its sample says beside type and time.
  public var metadata: Metadata {
    var metadata: Metadata = [Self.ruleKey: .text(rule.name), Self.ruleVersionKey: .integer(rule.version)]
    metadata[Self.thresholdKey] = threshold.map { .quantity(Quantity($0, .countPerMinute)) }
    return metadata
  }

  /// The event that a stored category sample is; nil for a sample of another type. A sample of another program may name no rule.
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

  /// The same for each scan of a session by one rule, so that an event is stored once: rule, version, session and start.
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
