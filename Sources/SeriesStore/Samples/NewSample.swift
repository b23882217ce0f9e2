public import FoundationEssentials
public import HealthModel

/// A finished sample that is to be saved; a builder makes it, or ``init(heartbeats:id:device:metadata:sync:)``.
public struct NewSample: Sendable {
  /// Its identifier, new unless it was given.
  public let id: UUID
  /// What it holds.
  public let type: SampleType
  /// The hardware that measured.
  public var device: Device?
  /// What is known beside the values.
  public var metadata: Metadata
  /// Given where the same object may be saved again in a later version.
  public var sync: SyncIdentity?
  let start: Timestamp
  let end: Timestamp
  let content: Content

  /// From the series' start to its end.
  public var span: TimeSpan { TimeSpan(start: start, end: end) ?? TimeSpan(at: start) }

  enum Content: Sendable {
    case quantities([QuantityPacker.Packed])
    case heartbeats(HeartbeatSeries)
  }

  /// What makes two saves one object: of equal identifiers of one source the strictly greater version stays.
  public struct SyncIdentity: Hashable, Sendable {
    /// The same for all saves of one object.
    public var identifier: String
    /// The greatest stays.
    public var version: Int64

    /// What a save is called, and which it is.
    public init(identifier: String, version: Int64) {
      self.identifier = identifier
      self.version = version
    }
  }

  /// Beats that a ``HealthModel/HeartbeatSeriesBuilder`` finished; nil where there are none.
  public init?(
    heartbeats: HeartbeatSeries, id: UUID = UUID(), device: Device? = nil, metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) {
    guard let bounds = heartbeats.bounds, let first = heartbeats.start else { return nil }
    self.id = id
    type = .heartbeatSeries
    self.device = device
    self.metadata = metadata
    self.sync = sync
    start = first
    end = bounds.end
    content = .heartbeats(heartbeats)
  }

  init(
    quantities: [QuantityPacker.Packed], of type: QuantityType, id: UUID, device: Device?, metadata: Metadata,
    sync: SyncIdentity?, start: Timestamp, end: Timestamp
  ) {
    self.id = id
    self.type = .quantity(type)
    self.device = device
    self.metadata = metadata
    self.sync = sync
    self.start = start
    self.end = end
    content = .quantities(quantities)
  }
}
