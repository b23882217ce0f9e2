/// A source as distinguished by statistics: a program together with the device that it read.
///
/// Two straps recorded by one program are two sources and are never mixed. A source without a device stands for what the
/// program saved without one, not for all that it saved.
public struct DataSource: Hashable, Sendable, CustomStringConvertible, Codable {
  /// The source's identifier, see ``SourceRevision/identifier``.
  public var source: String
  /// The device's local identifier, or its name where it has none; nil where there is no device.
  public var device: String?

  /// Takes every part as it is.
  public init(source: String, device: String? = nil) {
    self.source = source
    self.device = device
  }

  /// The source of an object with that revision and device.
  public init(_ source: SourceRevision, _ device: Device?) {
    self.init(source: source.identifier, device: device?.localIdentifier ?? device?.name)
  }

  /// `source/device`, or the source alone.
  public var description: String {
    device.map { "\(source)/\($0)" } ?? source
  }
}
