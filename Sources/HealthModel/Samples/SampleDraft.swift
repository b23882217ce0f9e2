public import FoundationEssentials

/// A sample that a program wants to save, as values.
///
/// A draft has no identifier: the store assigns one when it saves the sample. An object that may be saved again has a
/// ``SyncIdentity``.
public struct SampleDraft: Hashable, Sendable {
  /// The content of the sample.
  public var content: Content
  /// The time from the sample's start to its end; a moment for many samples.
  public var span: TimeSpan
  /// The hardware that measured.
  public var device: Device?
  /// Further metadata.
  public var metadata: Metadata
  /// The identity of an object that may be saved again in a later version; nil for other objects.
  public var sync: SyncIdentity?

  /// The content of a kind of samples. A later version may have more.
  @nonexhaustive
  public enum Content: Hashable, Sendable {
    /// Values of a quantity type, in any unit that is compatible with it; a single one is a series of one.
    case quantities(QuantityType, Unit, [QuantityValue])
    /// Beats, in ticks of `1/timescale` seconds since the sample's start.
    case heartbeats(timescale: Int32, [HeartbeatTick])
    /// A value of a category type.
    case category(CategoryType, CategoryValue)
    /// Samples that together are one measurement.
    case correlation(CorrelationType, [SampleDraft])
    /// The route of a stored workout of the same program.
    case route(of: UUID, [RouteLocation])
    /// Hearing thresholds by frequency.
    case audiogram(Audiogram)
    /// Lenses for glasses or contacts.
    case visionPrescription(VisionPrescription)
  }

  /// A value with the time that it is about.
  public struct QuantityValue: Hashable, Sendable {
    /// The number, in the sample's unit.
    public var value: Double
    /// The time that the value is about, from start to end.
    public var span: TimeSpan

    /// A value for a moment or a time.
    public init(_ value: Double, over span: TimeSpan) {
      self.value = value
      self.span = span
    }
  }

  /// A beat of a heartbeat series.
  public struct HeartbeatTick: Hashable, Sendable {
    /// Ticks since the sample's start; they increase from beat to beat.
    public var ticks: Int64
    /// Whether beats may be missing before it.
    public var precededByGap: Bool

    /// A beat at that tick.
    public init(_ ticks: Int64, precededByGap: Bool = false) {
      self.ticks = ticks
      self.precededByGap = precededByGap
    }
  }

  /// A sample with the given parts.
  public init(
    _ content: Content, over span: TimeSpan, device: Device? = nil, metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) {
    self.content = content
    self.span = span
    self.device = device
    self.metadata = metadata
    self.sync = sync
  }

  /// One quantity at a moment or over a time.
  public init(
    _ type: QuantityType, _ quantity: Quantity, over span: TimeSpan, device: Device? = nil, metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) {
    self.init(
      .quantities(type, quantity.unit, [QuantityValue(quantity.value, over: span)]), over: span, device: device,
      metadata: metadata, sync: sync)
  }

  /// A category value over a time.
  public init(
    _ type: CategoryType, _ value: CategoryValue, over span: TimeSpan, device: Device? = nil, metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) {
    self.init(.category(type, value), over: span, device: device, metadata: metadata, sync: sync)
  }

  /// The route of a workout.
  ///
  /// - Throws: ``WorkoutRouteError`` where ``WorkoutRoute/validate()`` does.
  public init(_ route: WorkoutRoute, device: Device? = nil, sync: SyncIdentity? = nil) throws(WorkoutRouteError) {
    try route.validate()
    guard let span = route.span else { throw .noLocations }
    self.init(
      .route(of: route.workout, route.locations), over: span, device: device, metadata: route.metadata, sync: sync)
  }

  /// An audiogram, over the time from the first tone to the last, or at one moment.
  public init(
    _ audiogram: Audiogram, over span: TimeSpan, device: Device? = nil, metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) {
    self.init(.audiogram(audiogram), over: span, device: device, metadata: metadata, sync: sync)
  }

  /// A prescription with the time of its issue and, where it is good for a time only, of its expiry.
  ///
  /// - Throws: ``VisionPrescriptionError/expiresBeforeIssue``.
  public init(
    _ prescription: VisionPrescription, issued: Timestamp, expires: Timestamp? = nil, device: Device? = nil,
    metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws(VisionPrescriptionError) {
    self.init(
      .visionPrescription(prescription), over: try VisionPrescription.span(issued: issued, expires: expires),
      device: device, metadata: metadata, sync: sync)
  }

  /// The type of the sample.
  public var type: SampleType {
    switch content {
    case .quantities(let type, _, _): .quantity(type)
    case .heartbeats: .heartbeatSeries
    case .category(let type, _): .category(type)
    case .correlation(let type, _): .correlation(type)
    case .route: .workoutRoute
    case .audiogram: .audiogram
    case .visionPrescription: .visionPrescription
    }
  }
}

extension SampleDraft.QuantityValue {
  /// The values by start, then by end, then by value, each once.
  package static func inOrder(_ values: [Self]) -> [Self] {
    let sorted = values.sorted(by: precedes)
    var once: [Self] = []
    once.reserveCapacity(sorted.count)
    for value in sorted where once.last != value { once.append(value) }
    return once
  }

  /// Whether one stands before the other in that order.
  package static func precedes(_ one: Self, _ other: Self) -> Bool {
    if one.span.start != other.span.start { return one.span.start < other.span.start }
    if one.span.end != other.span.end { return one.span.end < other.span.end }
    return one.value < other.value
  }
}

/// Identifies several saves of one object: of equal identifiers of one source, the strictly greater version is stored.
public struct SyncIdentity: Hashable, Sendable, Codable {
  /// The identifier, the same for all saves of one object.
  public var identifier: String
  /// The version; the save with the greatest one is stored.
  public var version: Int64

  /// The identity of a save.
  public init(identifier: String, version: Int64) {
    self.identifier = identifier
    self.version = version
  }
}
