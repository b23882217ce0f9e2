public import FoundationEssentials
public import HealthModel

/// A finished sample that is to be saved; a builder makes it, or an initializer for its kind.
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
  /// From the sample's start to its end.
  public let span: TimeSpan
  let content: any SampleContent

  /// What makes two saves one object: of equal identifiers of one source the strictly greater version stays.
  public struct SyncIdentity: Hashable, Sendable, Codable {
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

  init(
    _ content: any SampleContent, of type: SampleType, over span: TimeSpan, id: UUID, device: Device?,
    metadata: Metadata, sync: SyncIdentity?
  ) {
    self.id = id
    self.type = type
    self.device = device
    self.metadata = metadata
    self.sync = sync
    self.span = span
    self.content = content
  }
}
