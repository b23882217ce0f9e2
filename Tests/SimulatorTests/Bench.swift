@testable import Simulator

/// A simulated host with a client: its effects are written as short lines, which tests compare.
///
/// `dev` is the first strap's device object, `dev2` the second one's, `hrm` and `battery` the characteristics of the
/// first; `hci0` the adapter.
struct Bench {
  var machine: SimulatedHost
  var now = SimulationInstant.start
  /// The lines since they were last taken.
  var lines: [String] = []
  /// Ground truth lines, as `event fields`.
  var truth: [String] = []
  /// The calls that bluetoothd has had, with the services of a filter.
  private(set) var calls: [String] = []
  private var members: [CallToken: String] = [:]
  private var nextCall: UInt64 = 0

  init(_ scenario: Scenario, seed: UInt64 = 1) {
    machine = SimulatedHost(scenario: scenario, seed: seed)
    note(machine.start())
  }

  /// One strap with this timeline, resolving in the usual order by default.
  init(
    _ timeline: [ScenarioItem] = [], machine events: [ScenarioItem] = [], order: ResolveOrder = .usual,
    _ change: (inout StrapProfile) -> Void = { _ in }
  ) {
    var profile = StrapProfile()
    profile.source = .timeline(timeline)
    change(&profile)
    self.init(Scenario(straps: [profile], timeline: events, resolveOrder: order))
  }

  static let hci0 = "/org/bluez/hci0"
  static let dev = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  static let hrm = dev + "/service000e/char000f"
  static let battery = dev + "/service0016/char0017"

  /// Lets `seconds` pass.
  mutating func wait(_ seconds: Double) {
    let end = now + .microseconds(Int64((seconds * 1e6).rounded()))
    while let due = machine.deadline, due <= end {
      now = due
      note(machine.handle(.time, at: due))
    }
    now = end
    note(machine.handle(.time, at: end))
  }

  /// Calls a method as `:1.1`, or as another client.
  mutating func call(
    _ member: String, on path: String = Bench.dev, _ arguments: [Property] = [], as sender: String = ":1.1"
  ) {
    let interface =
      switch member {
      case "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "RemoveDevice", "GetDiscoveryFilters":
        "org.bluez.Adapter1"
      case "Connect", "Disconnect", "Pair", "CancelPairing": "org.bluez.Device1"
      case "Get", "GetAll", "Set": "org.freedesktop.DBus.Properties"
      case "GetManagedObjects": "org.freedesktop.DBus.ObjectManager"
      case "RegisterAgent", "UnregisterAgent", "RequestDefaultAgent": "org.bluez.AgentManager1"
      default: "org.bluez.GattCharacteristic1"
      }
    nextCall += 1
    let call = Call(
      token: CallToken(number: nextCall), sender: sender, path: path, interface: interface, member: member,
      arguments: arguments)
    members[call.token] = sender == ":1.1" ? member : member + " of " + sender
    note(machine.handle(.call(call), at: now))
  }

  /// Something else happens now.
  mutating func put(_ input: Input) {
    note(machine.handle(input, at: now))
  }

  /// Something happens to the first strap now.
  mutating func befall(_ event: StrapEvent) {
    put(.item(ScenarioItem(action: .strap(event))))
  }

  /// Something happens to the host now.
  mutating func befall(_ event: MachineEvent) {
    put(.item(ScenarioItem(action: .machine(event))))
  }

  /// The strap sends these bytes now.
  mutating func send(_ bytes: [UInt8]) {
    put(.item(ScenarioItem(action: .value(bytes))))
  }

  /// Returns and removes the lines so far.
  mutating func take() -> [String] {
    defer { lines.removeAll() }
    return lines
  }

  /// The same without the objects of services, characteristics and descriptors.
  mutating func takeWithoutGATT() -> [String] {
    take().filter { !$0.contains("/service") && !$0.contains("GattCharacteristic1") && !$0.contains("GattDescriptor1") }
  }

  /// Returns and removes the ground truth so far.
  mutating func takeTruth() -> [String] {
    defer { truth.removeAll() }
    return truth
  }

  /// Discovers until the device is there, and connects until its services are resolved.
  mutating func connected() {
    call("StartDiscovery", on: Bench.hci0)
    wait(0.2)
    call("StopDiscovery", on: Bench.hci0)
    call("Connect")
    wait(1)
    _ = take()
  }

