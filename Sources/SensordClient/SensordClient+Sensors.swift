import ClientInterfaces
import DBus

/// A sensor that the recorder records.
public struct ClientSensor: Hashable, Sendable {
  /// Its Bluetooth address: `C0:FF:EE:00:00:01`.
  public var address: String
  /// The name that its owner gave it, or that it advertises; nil if it has none. It is the sensor's text: escape it before it is shown.
  public var name: String?
  /// What it does, in the words of `sensord status`: `measuring`, `absent` for example. A later version may have more.
  public var state: String
}

extension SensordClient {
  /// The sensors that are recorded; none for a program that may read neither rates nor beats.
  @concurrent public func sensors() async throws(ClientError) -> [ClientSensor] {
    let answer = try await link.call(ClientInterfaces.manager, "ListSensors")
    return (answer.first?.array ?? []).compactMap { value in
      guard let properties = value.properties, let address = properties["address"]?.string else { return nil }
      return ClientSensor(
        address: address, name: properties["name"]?.string, state: properties["state"]?.string ?? "")
    }
  }
}
