internal import DBus
internal import StoreCommands

/// The way to the radio, step by step: bus, bluetoothd, permission, adapter, power.
///
/// Each step needs the one before it, so after a failure the rest is skipped. Nothing is changed on the way.
struct BluetoothCheckup {
  var bus: BusAddress
  private var findings: [Finding] = []

  init(bus: BusAddress) {
    self.bus = bus
  }

  /// All steps.
  static func findings(bus: BusAddress, on loop: EventLoop) async -> [Finding] {
    var checkup = BluetoothCheckup(bus: bus)
    if let connection = await checkup.connect(on: loop) {
      if await checkup.findService(connection), let objects = await checkup.readObjects(connection) {
        checkup.findAdapters(objects)
      }
      await connection.close()
    }
    return checkup.findings + checkup.skipped
  }

  private static let titles = ["message bus", "bluetoothd", "permission", "adapter", "power"]

  private var skipped: [Finding] {
    let reason = "not looked at, \(findings.last?.title ?? "what comes before") comes first"
    return Self.titles.dropFirst(findings.count).map { Finding(title: $0, result: .skipped(reason)) }
  }

  private mutating func pass(_ detail: String) {
    findings.append(Finding(title: Self.titles[findings.count], result: .passed(detail)))
  }

  private mutating func fail(_ cause: String, remedy: String, _ status: ExitStatus = .unavailable) {
    let result = Finding.Result.failed(cause, remedy: remedy, status: status)
    findings.append(Finding(title: Self.titles[findings.count], result: result))
  }

  private mutating func connect(on loop: EventLoop) async -> Connection? {
    do {
      let connection = try await Connection.open(bus, on: loop, timeout: .seconds(5))
      pass("\(busName) answers")
      return connection
    } catch {
      let remedy =
        switch bus {
        case .system: "start it: sudo systemctl start dbus"
        case .session: "a session bus belongs to a desktop or 'systemctl --user'; bluetoothd is on the system bus"
        case .address: "is that address right, and its dbus-daemon running?"
        }
      fail(
        "\(busName) does not answer: \(error.message)", remedy: remedy,
        error.isAccessDenied ? .permission : .unavailable)
      return nil
    }
  }

  private mutating func findService(_ connection: Connection) async -> Bool {
    do {
      // Asking for the name would start it where systemd may; the recorder does not do that either.
      guard try await connection.nameOwner(of: "org.bluez") != nil else {
        await failWithoutService(connection)
        return false
      }
      pass("running")
      return true
    } catch {
      fail("cannot be asked for: \(error.description)", remedy: "is the message bus overloaded or stopping? try again")
      return false
    }
  }

  /// Nobody owns org.bluez: systemd, where it is, knows whether its unit may be started at all.
  private mutating func failWithoutService(_ connection: Connection) async {
    let start = "sudo systemctl enable --now bluetooth"
    switch await unitState(connection) {
    case "masked":
      fail("bluetooth.service is masked, so it cannot run", remedy: "sudo systemctl unmask bluetooth && \(start)")
    case "masked-runtime":
      fail(
        "bluetooth.service is masked until the next start of the machine, so it cannot run",
        remedy: "sudo systemctl unmask --runtime bluetooth && \(start)")
    case .some: fail("installed and not running", remedy: "\(start); where that fails: journalctl -u bluetooth -n 20")
    case nil: fail("not running (nobody owns org.bluez)", remedy: "sudo apt install bluez && \(start)")
    }
  }

  /// Whether `bluetooth.service` is enabled, disabled, masked and so on; nil without the unit, or where systemd does not answer.
  private func unitState(_ connection: Connection) async -> String? {
    let call = Message.call(
      "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager",
      member: "GetUnitFileState", body: [.string("bluetooth.service")])
    // The bus would start it where it is not.
    guard (try? await connection.nameOwner(of: "org.freedesktop.systemd1")) != nil else { return nil }
    return try? await connection.call(call, timeout: .seconds(5)).body.first?.string
  }

  private mutating func readObjects(_ connection: Connection) async -> [(path: String, interfaces: Value)]? {
    let call = Message.call(
      "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")
    do {
      let reply = try await connection.call(call, timeout: .seconds(10))
      guard let objects = reply.body.first?.dictionary else {
        fail("bluetoothd gave an unexpected answer", remedy: "sudo systemctl restart bluetooth")
        return nil
      }
      pass("you may use bluetoothd")
      return objects.entries.compactMap { entry in entry.key.objectPath.map { ($0.text, entry.value) } }
    } catch {
      if error.isAccessDenied {
        fail(
          "the bus does not let you use bluetoothd",
          remedy: "sudo usermod -aG bluetooth $USER, then log in again", .permission)
      } else {
        fail("bluetoothd does not answer: \(error.description)", remedy: "sudo systemctl restart bluetooth")
      }
      return nil
    }
  }

  private mutating func findAdapters(_ objects: [(path: String, interfaces: Value)]) {
    let adapters = objects.compactMap { path, interfaces -> (name: String, isPowered: Bool)? in
      guard let properties = interfaces.dictionary?["org.bluez.Adapter1"]?.properties else { return nil }
      return (String(path.split(separator: "/").last ?? ""), properties["Powered"]?.boolean ?? false)
    }.sorted { $0.name < $1.name }
    guard !adapters.isEmpty else {
      return fail(
        "bluetoothd has no Bluetooth adapter", remedy: "plug one in; 'rfkill list' and 'dmesg | grep -i blue' tell more"
      )
    }
    pass(adapters.map(\.name).joined(separator: ", "))
    let powered = adapters.filter(\.isPowered).map(\.name)
    guard !powered.isEmpty else {
      return fail(
        "\(adapters.map(\.name).joined(separator: ", ")) switched off",
        remedy: "bluetoothctl power on; where that fails: rfkill unblock bluetooth")
    }
    pass("\(powered.joined(separator: ", ")) on")
  }

  private var busName: String {
    switch bus {
    case .system: "the system bus"
    case .session: "the session bus"
    case .address(let text): text
    }
  }
}
