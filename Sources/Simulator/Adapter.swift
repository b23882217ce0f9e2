/// An adapter: the controller, and what bluetoothd knows through it.
struct Adapter {
  let address: String
  /// The number in `hci0`.
  let index: Int
  /// Whether it is in its socket.
  var isPlugged = true
  /// Whether bluetoothd shows its object.
  var isVisible = true
  var isPowered = true
  /// Whether it was just pushed in: visible, and not yet powered.
  var isStarting = false
  var alias = "BlueZ 5.66"

  /// Who discovers, and for what, in the order of the calls.
  var sessions: [DiscoverySession] = []
  /// Filters set and not yet used, by client.
  var filters: [String: DiscoveryFilter] = [:]

  /// Whether discovery has got stuck.
  var isDiscoveryStuck = false
  /// Whether discovery has ended by itself, though whoever began it has not stopped it.
  var isDiscoveryHalted = false
  /// The straps heard in this discovery, where the controller reports each but once.
  var heard: Set<Int> = []

  /// The straps that the kernel is to link with, by number.
  var attempts: Set<Int> = []
  /// The one whose link is being made: the kernel makes one at a time.
  var linking: Int?
  /// The attempts that fail soon because the adapter holds no more links.
  var withoutRoom: [Int: Agenda<Occasion>.ID] = [:]

  /// The device objects, by the number of the strap.
  var devices: [Int: Device] = [:]

  /// The object's path.
  var path: String { "/org/bluez/hci\(index)" }

  /// A client's discovery.
  struct DiscoverySession {
    let sender: String
    /// Nil where the client set none: everything is reported.
    let filter: DiscoveryFilter?
  }
}
