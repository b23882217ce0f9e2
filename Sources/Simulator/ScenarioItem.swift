/// One thing that happens in a scenario.
struct ScenarioItem: Hashable, Sendable {
  /// Seconds on its timeline's clock; nil for a live item, which happens at once.
  var time: Double?
  /// The address of the strap, if it is not the one whose timeline this is.
  var strap: String?
  /// What happens.
  var action: Action

  /// The kinds of items.
  enum Action: Hashable, Sendable {
    /// The strap sends this heart rate measurement.
    case value([UInt8])
    /// An event of a strap.
    case strap(StrapEvent)
    /// An event of the host.
    case machine(MachineEvent)
  }
}

/// An event of a strap.
enum StrapEvent: Hashable, Sendable {
  /// Disconnects and stays silent.
  case disconnect
  /// Disappears without disconnecting, and stays silent.
  case vanish
  /// Advertises again.
  case advertise
  /// Disconnects and advertises at once.
  case drop
  /// Stops advertising; a link stays.
  case cease
  /// Disconnects and stops for good.
  case stop
  /// A new battery level, percent.
  case battery(UInt8)
  /// A new signal strength, dBm.
  case rssi(Int16)
  /// The next so many links are lost as soon as they are made (HCI error 0x3E).
  case refuse(Int)
  /// Packets are held back from here on …
  case stall
  /// … and now all are delivered at once.
  case resume
  /// A firmware update: `shift` characteristics before the heart rate service; `tell` says whether a connected host is
  /// told.
  case gatt(shift: Int, tell: Bool)
}

/// An event of the host.
enum MachineEvent: Hashable, Sendable {
  /// bluetoothd gets a signal or is started.
  case bluetoothd(DaemonAction)
  /// An adapter (`hci0`) is switched on or off.
  case power(on: Bool, adapter: String)
  /// Discovery gets stuck: nothing is found and nobody can start another one, until bluetoothd is restarted.
  case stickDiscovery
  /// Discovery ends by itself, and `Discovering` says so; its client has to stop it before it can start another.
  case haltDiscovery
  /// Another program removes the strap's device object.
  case remove(adapter: String)
  /// An adapter is plugged in, by its address.
  case plug(adapter: String)
  /// An adapter is unplugged, by its address.
  case unplug(adapter: String)
  /// Another client on the bus does something with the strap; `uuid` is the characteristic.
  case client(ClientAction, adapter: String, uuid: String?)

  /// What can be done to bluetoothd.
  enum DaemonAction: String, Hashable, Sendable, CaseIterable {
    /// SIGTERM: removes its objects and leaves.
    case terminate = "TERM"
    /// SIGKILL: ends at once.
    case kill = "KILL"
    /// SIGSTOP: freezes.
    case stop = "STOP"
    /// SIGCONT: continues with what has accumulated.
    case proceed = "CONT"
    /// Is started again.
    case start = "start"
  }

  /// What another program does.
  enum ClientAction: String, Hashable, Sendable, CaseIterable {
    case subscribe, unsubscribe, acquire, read, leave, discover, connect, disconnect, pair, agent
  }
}
