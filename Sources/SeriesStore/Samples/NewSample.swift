public import FoundationEssentials
public import HealthModel

/// A finished sample to be saved, from a builder or an initializer for its kind.
public struct NewSample: Sendable {
  /// Its identifier; a new one unless given.
  public let id: UUID
  /// Its type.
  public let type: SampleType
  /// The hardware that measured.
  public var device: Device?
  /// Further metadata.
  public var metadata: Metadata
  /// Set if the same object may be saved again in a later version.
  public var sync: SyncIdentity?
  /// From the sample's start to its end.
  public let span: TimeSpan
  let content: any SampleContent

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
