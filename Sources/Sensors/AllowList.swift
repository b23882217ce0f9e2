/// Whose sensors may be recorded: those listed here by address, and nobody else's unless that was asked for.
///
/// A name is only what its owner calls a sensor. Two sensors with one name are two, and a neighbour's strap that calls
/// itself like an allowed one is not allowed.
public struct AllowList: Hashable, Sendable {
  /// As many sensors as one recorder takes, the number that connecting and recording are measured with.
  public static let capacity = 48

  /// What happens to a heart-rate sensor that is not listed.
  public enum Unlisted: Hashable, Sendable {
    /// It is left alone.
    case refused
    /// It is recorded where its signal has at least `atLeast` dBm. Only ever an explicit setting: with it, somebody
    /// else's heartbeats can end up in the store.
    case any(atLeast: Int16)
  }

  private var names: [SensorAddress: String?] = [:]
  /// What happens to a sensor that is not listed; ``Unlisted/refused`` unless set.
  public var unlisted: Unlisted

  public init(unlisted: Unlisted = .refused) {
    self.unlisted = unlisted
  }

  /// Allows the sensor with this address; `name` is what its owner calls it. Allowing it again renames it.
  ///
  /// False, with nothing changed, where ``capacity`` sensors are listed already.
  @discardableResult
  public mutating func insert(_ address: SensorAddress, name: String? = nil) -> Bool {
    guard names[address] != nil || names.count < Self.capacity else { return false }
    names[address] = .some(name)
    return true
  }

  /// Allows a sensor no longer. False where it was not listed.
  @discardableResult
  public mutating func remove(_ address: SensorAddress) -> Bool {
    names.removeValue(forKey: address) != nil
  }

  /// Whether this very sensor is listed.
  public func contains(_ address: SensorAddress) -> Bool {
    names[address] != nil
  }

  /// What the owner of a listed sensor calls it; nil where it is not listed or has no such name.
  public func name(of address: SensorAddress) -> String? {
    names[address] ?? nil
  }

  /// The listed addresses, in ascending order.
  public var addresses: [SensorAddress] { names.keys.sorted() }

  /// How many sensors are listed.
  public var count: Int { names.count }

  /// Whether a sensor may be recorded that is heard with `rssi` dBm, or connected already (nil).
  public func allows(_ address: SensorAddress, rssi: Int16?) -> Bool {
    if contains(address) { return true }
    guard case .any(let threshold) = unlisted, let rssi else { return false }
    return rssi >= threshold
  }
}
