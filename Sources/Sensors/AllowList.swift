/// The sensors that may be recorded: those listed here by address, and no others unless a setting says so.
///
/// A name is only a word of the sensor's owner. Two sensors with one name are two, and a neighbour's strap that calls
/// itself like an allowed one is not allowed.
public struct AllowList: Hashable, Sendable {
  /// The most sensors of one recorder, the number with which connecting and recording are measured.
  public static let capacity = 48

  /// The treatment of heart-rate sensors that are not listed.
  public enum Unlisted: Hashable, Sendable {
    /// The sensor is left alone.
    case refused
    /// The sensor is recorded where its signal has at least `atLeast` dBm. Only ever an explicit setting: with it, the
    /// store can come to hold somebody else's heartbeats.
    case any(atLeast: Int16)
  }

  private var names: [SensorAddress: String?] = [:]
  /// The treatment of a sensor that is not listed; ``Unlisted/refused`` unless set.
  public var unlisted: Unlisted

  public init(unlisted: Unlisted = .refused) {
    self.unlisted = unlisted
  }

  /// Allows the sensor with this address; `name` is the one that its owner uses. Allowing the sensor again renames it.
  ///
  /// Returns false, with nothing changed, where ``capacity`` sensors are listed already.
  @discardableResult
  public mutating func insert(_ address: SensorAddress, name: String? = nil) -> Bool {
    guard names[address] != nil || names.count < Self.capacity else { return false }
    names[address] = .some(name)
    return true
  }

  /// Removes a sensor from the list. Returns false where the sensor was not listed.
  @discardableResult
  public mutating func remove(_ address: SensorAddress) -> Bool {
    names.removeValue(forKey: address) != nil
  }

  /// Whether this very sensor is listed.
  public func contains(_ address: SensorAddress) -> Bool {
    names[address] != nil
  }

  /// The owner's name of a listed sensor; nil where the sensor is not listed or has no such name.
  public func name(of address: SensorAddress) -> String? {
    names[address] ?? nil
  }

  /// The listed addresses, in ascending order.
  public var addresses: [SensorAddress] { names.keys.sorted() }

  /// The number of listed sensors.
  public var count: Int { names.count }

  /// Whether a sensor that is heard with `rssi` dBm, or is connected already (nil), may be recorded.
  public func allows(_ address: SensorAddress, rssi: Int16?) -> Bool {
    if contains(address) { return true }
    guard case .any(let threshold) = unlisted, let rssi else { return false }
    return rssi >= threshold
  }
}
