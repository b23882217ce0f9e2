/// The program that saved an object, with its version (HealthKit's `HKSourceRevision`).
public struct SourceRevision: Hashable, Sendable, Codable {
  /// What distinguishes sources: a reverse-domain or program name, such as `sensord`.
  public var identifier: String
  /// The name for display.
  public var name: String
  /// The program's version.
  public var version: String?
  /// The machine it ran on.
  public var productType: String?
  /// The system it ran on.
  public var operatingSystemVersion: String?

  /// A source revision with the given parts.
  public init(
    identifier: String, name: String, version: String? = nil, productType: String? = nil,
    operatingSystemVersion: String? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.version = version
    self.productType = productType
    self.operatingSystemVersion = operatingSystemVersion
  }
}
