/// Which sensor: its address, where there is one, and what it calls itself.
public struct SensorIdentity: Hashable, Sendable {
  /// Nil in a capture that holds none.
  public var address: SensorAddress?
  /// The sensor's own name or the one that its owner gave it; never used to tell sensors apart.
  public var name: String?

  public init(address: SensorAddress?, name: String?) {
    self.address = address
    self.name = name
  }
}
