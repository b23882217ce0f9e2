/// One thing that happens in a scenario.
struct ScenarioItem: Hashable, Sendable {
  /// Seconds on its timeline's clock; nil for an item given live, which happens at once.
  var time: Double?
  /// The strap meant, by address, where it is not the one whose timeline this is.
  var strap: String?
  /// What happens.
  var action: Action

  /// The kinds of things that happen.
  enum Action: Hashable, Sendable {
    /// The strap sends this heart rate measurement.
    case value([UInt8])
    /// Something befalls a strap.
    case strap(StrapEvent)
    /// Something befalls the machine.
    case machine(MachineEvent)
  }
}

/// What befalls a strap.
enum StrapEvent: Hashable, Sendable {
  /// Says goodbye and stays silent.
  case disconnect
  /// Is gone without a goodbye, and silent.
  case vanish
  /// Advertises again.
  case advertise
  /// Says goodbye and advertises at once.
  case drop
  /// Stops advertising; a link stays.
  case cease
  /// Says goodbye and stops for good.
  case stop
  /// Another battery level, percent.
  case battery(UInt8)
  /// Another signal strength, dBm.
  case rssi(Int16)
  /// The next so many links are lost as soon as they are made (HCI error 0x3E).
  case refuse(Int)
  /// Nothing gets through from here on …
  case stall
  /// … and now everything at once.
  case resume
  /// A firmware update: so many characteristics stand before the heart rate service; a connected host is told or not.
  case gatt(shift: Int, tell: Bool)
}

/// What befalls the machine.
enum MachineEvent: Hashable, Sendable {
  /// bluetoothd gets a signal or is started.
  case bluetoothd(DaemonAction)
  /// An adapter (`hci0`) is switched on or off.
  case power(on: Bool, adapter: String)
  /// Discovery gets stuck: nothing is found any more and nobody can start another, until bluetoothd is started again.
  case stickDiscovery
  /// Discovery ends by itself, as `Discovering` tells; whoever began it has to stop it before it can start another.
  case haltDiscovery
  /// Somebody removes the strap's device object.
  case remove(adapter: String)
  /// An adapter is pushed in, by its address.
  case plug(adapter: String)
  /// An adapter is pulled out, by its address.
  case unplug(adapter: String)
  /// Another program on the bus does something with the strap; `uuid` names the characteristic meant.
  case client(ClientAction, adapter: String, uuid: String?)

  /// What can be done to bluetoothd.
  enum DaemonAction: String, Hashable, Sendable, CaseIterable {
    /// SIGTERM: removes its objects and leaves.
    case terminate = "TERM"
    /// SIGKILL: is gone.
    case kill = "KILL"
    /// SIGSTOP: freezes.
    case stop = "STOP"
    /// SIGCONT: goes on with what has piled up.
    case proceed = "CONT"
    /// Is started again.
    case start = "start"
  }

  /// What another program does.
  enum ClientAction: String, Hashable, Sendable, CaseIterable {
    case subscribe, unsubscribe, acquire, read, leave, discover, connect, disconnect, pair, agent
  }
}
