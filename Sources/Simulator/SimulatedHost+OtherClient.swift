extension SimulatedHost {
  /// The bus name of the simulated other client: no real name looks like it.
  static let otherClient = ":other"

  /// Lets the other client act by the scenario.
  mutating func act(_ action: MachineEvent.ClientAction, uuid: String?, strap: Int, adapter: String) {
    let device = devicePath(of: strap, under: adapter)
    let short = uuid ?? (action == .read ? "2a19" : "2a37")
    let full = short.utf8.count == 4 ? "0000\(short)-0000-1000-8000-00805f9b34fb" : short
    let characteristic = "org.bluez.GattCharacteristic1"
    switch action {
    case .leave: report(.input(.clientLeft(Self.otherClient)))
    case .agent:
      act(
        "agent", on: "/org/bluez", "org.bluez.AgentManager1", "RegisterAgent",
        [.objectPath("/agent"), .string("NoInputNoOutput")])
      act("agent", on: "/org/bluez", "org.bluez.AgentManager1", "RequestDefaultAgent", [.objectPath("/agent")])
    case .discover:
      // The client discovers until the strap is known, which is at once if the strap advertises.
      act("client", on: adapter, "org.bluez.Adapter1", "StartDiscovery", [])
      if case .adapter(let index)? = object(at: adapter), straps[strap].isAdvertising {
        report(.advertisement(DeviceKey(adapter: index, strap: strap)))
      }
      act("client", on: adapter, "org.bluez.Adapter1", "StopDiscovery", [])
    case .connect: act("client", on: device, "org.bluez.Device1", "Connect", [])
    case .disconnect: act("client", on: device, "org.bluez.Device1", "Disconnect", [])
    case .pair: act("client", on: device, "org.bluez.Device1", "Pair", [])
    case .subscribe: act("client", on: self.path(of: full, under: device), characteristic, "StartNotify", [])
    case .unsubscribe: act("client", on: self.path(of: full, under: device), characteristic, "StopNotify", [])
    case .acquire:
      act("client", on: self.path(of: full, under: device), characteristic, "AcquireNotify", [.dictionary([:])])
    case .read: act("client", on: self.path(of: full, under: device), characteristic, "ReadValue", [.dictionary([:])])
    }
  }

  /// Lets the other client call a method. The answer is logged as `done`.
  mutating func act(_ kind: String, on path: String, _ interface: String, _ member: String, _ arguments: [Property]) {
    let token = CallToken(number: UInt64(1) << 63 | nextNumber())
    foreignCalls[token] = kind + " " + member
    if daemon == .absent { return answer(token, .failure(.failed("bluetoothd does not run"))) }
    report(
      .input(
        .call(
          Call(
            token: token, sender: Self.otherClient, path: path, interface: interface, member: member,
            arguments: arguments))))
  }

  /// The answer of a call.
  enum Answer {
    case values([Property])
    case failure(BusError)
    case pipe(PipeToken)
  }

  /// Answers a call: on the bus, or in the log if the other client made it.
  mutating func answer(_ token: CallToken, _ answer: Answer = .values([])) {
    guard let kind = foreignCalls.removeValue(forKey: token) else {
      switch answer {
      case .values(let values): effects.append(.reply(token, values))
      case .failure(let error): effects.append(.failure(token, error))
      case .pipe(let pipe): effects.append(.acquired(token, pipe, mtu: Self.mtu))
      }
      return
    }
    let result =
      if case .failure(let error) = answer { error.name + " " + error.text } else { "ok" }
    log("done", nil, ["kind": .string(kind), "result": .string(result)])
  }

  private func path(of uuid: String, under device: String) -> String {
    guard case .device(let key)? = object(at: device), let layout = self[key]?.layout,
      let characteristic = layout.characteristic(uuid)
    else { return device + "/none" }
    return self.path(key, characteristic, in: layout)
  }
}
