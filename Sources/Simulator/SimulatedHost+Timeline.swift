extension SimulatedHost {
  /// The strap's timeline begins now.
  mutating func startClock(_ strap: Int) {
    guard straps[strap].clockStart == nil else { return }
    straps[strap].clockStart = now
    scheduleStrapItem(strap)
  }

  private func timeline(_ strap: Int) -> [ScenarioItem] {
    if case .timeline(let items) = straps[strap].profile.source { items } else { [] }
  }

  private mutating func scheduleStrapItem(_ strap: Int) {
    let items = timeline(strap)
    guard let start = straps[strap].clockStart else { return }
    if case .flood = straps[strap].profile.source { return }
    guard straps[strap].position < items.count else { return log("end", strap) }
    let due = start + .microseconds(Int64(((items[straps[strap].position].time ?? 0) * 1e6).rounded()))
    agenda.enter(.air(.strapItem(strap)), at: max(due, now))
  }

  mutating func playStrapItem(_ strap: Int) {
    let number = straps[strap].position
    straps[strap].position += 1
    perform(timeline(strap)[number], by: strap, number: number)
    scheduleStrapItem(strap)
  }

  mutating func scheduleMachineItem() {
    guard machinePosition < scenario.timeline.count else { return }
    let due = SimulationInstant.seconds(scenario.timeline[machinePosition].time ?? 0)
    agenda.enter(.air(.machineItem), at: max(due, now))
  }

  mutating func playMachineItem() {
    let number = machinePosition
    machinePosition += 1
    perform(scenario.timeline[number], by: nil, number: number)
    scheduleMachineItem()
  }

  /// For a strap without a timeline: about one notification a second, from its simulated heart.
  mutating func playHeart(_ strap: Int) {
    straps[strap].isHeartEntered = false
    guard straps[strap].subscriptions.contains(GATTLayout.measurement) else { return }
    straps[strap].heart?.beat(until: now.seconds)
    if let bytes = straps[strap].heart?.notification() { send(strap, bytes, number: nil, time: nil) }
    enterHeart(strap)
  }

  /// Starts the simulated heart; earlier beats are not sent.
  mutating func startHeart(_ strap: Int) {
    straps[strap].heart?.beat(until: now.seconds)
    straps[strap].heart?.forgetWaiting()
    enterHeart(strap)
  }

  private mutating func enterHeart(_ strap: Int) {
    guard straps[strap].heart != nil, !straps[strap].isHeartEntered else { return }
    straps[strap].isHeartEntered = true
    enter(.heart(strap), in: .milliseconds(1000 + Int64(random.uniform(-15...15))))
  }

  /// For a strap that floods: values that became due while nobody was subscribed are sent at once.
  mutating func playFlood(_ strap: Int) {
    straps[strap].isFloodEntered = false
    guard case .flood(let flood) = straps[strap].profile.source,
      straps[strap].subscriptions.contains(GATTLayout.measurement)
    else { return }
    let number = straps[strap].flooded
    straps[strap].flooded += 1
    send(strap, flood.value(number), number: number, time: nil)
    enterFlood(strap)
  }

  mutating func enterFlood(_ strap: Int) {
    guard case .flood(let flood) = straps[strap].profile.source, !straps[strap].isFloodEntered else { return }
    guard straps[strap].flooded < flood.count else { return log("end", strap) }
    let start = straps[strap].floodStart ?? now
    straps[strap].floodStart = start
    straps[strap].isFloodEntered = true
    agenda.enter(.air(.flood(strap)), at: max(start + flood.due(straps[strap].flooded), now))
  }

  /// Performs a scenario item; `owner` is the strap whose timeline it is from.
  mutating func perform(_ item: ScenarioItem, by owner: Int?, number: Int?) {
    let named = item.strap.flatMap { address in straps.firstIndex { $0.address == address } }
    guard item.strap == nil || named != nil, let strap = named ?? owner ?? straps.indices.first else {
      return log("error", nil, ["n": number.map { .int($0) } ?? .null, "error": .string("no such strap")])
    }
    switch item.action {
    case .value(let bytes): send(strap, bytes, number: number, time: item.time)
    case .strap(let event): befall(strap, event)
    case .machine(let event): befall(event, strap: strap)
    }
  }

  private mutating func befall(_ strap: Int, _ event: StrapEvent) {
    log("event", strap, ["kind": .string(event.kind)])
    switch event {
    case .disconnect, .stop:
      straps[strap].isAvailable = false
      endLink(strap, reason: 0x13)
      if event == .stop { straps[strap].isAdvertising = false }
    case .vanish:
      straps[strap].isAvailable = false
      endLink(strap, reason: 0x08)
      straps[strap].isAdvertising = false
    case .cease:
      straps[strap].isAvailable = false
      straps[strap].isAdvertising = false
    case .advertise:
      straps[strap].isAvailable = true
      advertise(strap)
    case .drop: endLink(strap, reason: 0x13)
    case .battery(let percent):
      straps[strap].battery = percent
      if straps[strap].subscriptions.contains(GATTLayout.batteryLevel) {
        transmit(strap, GATTLayout.batteryLevel, [percent], number: nil)
      }
    case .rssi(let strength): straps[strap].rssi = strength
    case .refuse(let count): straps[strap].refusals = count
    case .stall: straps[strap].stalled = straps[strap].stalled ?? []
    case .resume:
      let late = straps[strap].stalled ?? []
      straps[strap].stalled = nil
      for packet in late { deliver(strap, packet) }
    case .gatt(let shift, let tell): changeHandles(strap, shift: shift, tell: tell)
    }
  }

  /// A firmware update: handles change, and subscriptions are gone.
  private mutating func changeHandles(_ strap: Int, shift: Int, tell: Bool) {
    let profile = straps[strap].profile
    straps[strap].layout = GATTLayout(profile, shift: shift)
    straps[strap].subscriptions = []
    if tell, profile.hasServiceChanged, let adapter = straps[strap].link {
      let key = DeviceKey(adapter: adapter, strap: strap)
      enter(.serviceChanged(key, link: straps[strap].linkNumber), in: Delay.exchange)
    }
  }

  private mutating func befall(_ event: MachineEvent, strap: Int) {
    log("event", nil, ["kind": .string(event.kind)])
    switch event {
    case .bluetoothd(let action): signal(action)
    case .power(let on, let adapter):
      act(
        "power", on: path(adapter), "org.freedesktop.DBus.Properties", "Set",
        [.string("org.bluez.Adapter1"), .string("Powered"), .bool(on)])
    case .stickDiscovery: for adapter in adapters.indices { adapters[adapter].isDiscoveryStuck = true }
    case .haltDiscovery: for adapter in adapters.indices { haltDiscovery(adapter) }
    case .remove(let adapter):
      act(
        "remove", on: path(adapter), "org.bluez.Adapter1", "RemoveDevice",
        [.objectPath(devicePath(of: strap, under: path(adapter)))])
    case .plug(let address): plug(address)
    case .unplug(let address): unplug(address)
    case .client(let action, let adapter, let uuid):
      act(action, uuid: uuid, strap: strap, adapter: path(adapter))
    }
  }

  private func path(_ adapter: String) -> String { "/org/bluez/" + adapter }

  func devicePath(of strap: Int, under adapter: String) -> String {
    adapter + "/dev_" + String(straps[strap].address.map { $0 == ":" ? "_" : $0 })
  }
}

extension StrapEvent {
  /// The event's name in scenarios and logs.
  var kind: String {
    switch self {
    case .disconnect: "disconnect"
    case .vanish: "vanish"
    case .advertise: "advertise"
    case .drop: "drop"
    case .cease: "cease"
    case .stop: "stop"
    case .battery: "battery"
    case .rssi: "rssi"
    case .refuse: "refuse"
    case .stall: "stall"
    case .resume: "resume"
    case .gatt: "gatt"
    }
  }
}

extension MachineEvent {
  /// The event's name in scenarios and logs.
  var kind: String {
    switch self {
    case .bluetoothd(let action): "bluetoothd " + action.rawValue
    case .power(let on, _): on ? "power on" : "power off"
    case .stickDiscovery: "stuck"
    case .haltDiscovery: "halt"
    case .remove: "remove"
    case .plug: "plug"
    case .unplug: "unplug"
    case .client(let action, _, _): "client " + action.rawValue
    }
  }
}
