/// The program that saved an object, with its version (HealthKit's `HKSourceRevision`).
public struct SourceRevision: Hashable, Sendable {
  /// What tells two sources apart: a reverse-domain or program name, such as `sensord`.
  public var identifier: String
  /// The name that is shown to a person.
  public var name: String
  public var version: String?
  public var productType: String?
  public var operatingSystemVersion: String?

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
