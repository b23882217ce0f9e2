public import DBus

/// BlueZ as sensord uses it: mirrors its objects, and keeps the notifications of followed devices coming.
///
/// Lives on the event loop: its executor is the loop, and `events` is called there, synchronously and in the order in
/// which things happened, so an owner on the same loop may use `assumeIsolated` on both sides. It survives every
/// restart of bluetoothd; with the loss of the bus it ends.
///
/// It decides neither whom to connect nor when.
public actor Client {
  private let connection: Connection

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - connection: An open connection; it stays the owner's, who closes it after ``stop()``.
  ///   - events: Called on the loop's thread.
  public init(
    on connection: Connection, configuration: ClientConfiguration, events: @escaping @Sendable (Event) -> Void
  ) {
    self.connection = connection
  }

  /// Adds the match rules and mirrors what is there. ``Event/serviceAppeared`` follows, now or when bluetoothd starts.
  public func start() async throws(DBusError) {}

  /// Keeps notifications coming from `device` whenever there is a link to it, whoever made it.
  public func follow(_ device: DeviceAddress) {}

  /// Ends what ``follow(_:)`` began, and the link where it is ours.
  public func unfollow(_ device: DeviceAddress) {}

  /// Asks for a link to a followed device. ``Event/linkUp(_:adapter:isOurs:)`` or
  /// ``Event/connectFailed(_:_:)`` follows, the latter after 40 s where the device is silent.
  public func connect(_ device: DeviceAddress) {}

  /// Closes the link, or gives up the attempt, where it is ours; returns whether it is.
  @discardableResult
  public func disconnect(_ device: DeviceAddress) -> Bool { false }

  /// Looks for devices on every powered adapter, those that appear later included, until ``stopDiscovery()``.
  public func startDiscovery(_ mode: DiscoveryMode) {}

  public func stopDiscovery() {}

  /// Writes to a characteristic of a followed device and waits for the device's answer.
  public func write(_ bytes: [UInt8], to characteristic: BluetoothUUID, of device: DeviceAddress)
    async throws(DBusError)
  {}

  /// Ends everything: subscriptions, discovery, and the links that are ours. Returns when BlueZ has confirmed.
  public func stop() async {}

  /// The devices that BlueZ knows now.
  public var devices: [Device] { [] }

  /// The adapters that are there now.
  public var adapters: [Adapter] { [] }
}
