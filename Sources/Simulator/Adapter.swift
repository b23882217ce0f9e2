/// A Bluetooth adapter: the controller, and what bluetoothd knows through it.
struct Adapter {
  let address: String
  /// The number in `hci0`.
  let index: Int
  /// Whether it is plugged in.
  var isPlugged = true
  /// Whether bluetoothd shows its object.
  var isVisible = true
  var isPowered = true
  /// Whether it was just plugged in: visible, and not powered yet.
  var isStarting = false
  var alias = "BlueZ 5.66"

  /// The running discoveries, in the order of the calls.
  var sessions: [DiscoverySession] = []
  /// Filters that were set and are not used yet, by client.
  var filters: [String: DiscoveryFilter] = [:]

  /// Whether discovery is stuck.
  var isDiscoveryStuck = false
  /// Whether discovery ended by itself, though its client has not stopped it.
  var isDiscoveryHalted = false
  /// The straps heard in this discovery, for a controller that reports each only once.
  var heard: Set<Int> = []

  /// The numbers of the straps that the kernel is to connect.
  var attempts: Set<Int> = []
  /// The strap that is being connected: the kernel makes one link at a time.
  var linking: Int?
  /// Attempts that will fail soon because the adapter has no free links.
  var withoutRoom: [Int: Agenda<Occasion>.ID] = [:]

  /// The device objects, by the number of the strap.
  var devices: [Int: Device] = [:]

  /// The object's path.
  var path: String { "/org/bluez/hci\(index)" }

  /// A client's discovery.
  struct DiscoverySession {
    let sender: String
    /// Nil if the client set none: everything is reported.
    let filter: DiscoveryFilter?
  }
}
