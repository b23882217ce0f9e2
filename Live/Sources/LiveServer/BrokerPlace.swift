/// Where an MQTT broker is, and as whom it is spoken to.
public struct BrokerPlace: Sendable {
  /// A name or an IP address.
  public var host: String
  public var port: Int
  /// Nil where the broker asks nobody.
  public var user: String?
  public var password: String?

  public init(host: String, port: Int, user: String? = nil, password: String? = nil) {
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }
}
