/// The links that a central has made, as it leaves them to a central after it: one that was killed cannot end them.
///
/// They are the next central's only while it is certain that they are still the same links. BlueZ gives a link no name, so
/// that is the owner's to judge: the same bluetoothd, and so little time that nobody else can have made them anew.
public struct OwnLinks: Hashable, Sendable {
  /// One link: a device over an adapter.
  public struct Link: Hashable, Sendable {
    public let device: DeviceAddress
    public let adapter: AdapterPath

    public init(_ device: DeviceAddress, over adapter: AdapterPath) {
      self.device = device
      self.adapter = adapter
    }
  }

  /// The unique bus name of the bluetoothd that holds them: another one has other links.
  public let service: String
  public let links: Set<Link>

  public init(service: String, links: Set<Link>) {
    self.service = service
    self.links = links
  }
}