  /// Connected, with StartNotify answered.
  mutating func subscribed() {
    connected()
    call("StartNotify", on: Bench.hrm)
    wait(0.1)
    _ = take()
    _ = takeTruth()
  }

  /// Connected, with AcquireNotify answered.
  mutating func acquired() {
    connected()
    call("AcquireNotify", on: Bench.hrm, [.dictionary([:])])
    wait(0.1)
    _ = take()
    _ = takeTruth()
  }

  private mutating func note(_ effects: [LinkEffect]) {
    for effect in effects {
      switch effect {
      case .log(let entry) where entry.event == "call":
        calls.append(entry.fields.map { Self.text($0.value) }.filter { !$0.isEmpty }.joined(separator: " "))
      case .log(let entry):
        truth.append(([entry.event] + entry.fields.map { "\($0.name)=\(Self.text($0.value))" }).joined(separator: " "))
      case .reply(let token, let values):
        let shown = values.map { value in
          if case .objects(let objects) = value { "\(objects.count) objects" } else { Self.text(value) }
        }
        lines.append((["\(members[token] ?? "?"):"] + (shown.isEmpty ? ["ok"] : shown)).joined(separator: " "))
      case .failure(let token, let error):
        lines.append("\(members[token] ?? "?"): \(error.name.split(separator: ".").last ?? "") \(error.text)")
      case .acquired(let token, let pipe, let mtu):
        lines.append("\(members[token] ?? "?"): pipe \(pipe.number) mtu \(mtu)")
      case .interfacesAdded(let path, let interfaces):
        lines.append("+ \(Self.short(path)) \(Self.own(Array(interfaces.keys)))")
      case .interfacesRemoved(let path, let interfaces): lines.append("- \(Self.short(path)) \(Self.own(interfaces))")
      case .propertiesChanged(let path, _, let properties, let invalidated):
        let changed = properties.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.text($0.value))" }
        lines.append(([Self.short(path)] + changed + invalidated.map { "!" + $0 }).joined(separator: " "))
      case .signal(let path, _, let member, let values):
        lines.append(([Self.short(path), member] + values.map(Self.text)).joined(separator: " "))
      case .packet(_, let bytes): lines.append("packet \(bytes.hex)")
      case .close: lines.append("end of file")
      case .askAgent(let sender, let path, let member, let arguments, let question):
        let shown = arguments.map { if case .objectPath(let device) = $0 { Self.short(device) } else { Self.text($0) } }
        lines.append((["ask", sender, path, member] + shown + ["\(question)"]).joined(separator: " "))
      case .leaveBus: lines.append("bus left")
      case .joinBus: lines.append("bus joined")
      }
    }
  }

  private static func own(_ interfaces: [String]) -> String {
    interfaces.filter { $0.hasPrefix("org.bluez") }.map { String($0.dropFirst(10)) }.sorted().joined(separator: " ")
  }

  private static func short(_ path: String) -> String {
    let names = [
      (hrm, "hrm"), (battery, "battery"), (dev, "dev"), ("/org/bluez/hci0/dev_C0_FF_EE_00_00_02", "dev2"),
      (hci0, "hci0"),
    ]
    for (long, name) in names where path.hasPrefix(long) { return name + path.dropFirst(long.count) }
    return path
  }

  private static func text(_ value: Property) -> String {
    switch value {
    case .bool(let bool): "\(bool)"
    case .byte(let byte): "\(byte)"
    case .int16(let number): "\(number)"
    case .uint16(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .string(let string): string
    case .objectPath(let path): short(path)
    case .strings(let strings): strings.map { String($0.dropFirst(4).prefix(4)) }.joined(separator: ",")
    case .objectPaths(let paths): paths.joined(separator: ",")
    case .bytes(let bytes): "<\(bytes.hex)>"
    case .manufacturerData(let data): data.map { "\($0.key):\($0.value.hex)" }.joined(separator: ",")
    case .dictionary(let properties): "{\(properties.keys.sorted().joined(separator: ","))}"
    case .variant(let inner): text(inner)
    case .objects(let objects): "\(objects.count) objects"
    }
  }

  private static func text(_ value: LogEntry.Field) -> String {
    switch value {
    case .string(let string): string
    case .int(let int): "\(int)"
    case .double(let double): "\(double)"
    case .bool(let bool): "\(bool)"
    case .null: "null"
    }
  }
}
